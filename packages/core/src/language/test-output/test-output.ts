// What is read out of a test runner's console output, and how its readers hand it on.
import type { Failure } from '../../contract/verify.js'
import type { PrintedException } from '../python-traceback.js'
import type { ReportedError } from '../reported.js'

/** A test runner whose output is known here. */
export type TestRunner = 'pytest' | 'unittest' | 'node:test' | 'vitest' | 'jest'

/** What a test runner printed, as data. */
export interface TestOutput {
  /** Who printed it. */
  readonly runner: TestRunner
  /** The tests that are named in it, in order; runners name passing tests only when they are asked to. */
  readonly tests: readonly TestOutcome[]
  /** What went wrong, in the order in which it is printed: one for each failing test, file or hook. */
  readonly failures: readonly Failure[]
  /** True when the runner's closing line is there; false for an output that was cut, or a runner that was ended. */
  readonly complete: boolean
}

/** One test of an output. */
export interface TestOutcome {
  /** The test's own name without its file; enclosing groups stand before it, with ` > ` in JavaScript, `::` in pytest. */
  readonly name: string
  /** The file, as the runner names it; absent where it is not printed. */
  readonly file?: string
  /**
   * `error`: it could not run, since its file, a fixture or a hook failed. `skip`: it was left out, is still to be
   * written, or was expected to fail and did.
   */
  readonly status: 'pass' | 'fail' | 'skip' | 'error'
}

/** A failure before it speaks of the program's own files: what a runner of Python, or of JavaScript, printed. */
export type PrintedFailure = {
  /** Name of the test. */
  readonly test?: string
} & (
  | {
      readonly raised: PrintedException
      /** True when it is a check that did not hold, whatever the exception is called. */
      readonly isCheck?: boolean
      /** Local variables of the innermost call. */
      readonly locals?: Readonly<Record<string, string>>
    }
  | { readonly error: ReportedError }
)

/** What a reader found. */
export interface PrintedReport {
  readonly runner: TestRunner
  readonly tests: readonly TestOutcome[]
  readonly failures: readonly PrintedFailure[]
  readonly complete: boolean
  /** Absolute path of the project, where the runner says it. */
  readonly root?: string
}

/** Reads the lines of an output; undefined when they are not that runner's. */
export type TestOutputReader = (lines: readonly string[]) => PrintedReport | undefined
