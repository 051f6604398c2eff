// What a check is, and what it says: three-valued, because a check that did not run has passed nothing.
import type { Candidate } from './candidate.js'
import type { ExecutionResult } from './execution.js'
import type { Command, ExecOptions, Sandbox } from './sandbox.js'

/** Decides whether a candidate is right. */
export interface Verifier {
  /** Appears in feedback and records; a second check of this name gets a number after it. */
  readonly name: string
  /** `held-out`: the model is told only how many such checks failed. */
  readonly visibility: 'visible' | 'held-out'
  /** Runs the check. What it throws becomes `not-run`, and never a pass. */
  verify(context: VerifyContext): Promise<Verdict>
}

/** What a verifier works with. */
export interface VerifyContext {
  /** The program under test. */
  readonly candidate: Candidate
  /** Id of the task's language, such as `python`. */
  readonly language: string
  /** The attempt's sandbox, holding the candidate's files and the task's; executions in it are observed and charged. */
  readonly sandbox: Sandbox
  /** Runs the candidate's program as the task says; once an attempt, further calls get the same result. */
  run(): Promise<ExecutionResult>
  /** Runs something else in the sandbox. */
  exec(command: Command, options?: ExecOptions): Promise<ExecutionResult>
  /**
   * Puts the workspace back to what it was before anything ran: the task's inputs and the program as they were handed in,
   * without the files that executions made (folders that they left empty stay). When the program has run in this attempt it
   * runs again, and from then on `run` gives this check the new result; if the check passes, it is the attempt's result too.
   * Always there in a loop and in `verifyOnce`; a context made by hand may lack it.
   *
   * @returns false when that cannot be done, since the program put something in the way
   */
  restore?(): Promise<boolean>
  /** Aborted when the run is. */
  readonly signal: AbortSignal
}

/** What a check found. */
export interface Verdict {
  /** `not-run` is not a pass. */
  readonly status: 'pass' | 'fail' | 'not-run'
  /** Why it did not run, where the tests say. */
  readonly reason?: string
  /** `separate`: what decided was a process the candidate cannot read, trace or patch. `shared`: it lived with the candidate. */
  readonly integrity: 'separate' | 'shared'
  /** Between 0 and 1, where the check can say how much is right. */
  readonly score?: number
  /** The single tests, where there are any. */
  readonly tests?: readonly TestReport[]
  /** What is wrong; empty when `status` is `pass`. */
  readonly failures: readonly Failure[]
  /** How many comparisons were decided by the candidate's own operators, as between two objects of its own classes. */
  readonly weakComparisons?: number
  /** What came of running a failing check again, as `rerunFailing` does; absent when it was not. */
  readonly rerun?: Rerun
  /** Why the check could not run through no fault of the candidate; charged to the infrastructure budget. */
  readonly lost?: string
  /** Why the check itself cannot be used, whatever the program; trying another program would be of no use. */
  readonly misuse?: string
}

/** How a check behaved in several runs on the same program. */
export interface Rerun {
  /** `deterministic`: the same tests failed in every run. `flaky`: a run passed, or other tests failed in it. */
  readonly kind: 'deterministic' | 'flaky'
  /** How many runs decided, the first among them. */
  readonly runs: number
  /** How many of them passed. */
  readonly passed: number
}

/** One test of a check. */
export interface TestReport {
  /** Name of the test. */
  readonly name: string
  /** `not-run` is not a pass. */
  readonly status: 'pass' | 'fail' | 'not-run'
  /** Why it did not run, where the tests say. */
  readonly reason?: string
  /** Wall time in milliseconds. */
  readonly durationMs?: number
  /** True for a test that passed in one run and failed in another on the same program. Absent: not known to. */
  readonly flaky?: boolean
}

/** One thing that went wrong, parsed. */
export interface Failure {
  /** What sort of failure it is. */
  readonly kind: FailureKind
  /** The line that says it, such as `ValueError: could not convert string to float: 'n/a'`. Never cut. */
  readonly message: string
  /** Where in the candidate's files. */
  readonly location?: SourceLocation
  /** Frames in the candidate's own files, outermost first; the path `<string>` stands for code that the program made itself. */
  readonly frames?: readonly StackFrame[]
  /** How many frames of libraries and harness were left out. */
  readonly foldedFrames?: number
  /** The failing line with its neighbours, marked. */
  readonly excerpt?: string
  /** What should have come, as source text. */
  readonly expected?: string
  /** What came, as source text. */
  readonly actual?: string
  /** What was called or compared, as source text. */
  readonly input?: string
  /** Name of the test. */
  readonly test?: string
  /** Values of local variables where it failed, as source text. */
  readonly locals?: Readonly<Record<string, string>>
  /** The failure that this one was raised from or during. */
  readonly cause?: Failure
  /** Stable name of the failure: numbers, paths, addresses and times are masked. */
  readonly fingerprint: string
}

/** A place in one of the candidate's files. */
export interface SourceLocation {
  /** Path within the workspace. */
  readonly path: string
  /** 1-based line of the code as the model wrote it. */
  readonly line: number
  /** 1-based column, where known. */
  readonly column?: number
}

/** A call in a traceback. */
export interface StackFrame extends SourceLocation {
  /** Name of the function, `<module>` at top level. */
  readonly function?: string
  /** The source line, trimmed. */
  readonly source?: string
}

/** Sorts of failure. */
export type FailureKind =
  | 'syntax'
  | 'exception'
  | 'assertion'
  | 'import'
  | 'timeout'
  | 'resource'
  | 'denied'
  | 'lint'
  | 'type'
  | 'output'
  | 'schema'
  | 'missing-entry'
  | 'early-exit'
  | 'no-code'
  | 'truncated-reply'
  | 'edit'
  | 'refusal'
  | 'custom'
