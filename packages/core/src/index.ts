// The front door: what people need who use loops.

export type { Budget, Spent } from './contract/budget.js'
export { DEFAULT_BUDGET } from './contract/budget.js'
export type { Candidate } from './contract/candidate.js'
export type { ArchiveRefusalReason } from './contract/errors.js'
export {
  MendloopError,
  type MendloopErrorCode,
  type MendloopErrorDetails,
  type MendloopErrorOptions,
  type ModelFailureReason,
} from './contract/errors.js'
export type {
  CallPurpose,
  CallSettings,
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
  UnseenPlace,
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
  AttemptHookInput,
  ExecuteEdit,
  ExecuteHookInput,
  Hook,
  HookAllowance,
  HookAnswer,
  HookDenial,
  HookInput,
  HookQuestion,
  HookSuspension,
  LoopHooks,
  ModelCallEdit,
  ModelCallHookInput,
} from './contract/hooks.js'
export type {
  Attempt,
  Handover,
  Loop,
  LoopRun,
  NamedVerdict,
  RepairResult,
  RepairResultBase,
  ResumeOptions,
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
export type { AnsweredQuestion, HookName, Question } from './contract/questions.js'
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
  Rerun,
  SourceLocation,
  StackFrame,
  TestReport,
  Verdict,
  Verifier,
  VerifyContext,
} from './contract/verify.js'
export type { FileEntry, WorkspaceFiles } from './contract/workspace-files.js'
export { type DiagnosisInput, diagnosisMessages, readDiagnosis } from './feedback/diagnosis.js'
export { redactSecrets } from './feedback/redact-secrets.js'
export { type FeedbackInput, type FeedbackOptions, renderFeedback } from './feedback/render-feedback.js'
export type { HeldOutCount } from './feedback/verdict-text.js'
export { BUILT_IN_PROBES } from './guest/inventory/built-in-probes.js'
export { clearInventories, type InventoryOptions, inventory } from './guest/inventory/inventory.js'
export type {
  EnforcedLimits,
  InstalledExecutable,
  InstalledPackage,
  Inventory,
  PythonInventory,
} from './guest/inventory/inventory-facts.js'
export { nearestPackages } from './guest/inventory/nearest-packages.js'
export {
  defineProbe,
  matchingProbes,
  type Probe,
  type ProbeFinding,
  type ProbeResult,
  runProbe,
} from './guest/inventory/probe.js'
export type { ProgramResult, ProgramRun, RunProgramOptions } from './guest/runner/program-run.js'
export { prepareRunner, runProgram } from './guest/runner/run-program.js'
export type { HostCallCode, HostCallEvent } from './guest/session/host-desk.js'
export {
  createHostFunctions,
  type HostCallContext,
  HostCallError,
  type HostFunction,
  type HostFunctionDefinition,
  type HostFunctionLimits,
  type HostFunctions,
  hostFunction,
} from './guest/session/host-function.js'
export type { HostSchema, HostSchemaAnswer, HostSchemaIssue } from './guest/session/host-schema.js'
export { openSession } from './guest/session/open-session.js'
export type {
  CellError,
  CellFrame,
  CellOptions,
  CellResult,
  MimeBundle,
  Session,
  SessionLanguage,
  SessionLoss,
  SessionRuntime,
} from './guest/session/session.js'
export type { OpenSessionOptions } from './guest/session/session-options.js'
export {
  type ComparedAlternative,
  type CompareTimingsOptions,
  compareTimings,
  type TimingComparison,
} from './guest/timing/compare-timings.js'
export type { TimeSpread } from './guest/timing/timing-statistics.js'
export type { TimingVerdict } from './guest/timing/timing-verdict.js'
export { type DiagnoseOptions, diagnose } from './language/diagnose.js'
export { fingerprintOf } from './language/fingerprint.js'
export type { CompileStep, Language, LanguageTool, Recipe, RecipeContext } from './language/language.js'
export { languageOf } from './language/languages.js'
export {
  type RunSourceOptions,
  type RunSourceResult,
  runSource,
  type SourceProgram,
} from './language/run-source.js'
export { type ReadTestOutputOptions, readTestOutput } from './language/test-output/read-test-output.js'
export type { TestOutcome, TestOutput, TestRunner } from './language/test-output/test-output.js'
export { textForModel } from './language/text-for-model.js'
export {
  type Alternative,
  type AlternativeRun,
  type AlternativesOptions,
  type AlternativesResult,
  type DuplicateAlternative,
  repairAlternatives,
  type StartedAlternative,
} from './repair/alternatives.js'
export type { AlternativesTotal } from './repair/alternatives-total.js'
export { type AsToolOptions, asTool, type LoopTool, type LoopToolAnswer } from './repair/as-tool.js'
export {
  createRepairLoop,
  type DiagnosisOptions,
  type RepairLoopOptions,
} from './repair/create-repair-loop.js'
export { type FaultProof, type ProvesFaultInput, provesFault } from './repair/proves-fault.js'
export type { QuestionOptions } from './repair/question-in-reply.js'
export type { RepairTask } from './repair/repair-task.js'
export type { AcceptedInput, ToolTask } from './repair/tool-input.js'
export { type VerifyOnceInput, type VerifyOnceResult, verifyOnce } from './repair/verify-once.js'
export { type AppliedEdits, applyEdits } from './reply/edits/apply-edits.js'
export type {
  Edit,
  EditHunk,
  EditLine,
  EditProblem,
  EditReason,
  ExtractEditsOptions,
  ExtractedEdits,
} from './reply/edits/edit.js'
export { extractEdits } from './reply/edits/extract-edits.js'
export { extractCandidate } from './reply/extract-candidate.js'
export type {
  CodeBlock,
  Extraction,
  ExtractionBase,
  ExtractOptions,
  NoCandidateReason,
} from './reply/extraction.js'
export {
  type ReadToolArgumentsOptions,
  readToolArguments,
  type ToolArguments,
  type ToolFile,
} from './reply/tool-arguments/read-tool-arguments.js'
export type { ArchiveFormat } from './sandbox/archive/archive-format.js'
export { type ArchiveLimits, DEFAULT_ARCHIVE_LIMITS } from './sandbox/archive/archive-limits.js'
export type { SkippedEntry } from './sandbox/archive/archive-plan.js'
export { type ExportArchiveOptions, exportArchive } from './sandbox/archive/export-archive.js'
export {
  type ImportArchiveOptions,
  type ImportedArchive,
  type ImportedFile,
  importArchive,
} from './sandbox/archive/import-archive.js'
export { type ByteSource, collectBytes } from './sandbox/archive/pieces.js'
export {
  type FilePiece,
  type FilePieceOptions,
  LARGEST_PIECE_BYTES,
  readFilePiece,
} from './sandbox/file-type/file-piece.js'
export type { FileKind, FileType, TextEncoding } from './sandbox/file-type/file-type.js'
export { hexDump } from './sandbox/file-type/hex-dump.js'
export { SNIFFED_BYTES, sniffFile, sniffFileType } from './sandbox/file-type/sniff-file-type.js'
export {
  type ChatCheck,
  type ChatConversation,
  type ChatDataOptions,
  type ChatMessage,
  type ChatTag,
  toChatData,
} from './trace/chat-data.js'
export {
  type ReadRecord,
  type RecordReadOptions,
  type RecordWriteOptions,
  readRecord,
  readRecordEvents,
  recordFromJsonl,
  recordLines,
  recordToJsonl,
} from './trace/record-jsonl.js'
export type { CutLine } from './trace/record-lines.js'
export { type RecordSink, type WrittenRecord, writeRecord } from './trace/record-writer.js'
export { promptsOf, type RecordedPrompt } from './trace/recorded-calls.js'
export type { RecordedResult } from './trace/recorded-result.js'
export type { Redact } from './trace/redaction.js'
export { type RecordReplay, type ReplayOptions, replayRecord } from './trace/replay-record.js'
export type { TextSource } from './trace/text-lines.js'
export { allOf, anyOf, type CombinedOptions, inSequence } from './verify/combinators.js'
export {
  type CommandSucceedsOptions,
  commandSucceeds,
  type ReportPassesOptions,
  reportPasses,
} from './verify/command-succeeds.js'
export { type ExitsCleanlyOptions, exitsCleanly } from './verify/exits-cleanly.js'
export { type ExpectOutputOptions, expectOutput } from './verify/expect-output.js'
export { type JavaScriptTestsOptions, javascriptTests } from './verify/javascript-tests.js'
export { type JsonOutputOptions, jsonOutput } from './verify/json-output.js'
export { nodeTests } from './verify/node-tests.js'
export { parseJUnit } from './verify/parse-junit.js'
export { parseTap } from './verify/parse-tap.js'
export { pytestTests, unittestTests } from './verify/python-runners.js'
export { type PythonTestsOptions, pythonTests } from './verify/python-tests.js'
export { type RerunFailingOptions, rerunFailing } from './verify/rerun-failing.js'
export type { SharedTestsOptions, TestFiles } from './verify/shared-options.js'
export type { Finding, FindingKind, ToolRun } from './verify/static/finding.js'
export { type StaticChecks, type StaticReport, staticChecks } from './verify/static/static-checks.js'
export type { StaticCheckInput, StaticChecksOptions } from './verify/static/static-checks-options.js'
export { lintClean, type StaticVerifierOptions, typesCheck } from './verify/static/static-verifiers.js'
export type { ReportedCase, ReportReading } from './verify/test-report.js'
export { type VitestTestsOptions, vitestTests } from './verify/vitest-tests.js'
