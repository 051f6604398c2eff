// JUnit XML, as pytest, Maven, Gradle, go-junit-report, vitest, jest and many others write it → tests.
import {
  boundedDetails,
  boundedName,
  MOST_TESTS,
  type ReportedCase,
  type ReportReading,
  reportText,
} from './test-report.js'
import { readXml, type XmlHandler } from './xml-reader.js'

type Attributes = Readonly<Record<string, string>>

/** Words of the runner about a test or a suite, by the element they stand in. */
interface Told {
  readonly element: string
  readonly attributes: Attributes
  text: string
}

/** What a suite says of itself, and what had been read when it began. */
interface Suite {
  readonly name: string
  readonly tests: number
  readonly failures: number
  readonly before: { readonly tests: number; readonly failures: number }
}

const NOT_RUN = /^(?:not-?run|disabled|suppressed|skipped|ignored|pending)$/iu
const FAILED = /^(?:fail(?:ed|ure)?|error(?:ed)?)$/iu
const TELLING = new Set(['failure', 'error', 'skipped', 'rerunFailure'])
const isFailure = ({ element }: Told): boolean => element === 'failure' || element === 'error'

/**
 * Reads a JUnit XML report. A test with `<failure>` or `<error>`, or whose `status` or `result` says so, failed. One with
 * `<skipped>` did not run, but for pytest's expected failures, which pass; nor did one whose `status` or `result` is such as
 * `notrun`, `disabled`, `suppressed` or `skipped`. A `<failure>` or `<error>` of a suite itself, and more of them announced
 * than there are, is told as a failed test of the suite's name.
 *
 * Strict: XML that is cut, wrongly nested or declares a document type, a root that is neither `testsuites` nor `testsuite`,
 * a count (`tests`) of more tests than there are, and more than 32 MiB or 100 000 tests are no report.
 *
 * @param report - text, or bytes in UTF-8
 * @returns never throws, whatever the text
 */
export function parseJUnit(report: string | Uint8Array): ReportReading {
  const read = reportText(report)
  if ('problem' in read) return { ok: false, problem: read.problem }
  const handler = new JUnitHandler()
  const problem = readXml(read.text, handler) ?? handler.problem
  return problem === undefined ? { ok: true, tests: handler.tests } : { ok: false, problem }
}

class JUnitHandler implements XmlHandler {
  readonly tests: ReportedCase[] = []
  problem: string | undefined
  readonly #suites: Suite[] = []
  /** Tests that the report holds, without those that stand for a suite. */
  #held = 0
  /** Failures and errors that it holds, of tests and of suites. */
  #failures = 0
  #test: Attributes | undefined
  #told: Told[] = []
  #current: Told | undefined
  #depth = 0

  open(name: string, attributes: Attributes): void {
    if (this.#depth++ === 0 && name !== 'testsuites' && name !== 'testsuite')
      this.problem ??= `its root is <${name}>, not <testsuites>`
    if (name === 'testsuite' || name === 'testsuites') this.#suites.push(this.#suite(attributes))
    if (name === 'testcase') {
      if (this.#test !== undefined) this.problem ??= 'it holds a <testcase> within another'
      this.#test = attributes
      this.#told = []
    } else if (TELLING.has(name)) {
      if (this.#current !== undefined) this.#endTold(this.#current)
      this.#current = { element: name, attributes, text: '' }
    }
  }

  text(content: string): void {
    if (this.#current !== undefined) this.#current.text += content
  }

  close(name: string): void {
    this.#depth--
    if (name === this.#current?.element) this.#endTold(this.#current)
    if (name === 'testcase' && this.#test !== undefined) this.#endTest(this.#test)
    if (name === 'testsuite' || name === 'testsuites') this.#endSuite()
  }

  #suite(attributes: Attributes): Suite {
    const count = (name: string): number => Number(attributes[name] ?? 0) || 0
    return {
      name: attributes['name'] || 'the suite',
      tests: count('tests'),
      failures: count('failures') + count('errors'),
      before: { tests: this.#held, failures: this.#failures },
    }
  }

  #endTold(told: Told): void {
    this.#current = undefined
    if (isFailure(told)) this.#failures++
    if (this.#test !== undefined) this.#told.push(told)
    else if (isFailure(told)) this.#add({ name: this.#suites.at(-1)?.name ?? 'the suite' }, [told])
  }

  #endTest(attributes: Attributes): void {
    this.#test = undefined
    this.#held++
    this.#add(attributes, this.#told)
  }

  #add(attributes: Attributes, told: readonly Told[]): void {
    if (this.tests.length >= MOST_TESTS) this.problem ??= `it holds more than ${MOST_TESTS} tests`
    else this.tests.push(caseOf(attributes, told))
  }

  /** Fewer than were announced have been lost on the way; more happen, since runners count in different ways. */
  #endSuite(): void {
    const suite = this.#suites.pop()
    if (suite === undefined) return
    const { before, name } = suite
    const tests = this.#held - before.tests
    if (suite.tests > tests) this.problem ??= `it announces ${suite.tests} tests and holds ${tests}`
    const failures = this.#failures - before.failures
    if (suite.failures <= failures) return
    const message = `It announces ${suite.failures} failures and errors and holds ${failures}.`
    this.#failures = before.failures + suite.failures
    this.#add({ name }, [{ element: 'error', attributes: { message }, text: '' }])
  }
}

function caseOf(attributes: Attributes, told: readonly Told[]): ReportedCase {
  const { classname = '', name = '' } = attributes
  const states = [attributes['status'] ?? '', attributes['result'] ?? '']
  const failed =
    told.find(isFailure) ??
    (states.some((one) => FAILED.test(one)) ? { attributes: {}, text: '' } : undefined)
  const seconds = Number(attributes['time']?.replaceAll(',', '') ?? Number.NaN)
  const shared = {
    name: boundedName(classname === '' ? name : `${classname}.${name}`),
    ...(Number.isFinite(seconds) && seconds >= 0 && { durationMs: seconds * 1000 }),
  }
  if (failed !== undefined) return { ...shared, status: 'fail', ...toldFailure(failed) }
  const skipped = told.find(({ element }) => element === 'skipped')
  if (skipped?.attributes['type'] === 'pytest.xfail') return { ...shared, status: 'pass' }
  const state = states.find((one) => NOT_RUN.test(one))
  if (skipped === undefined && state === undefined) return { ...shared, status: 'pass' }
  const reason = skipped === undefined ? state : (skipped.attributes['message'] ?? firstLine(skipped.text))
  return { ...shared, status: 'not-run', ...(reason && { reason: boundedName(reason) }) }
}

function toldFailure({ attributes, text }: Pick<Told, 'attributes' | 'text'>): Partial<ReportedCase> {
  const { type = '', message = '' } = attributes
  return {
    ...(type !== '' && { type: boundedName(type) }),
    message: boundedDetails(message === '' ? firstLine(text) : message),
    ...(text.trim() !== '' && { details: boundedDetails(text) }),
  }
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? ''
