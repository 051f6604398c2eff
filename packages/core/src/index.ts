// The front door: what people need who use loops.

export type { Budget, Spent } from './contract/budget.js'
export { DEFAULT_BUDGET } from './contract/budget.js'
export type { Candidate } from './contract/candidate.js'
export {
  MendloopError,
  type MendloopErrorCode,
  type MendloopErrorDetails,
  type MendloopErrorOptions,
  type ModelFailureReason,
} from './contract/errors.js'
export type {
  EventBase,
  LoopEvent,
  LoopEventOf,
  LoopEventPayloads,
  LoopEventType,
} from './contract/events.js'
export type {
  CapturedText,
  ExecutionResult,
  FileChange,
  Outcome,
  ResourceUsage,
} from './contract/execution.js'
export type {
  ForkRunner,
  PreparedRunner,
  RunnerEnd,
  RunnerExecution,
  RunnerFile,
  RunnerHello,
  RunnerLimits,
  RunnerOutput,
  RunnerPreparation,
  RunnerRequest,
} from './contract/fork-runner.js'
export type {
  Attempt,
  Handover,
  Loop,
  LoopRun,
  NamedVerdict,
  RepairResult,
  RepairResultBase,
  RunOptions,
  RunRecord,
  RunState,
} from './contract/loop.js'
export type {
  ContentPart,
  Message,
  ModelAdapter,
  ModelReply,
  ModelRequest,
  ToolCall,
  ToolSpec,
  Usage,
} from './contract/model.js'
export type {
  Command,
  CommandObject,
  ExecOptions,
  Guarantees,
  Limits,
  NetworkPolicy,
  OutputChunk,
  ProcessOutput,
  Sandbox,
  SandboxOptions,
  SandboxProcess,
  SandboxProvider,
  SnapshotRef,
  SpawnOptions,
} from './contract/sandbox.js'
export { DEFAULT_LIMITS } from './contract/sandbox.js'
export type {
  Failure,
  FailureKind,
  SourceLocation,
  StackFrame,
  TestReport,
  Verdict,
  Verifier,
  VerifyContext,
} from './contract/verify.js'
export type { FileEntry, WorkspaceFiles } from './contract/workspace-files.js'
export { redactSecrets } from './feedback/redact-secrets.js'
export { type FeedbackInput, type FeedbackOptions, renderFeedback } from './feedback/render-feedback.js'
export type { HeldOutCount } from './feedback/verdict-text.js'
export { type DiagnoseOptions, diagnose } from './language/diagnose.js'
export { fingerprintOf } from './language/fingerprint.js'
export type { Language } from './language/language.js'
export { languageOf } from './language/languages.js'
export { textForModel } from './language/text-for-model.js'
export { createRepairLoop, type RepairLoopOptions } from './repair/create-repair-loop.js'
export type { RepairTask } from './repair/repair-task.js'
export { type VerifyOnceInput, type VerifyOnceResult, verifyOnce } from './repair/verify-once.js'
export { extractCandidate } from './reply/extract-candidate.js'
export type {
  CodeBlock,
  Extraction,
  ExtractionBase,
  ExtractOptions,
  NoCandidateReason,
} from './reply/extraction.js'
export { recordFromJsonl, recordToJsonl } from './trace/record-jsonl.js'
export { type ExitsCleanlyOptions, exitsCleanly } from './verify/exits-cleanly.js'
export { type ExpectOutputOptions, expectOutput } from './verify/expect-output.js'
export { type PythonTestsOptions, pythonTests } from './verify/python-tests.js'
