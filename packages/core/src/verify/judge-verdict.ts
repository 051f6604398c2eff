// What the judge told and how its execution ended → a verdict. Nothing but a complete report with the right secret is a pass.
import { constants } from 'node:os'
import type { ExecutionResult, Outcome } from '../contract/execution.js'
import type { Failure, TestReport, Verdict } from '../contract/verify.js'
import { type JudgedProgram, toFailure } from './judge-failure.js'
import type { JudgeReport } from './judge-report.js'
import { newFailure, notRun } from './new-failure.js'

/** How many skipped tests a message tells of. */
const SHOWN_REASONS = 3

/** What is known besides the report. */
export interface JudgedExecution extends JudgedProgram {
  readonly execution: ExecutionResult
  readonly expectedTests: readonly string[]
  /** How messages call the tests. Default: Python's. */
  readonly wording?: JudgeWording
}

/** What a message says of one kind of tests. */
export interface JudgeWording {
  /** Such as `Python tests`. */
  readonly tests: string
  /** The program that the judge is started with. */
  readonly command: string
  /** What to write, when no test was found. */
  readonly remedy: string
}

const PYTHON: JudgeWording = {
  tests: 'Python tests',
  command: 'python3',
  remedy: 'write statements at top level, or functions whose names begin with test_',
}

/** The verdict on one run of the judge. */
export function judgeVerdict(report: JudgeReport, judged: JudgedExecution): Verdict {
  const verdict = separateVerdict(report, judged)
  return report.isPrivate ? verdict : { ...verdict, integrity: 'shared' }
}

function separateVerdict(report: JudgeReport, judged: JudgedExecution): Verdict {
  const { execution, expectedTests, wording = PYTHON } = judged
  const { outcome } = execution
  if (outcome.kind === 'lost')
    return notRun('separate', `The sandbox was lost: ${outcome.cause}`, { lost: outcome.cause })
  if (outcome.kind === 'aborted') return notRun('separate', 'The tests were aborted before their end.')
  if (report.refused !== undefined) {
    const cause = `The tests could not be run: ${report.refused.reason}.`
    return notRun('separate', cause, report.refused.misuse === true ? { misuse: cause } : {})
  }
  if (!report.ready) return neverBegan(execution, wording)

  const failures = report.tests.flatMap(({ name, failures: reported }) =>
    reported.map((failure) => toFailure(failure, judged, name)),
  )
  const broken = report.end === undefined ? interruption(report, outcome) : ending(report)
  if (broken !== undefined) failures.push(broken)
  const tests = withMissing(report, judged)
  const missing = tests.filter(({ name, status }) => status === 'not-run' && isExpected(name, expectedTests))
  if (missing.length > 0 && failures.length === 0)
    failures.push(
      newFailure({
        kind: 'custom',
        message: `Tests that should have run did not: ${missing.map(withReason).join(', ')}.`,
      }),
    )

  const absent = report.tests.flatMap((test) => test.failures).find((failure) => failure.absent)?.absent
  if (absent !== undefined)
    return notRun(
      'separate',
      `The tests import ${absent}, which is not installed in the sandbox; install it there, or write the tests without it.`,
      { tests },
    )
  const misuse = report.tests.flatMap((test) => test.failures).find((failure) => failure.misuse)?.message
  if (misuse !== undefined) {
    const cause = `The tests cannot be used here: ${misuse.replace(/^TypeError: /, '')}.`
    return notRun('separate', cause, { tests, misuse: cause })
  }
  const passed = tests.filter(({ status }) => status === 'pass').length
  if (failures.length === 0 && passed === 0) return nothingRan(tests, wording)
  const failed = failures.length > 0 || tests.some(({ status }) => status === 'fail')
  return {
    status: failed ? 'fail' : 'pass',
    integrity: 'separate',
    score: tests.length === 0 ? 0 : passed / tests.length,
    tests,
    failures,
    ...(report.end !== undefined &&
      report.end.weakComparisons > 0 && { weakComparisons: report.end.weakComparisons }),
  }
}

