// What a report of a test runner says, whatever its form.

/** One test as a report tells it. */
export interface ReportedCase {
  /** Name of the test; within suites their names come first, with dots between them. At most 1000 characters. */
  readonly name: string
  /** `not-run`: it was skipped. A failure that was expected is a pass, as with `pythonTests`. */
  readonly status: 'pass' | 'fail' | 'not-run'
  /** Sort of failure in the words of the runner, such as `AssertionError`; at most 1000 characters. */
  readonly type?: string
  /** What went wrong, in a line; at most 20 000 characters. */
  readonly message?: string
  /** All that the report says of it, such as a traceback; at most 20 000 characters. */
  readonly details?: string
  /** Why it did not run, where the report says; at most 1000 characters. */
  readonly reason?: string
  /** Wall time in milliseconds. */
  readonly durationMs?: number
}

/** A report that was read, or why it cannot be. */
export type ReportReading =
  | {
      /** The report is complete and well-formed. */
      readonly ok: true
      /** The tests, in order. */
      readonly tests: readonly ReportedCase[]
    }
  | {
      /** It is not to be relied on; nothing in it is a pass. */
      readonly ok: false
      /** Why, as the rest of a sentence, such as `it ends within <testsuite>`. */
      readonly problem: string
    }

/** A larger report is refused. */
const LARGEST_REPORT_BYTES = 32 * 1024 * 1024
export const MOST_TESTS = 100_000
const MOST_DETAILS = 20_000
const MOST_OF_A_NAME = 1000
const CUT = '\n[…]\n'

/** The text of a report, or why there is none. */
export function reportText(report: string | Uint8Array): { text: string } | { problem: string } {
  const size = typeof report === 'string' ? Buffer.byteLength(report) : report.byteLength
  if (size > LARGEST_REPORT_BYTES)
    return { problem: `it has ${size} bytes; at most ${LARGEST_REPORT_BYTES} are read` }
  return { text: typeof report === 'string' ? report : new TextDecoder().decode(report) }
}

/** Head and tail of a long name. */
export const boundedName = (name: string): string =>
  name.length <= MOST_OF_A_NAME
    ? name
    : `${name.slice(0, MOST_OF_A_NAME / 2)}…${name.slice(1 - MOST_OF_A_NAME / 2)}`

/** Head and tail of a long text. */
export const boundedDetails = (text: string): string =>
  text.length <= MOST_DETAILS
    ? text
    : `${text.slice(0, MOST_DETAILS / 2)}${CUT}${text.slice(CUT.length - MOST_DETAILS / 2)}`
