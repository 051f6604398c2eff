// The second door: the toolkit for people who write sandboxes and model adapters.
export { z } from 'zod'
export {
  type OciArgument,
  type OciSeccompProfile,
  type OciSyscallRule,
  ociSeccompProfile,
} from './confinement/oci-seccomp-profile.js'
export { type SyscallFilterOptions, syscallFilter } from './confinement/syscall-filter.js'
export type { SyscallPolicy } from './confinement/syscall-rules.js'
export { environmentSchema } from './contract/environment-schema.js'
export { invalidOption, parseOptions } from './contract/options.js'
export {
  execOptionsSchema,
  limitsSchema,
  networkPolicySchema,
  sandboxOptionsSchema,
} from './contract/sandbox-schemas.js'
export { type CompiledPrograms, compileRunner } from './guest/runner/compiled-programs.js'
export type { RunnerChannel } from './guest/runner/conversation.js'
export type { RunnerSetup } from './guest/runner/runner-setup.js'
export { type StartRunnerOptions, startRunner } from './guest/runner/start-runner.js'
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
export { captureStreams, countOutput, type StreamCapture } from './sandbox/capture-streams.js'
export { type EndEvidence, outcomeOf, type SeenEnd } from './sandbox/cause-of-death.js'
export { compareWorkspaces, type FileState, type WorkspaceState } from './sandbox/change-set.js'
export { type CheckedCommand, parseEnvironment, toCommandObject } from './sandbox/command.js'
export { type CpuSeconds, cpuSeconds } from './sandbox/cpu-seconds.js'
export { captureOutput, type OutputCapture } from './sandbox/output-capture.js'
export { pathRefused, toWorkspaceFiles, toWorkspacePath } from './sandbox/workspace-path.js'