function neverBegan({ outcome, stderr }: ExecutionResult, { tests, command }: JudgeWording): Verdict {
  const said = stderr.text.trim().split('\n').at(-1) ?? ''
  const cause = `The judge of the ${tests} could not be started with ${command} (${ended(outcome)}${said === '' ? '' : `: ${said.slice(0, 300)}`}).`
  return notRun('separate', cause, { lost: cause })
}

function nothingRan(tests: readonly TestReport[], { remedy }: JudgeWording): Verdict {
  const reasons = tests.filter(({ reason }) => reason !== undefined).map(withReason)
  const named = reasons.slice(0, SHOWN_REASONS).join(', ')
  const more = reasons.length > SHOWN_REASONS ? `, and ${reasons.length - SHOWN_REASONS} more` : ''
  return notRun(
    'separate',
    tests.length === 0
      ? `No test was found: ${remedy}.`
      : `No test ran: all were skipped${named === '' ? '' : `: ${named}${more}`}.`,
    { tests },
  )
}

const withReason = ({ name, reason }: TestReport): string =>
  reason === undefined ? name : `${name} (${reason})`

/** The judge was stopped before its report was complete. */
function interruption(report: JudgeReport, outcome: Outcome): Failure {
  const call = report.runningCall === undefined ? '' : ` in ${report.runningCall}`
  const during = report.running === undefined ? '' : ` during ${report.running}${call}`
  const parts = { test: report.running, input: report.runningCall }
  switch (outcome.kind) {
    case 'timeout':
      return newFailure({
        ...parts,
        kind: 'timeout',
        message: `The tests had not ended after ${outcome.limitMs} ms of ${outcome.clock === 'wall' ? 'wall-clock' : 'processor'} time and were stopped${during}.`,
      })
    case 'resource':
      return newFailure({
        ...parts,
        kind: 'resource',
        message: `The tests were stopped at the ${outcome.limit} limit${during}.`,
      })
    case 'denied':
      return newFailure({
        ...parts,
        kind: 'denied',
        message: `The tests were stopped for what is not allowed here (${outcome.rule})${during}.`,
      })
    default:
      return newFailure({
        ...parts,
        kind: 'early-exit',
        message: `The tests were ended before all of them had run (${ended(outcome)})${during}.`,
      })
  }
}

/** The candidate's process was gone, or spoke nonsense, before the last test. */
function ending(report: JudgeReport): Failure | undefined {
  const lost = report.end?.lost
  if (lost === null || lost === undefined) return undefined
  const test = report.tests.find(({ status, failures }) => status === 'fail' && failures.length === 0)?.name
  const during = test === undefined ? '' : ` during ${test}`
  const { status } = lost
  if (lost.how !== 'ended' || status === null)
    return newFailure({
      kind: 'early-exit',
      message: `The program stopped answering${during} before the tests were done.`,
      test,
    })
  // As of waitpid(2): the low seven bits are the signal, the next byte the exit code.
  const signal = signalName(status & 0x7f)
  return newFailure({
    kind: signal === 'SIGXCPU' ? 'timeout' : 'early-exit',
    message:
      signal === undefined
        ? `The program ended itself with exit code ${status >> 8}${during}, before the tests were done.`
        : `The program was killed by ${signal}${during}, before the tests were done.`,
    test,
  })
}

const signalName = (number: number): string | undefined =>
  Object.entries(constants.signals).find(([, value]) => value === number)?.[0]

function ended(outcome: Outcome): string {
  if (outcome.kind === 'exit') return `exit code ${outcome.code}`
  return outcome.kind === 'signal' ? outcome.signal : outcome.kind
}

const isExpected = (name: string, expected: readonly string[]): boolean =>
  expected.some((one) => name === one || name.endsWith(`.${one}`) || name.endsWith(` > ${one}`))

/** The reported tests, the one that was running, and the expected ones that are in no report. */
function withMissing(report: JudgeReport, { expectedTests: expected, hide }: JudgedExecution): TestReport[] {
  const tests: TestReport[] = report.tests.map(({ name, status, durationMs, reason }) => ({
    name,
    status,
    durationMs,
    ...(reason !== undefined && { reason: hide(reason) }),
  }))
  if (report.running !== undefined) tests.push({ name: report.running, status: 'fail' })
  for (const name of expected)
    if (!tests.some((test) => isExpected(test.name, [name]))) tests.push({ name, status: 'not-run' })
  return tests
}
