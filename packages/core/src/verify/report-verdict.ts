// What a report tells and how the run ended → a verdict. Only a complete report in which the right tests ran is a pass.
import type { ExecutionResult, Outcome } from '../contract/execution.js'
import type { Failure, FailureKind, TestReport, Verdict, VerifyContext } from '../contract/verify.js'
import { textForModel } from '../language/text-for-model.js'
import { newFailure, notRun } from './new-failure.js'
import { reportedFailure } from './reported-failure.js'
import { boundedName, type ReportedCase, type ReportReading } from './test-report.js'

/** What the verdict rests on. */
export interface ReportedRun {
  readonly execution: ExecutionResult
  /** Undefined: there is none. */
  readonly report: ReportReading | undefined
  readonly expectedTests?: number | readonly string[] | undefined
  /** Whether a runner of ours wrote it, whose words on the whole run are to be believed. */
  readonly isOurs?: boolean
  /** An exit code that is as good as 0. Default: none. */
  readonly harmlessCode?: number
}

const MOST_FAILURES = 50

/** The verdict on one run. */
export function reportVerdict(run: ReportedRun, context: VerifyContext): Verdict {
  const { execution, report, isOurs = false } = run
  const { outcome } = execution
  if (outcome.kind === 'lost')
    return notRun('shared', `The sandbox was lost: ${outcome.cause}`, { lost: outcome.cause })
  if (outcome.kind === 'aborted') return notRun('shared', 'The tests were aborted before their end.')
  if (report === undefined || !report.ok) return failed([incomplete(report, execution)])

  const whole = isOurs ? report.tests.filter(isOnRun) : []
  const unusable = whole.find(({ type }) => type === 'absent' || type === 'misuse')
  if (unusable !== undefined) return cannotRun(unusable)
  const cases = isOurs ? report.tests.filter((one) => !isOnRun(one)) : report.tests
  const tests = cases.map(toTestReport)
  const failures = [
    ...cases.filter(({ status }) => status === 'fail').map((one) => reportedFailure(one, context)),
    ...whole.map(({ type, message = '' }) => newFailure({ kind: type as FailureKind, message })),
    ...unexpected(tests, run.expectedTests),
  ]
  const ended = failures.length === 0 ? badEnd(run) : undefined
  const all = ended === undefined ? failures : [...failures, ended]
  if (all.length > 0) return failed(all.slice(0, MOST_FAILURES), tests)
  const passed = tests.filter(({ status }) => status === 'pass').length
  if (passed === 0)
    return notRun(
      'shared',
      tests.length === 0 ? 'No test was found.' : `No test ran: all were skipped${reasons(tests)}.`,
      {
        tests,
      },
    )
  return { status: 'pass', integrity: 'shared', score: passed / tests.length, tests, failures: [] }
}

const isOnRun = ({ name }: ReportedCase): boolean => name === 'mendloop.run'

function cannotRun({ type, message = '' }: ReportedCase): Verdict {
  if (type === 'misuse') {
    const cause = `The tests cannot be used here: ${message}.`
    return notRun('shared', cause, { misuse: cause })
  }
  return notRun('shared', `The tests could not be run: ${message}; install it there.`)
}

function failed(failures: readonly Failure[], tests: readonly TestReport[] = []): Verdict {
  const passed = tests.filter(({ status }) => status === 'pass').length
  return {
    status: 'fail',
    integrity: 'shared',
    score: tests.length === 0 ? 0 : passed / tests.length,
    ...(tests.length > 0 && { tests }),
    failures,
  }
}

const toTestReport = ({ name, status, reason, durationMs }: ReportedCase): TestReport => ({
  name,
  status,
  ...(reason !== undefined && { reason }),
  ...(durationMs !== undefined && { durationMs }),
})

function reasons(tests: readonly TestReport[]): string {
  const told = tests.flatMap(({ name, reason }) => (reason === undefined ? [] : [`${name} (${reason})`]))
  return told.length === 0 ? '' : `: ${told.slice(0, 3).join(', ')}${told.length > 3 ? ', …' : ''}`
}

/** The run left no report, or none that is complete. */
function incomplete(report: ReportReading | undefined, execution: ExecutionResult): Failure {
  const { outcome } = execution
  const limit = limitFailure(outcome)
  if (limit !== undefined) return limit
  const why = report === undefined || report.ok ? 'there is no report' : `of the report, ${report.problem}`
  const words = lastWords(execution)
  return newFailure({
    kind: 'early-exit',
    message: `The tests were ended before all of them had run (${endText(outcome)}; ${why}).${words}`,
  })
}

function limitFailure(outcome: Outcome): Failure | undefined {
  if (outcome.kind === 'timeout')
    return newFailure({
      kind: 'timeout',
      message: `The tests had not ended after ${outcome.limitMs} ms of ${outcome.clock === 'wall' ? 'wall-clock' : 'processor'} time and were stopped.`,
    })
  if (outcome.kind === 'resource')
    return newFailure({ kind: 'resource', message: `The tests were stopped at the ${outcome.limit} limit.` })
  if (outcome.kind === 'denied')
    return newFailure({
      kind: 'denied',
      message: `The tests were stopped for what is not allowed here (${outcome.rule}).`,
    })
  return undefined
}

function lastWords({ stderr, stdout }: ExecutionResult): string {
  const said = textForModel(stderr.text).trim() || textForModel(stdout.text).trim()
  return said === '' ? '' : ` Last words: ${said.split('\n').slice(-3).join('\n').slice(-600)}`
}

const endText = (outcome: Outcome): string =>
  outcome.kind === 'exit'
    ? `exit code ${outcome.code}`
    : outcome.kind === 'signal'
      ? outcome.signal
      : outcome.kind

/** A report without a failure does not make up for a run that ended badly. */
function badEnd({ execution, harmlessCode = 0 }: ReportedRun): Failure | undefined {
  const { outcome } = execution
  if (outcome.kind === 'exit' && [0, harmlessCode].includes(outcome.code)) return undefined
  return (
    limitFailure(outcome) ??
    newFailure({
      kind: 'early-exit',
      message: `The report tells of no failure, and yet the run ended with ${endText(outcome)}.${lastWords(execution)}`,
    })
  )
}

/** Tests that should have run and did not, or another number of them. */
function unexpected(tests: readonly TestReport[], expected: ReportedRun['expectedTests']): Failure[] {
  if (expected === undefined) return []
  const ran = tests.filter(({ status }) => status !== 'not-run')
  if (typeof expected === 'number') {
    if (ran.length === expected) return []
    const message = `${expected} tests should have run, and ${ran.length} did${reasons(tests)}.`
    return [newFailure({ kind: 'early-exit', message })]
  }
  const missing = expected.map(boundedName).filter((name) => !ran.some((one) => isNamed(one.name, name)))
  if (missing.length === 0) return []
  const message = `Tests that should have run did not: ${missing.join(', ')}.`
  return [newFailure({ kind: 'early-exit', message })]
}

/** `Class.test_a[1]` and `test_file.py::test_a` are meant by `test_a`. */
function isNamed(full: string, name: string): boolean {
  const start = full.endsWith(']') ? full.indexOf('[') : -1
  const bare = start === -1 ? full : full.slice(0, start)
  return [full, bare].some(
    (one) => one === name || (one.endsWith(name) && '.:/'.includes(one.charAt(one.length - name.length - 1))),
  )
}
