// The second door: the toolkit for people who write sandboxes and model adapters.
export { z } from 'zod'
export { invalidOption, parseOptions } from './contract/options.js'
export {
  execOptionsSchema,
  limitsSchema,
  networkPolicySchema,
  sandboxOptionsSchema,
} from './contract/sandbox-schemas.js'
export { onAbort } from './internal/on-abort.js'
export { startTimer } from './internal/timer.js'
export {
  DEFAULT_RETRY_POLICY,
  type RetryContext,
  type RetryPolicy,
  retryAfterMs,
  retryModelRequest,
  retryPolicySchema,
} from './model/retry.js'
export { estimatePromptTokens, estimateTokens } from './model/token-estimate.js'
export { addUsage, completeUsage, costUsd, type TokenPrice, tokenPriceSchema } from './model/usage.js'
export { compareWorkspaces, type FileState, type WorkspaceState } from './sandbox/change-set.js'
export { parseEnvironment, toCommandObject } from './sandbox/command.js'
export { captureOutput, type OutputCapture } from './sandbox/output-capture.js'
export { pathRefused, toWorkspaceFiles, toWorkspacePath } from './sandbox/workspace-path.js'
