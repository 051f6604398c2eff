// A failure as a test runner printed it → a failure that speaks of the project's own files.
import type { Candidate } from '../../contract/candidate.js'
import type { Failure } from '../../contract/verify.js'
import { fingerprintOf } from '../fingerprint.js'
import { type ProgramPaths, programPaths } from '../program-paths.js'
import { filesOfPrinted, toFailure } from '../python-failure.js'
import { filesOfReported, toReportedFailure } from '../reported.js'
import type { PrintedFailure, PrintedReport, TestOutput } from './test-output.js'

const TIMEOUT = /^Failed: Timeout (?:\(>|>)\d/u

/** Of a failure whose title is the last that a report holds. */
const CUT_OFF = 'It failed; the report ends before it says how.'

type PythonFailure = Extract<PrintedFailure, { raised: unknown }>

/** What failures are made with. */
export interface FailureContext {
  /** The project; its entry is of no meaning. */
  readonly candidate: Candidate | undefined
  /** Absolute path of the project. */
  readonly root?: string | undefined
}

/** Speaks of the project's own files in each failure, and names the files of tests as the project does. */
export function toTestOutput(
  report: PrintedReport,
  { candidate, root = report.root }: FailureContext,
): TestOutput {
  const { runner, tests, failures: printed, complete } = report
  const paths = programPaths({
    seen: printed.flatMap((one) =>
      'raised' in one ? filesOfPrinted(one.raised) : filesOfReported(one.error),
    ),
    ...(candidate !== undefined && { candidate }),
    ...(root !== undefined && { workdir: root }),
  })
  const relative = (text: string): string => (ABSOLUTE.test(text) ? (paths.own(text) ?? text) : text)
  const failures = printed.map((one) => {
    const test = one.test === undefined ? undefined : relative(one.test)
    if ('error' in one) return named(toReportedFailure(one.error, paths, candidate), test)
    const failure = toFailure(one.raised, { paths, candidate })
    return named({ ...failure, ...ofPython(one, failure), ...localsOf(one, paths) }, test)
  })
  const outcomes = tests.map(({ name, file, status }) => ({
    name: relative(name),
    ...(file !== undefined && { file: relative(file) }),
    status,
  }))
  return { runner, tests: outcomes, failures, complete }
}

/** A file that could not be run stands in for a test of that name. */
const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/])\S+$/u

/** What pytest and unittest say beyond the exception. */
function ofPython({ isCheck, raised }: PythonFailure, { kind, input }: Failure): Partial<Failure> {
  const sides = isCheck === true || kind === 'assertion' ? comparedSides(raised.message) : undefined
  return {
    ...(isCheck === true &&
      kind === 'exception' && { kind: TIMEOUT.test(raised.message) ? 'timeout' : 'assertion' }),
    ...(sides !== undefined && { ...sides, ...(input !== undefined && { input }) }),
  }
}

/** The values of local variables, where the innermost call is the project's own. */
function localsOf({ locals = {}, raised }: PythonFailure, paths: ProgramPaths): Partial<Failure> {
  const innermost = raised.frames.at(-1)?.file
  const values = Object.entries(locals).map(([name, value]) => [name, paths.hide(value)])
  if (values.length === 0 || innermost === undefined || paths.own(innermost) === undefined) return {}
  return { locals: Object.fromEntries(values) }
}

/** pytest says what was compared on a line of its own, below the words of whoever wrote the test. */
function comparedSides(message: string): Pick<Failure, 'expected' | 'actual'> | undefined {
  for (const line of message.split('\n').slice(0, 5)) {
    const [, actual, expected] = /^(?:AssertionError: )?assert (.{1,2000}) == (.{1,2000})$/u.exec(line) ?? []
    if (actual !== undefined && expected !== undefined) return { actual, expected }
  }
  return undefined
}

function named(failure: Failure, test: string | undefined): Failure {
  const { fingerprint: _, ...rest } = {
    ...failure,
    ...(test !== undefined && { test }),
    ...(failure.message.trim() === '' && { message: CUT_OFF }),
  }
  return { ...rest, fingerprint: fingerprintOf(rest) }
}
