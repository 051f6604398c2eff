// The front door: what people need who use loops.
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
  Attempt,
  Budget,
  Handover,
  Loop,
  LoopRun,
  NamedVerdict,
  RepairResult,
  RepairResultBase,
  RunOptions,
  RunRecord,
  RunState,
  Spent,
} from './contract/loop.js'
export { DEFAULT_BUDGET } from './contract/loop.js'
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
  CapturedText,
  Command,
  CommandObject,
  ExecOptions,
  ExecutionResult,
  FileChange,
  FileEntry,
  Guarantees,
  Limits,
  NetworkPolicy,
  Outcome,
  OutputChunk,
  ResourceUsage,
  Sandbox,
  SandboxOptions,
  SandboxProcess,
  SandboxProvider,
  SnapshotRef,
  SpawnOptions,
  WorkspaceFiles,
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
