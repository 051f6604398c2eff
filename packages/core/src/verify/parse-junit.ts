// JUnit XML, as pytest, Maven, Gradle, go-junit-report, vitest, jest and many others write it → tests.
import {
  boundedDetails,
  MOST_TESTS,
  type ReportedCase,
  type ReportReading,
  reportText,
} from './test-report.js'
import { readXml, type XmlHandler } from './xml-reader.js'

/** Words of the runner about a test, by the element they stand in. */
interface Told {
  readonly element: string
  readonly attributes: Readonly<Record<string, string>>
  text: string
}

/**
 * Reads a JUnit XML report. A test with `<failure>` or `<error>` failed; one with `<skipped>` did not run, but for
 * pytest's expected failures, which pass.
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
  readonly #counts: { announced: number; before: number }[] = []
  #test: Readonly<Record<string, string>> | undefined
  #told: Told[] = []
  #current: Told | undefined
  #depth = 0

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#depth++ === 0 && name !== 'testsuites' && name !== 'testsuite')
      this.problem ??= `its root is <${name}>, not <testsuites>`
    if (name === 'testsuite' || name === 'testsuites')
      this.#counts.push({ announced: Number(attributes['tests'] ?? 0), before: this.tests.length })
    if (name === 'testcase') {
      if (this.#test !== undefined) this.problem ??= 'it holds a <testcase> within another'
      this.#test = attributes
      this.#told = []
    } else if (this.#test !== undefined && ['failure', 'error', 'skipped', 'rerunFailure'].includes(name)) {
      this.#current = { element: name, attributes, text: '' }
      this.#told.push(this.#current)
    }
  }

  text(content: string): void {
    if (this.#current !== undefined) this.#current.text += content
  }

  close(name: string): void {
    this.#depth--
    if (name === this.#current?.element) this.#current = undefined
    if (name === 'testsuite' || name === 'testsuites') this.#checkCount()
    if (name !== 'testcase' || this.#test === undefined) return
    if (this.tests.length >= MOST_TESTS) this.problem ??= `it holds more than ${MOST_TESTS} tests`
    else this.tests.push(caseOf(this.#test, this.#told))
    this.#test = undefined
  }

  /** Fewer tests than were announced have been lost on the way; more happen, since runners count in different ways. */
  #checkCount(): void {
    const count = this.#counts.pop()
    if (count === undefined) return
    const found = this.tests.length - count.before
    if (count.announced > found) this.problem ??= `it announces ${count.announced} tests and holds ${found}`
  }
}

function caseOf(attributes: Readonly<Record<string, string>>, told: readonly Told[]): ReportedCase {
  const { classname = '', name = '' } = attributes
  const failed = told.find(({ element }) => element === 'failure' || element === 'error')
  const skipped = told.find(({ element }) => element === 'skipped')
  const seconds = Number(attributes['time']?.replaceAll(',', '') ?? Number.NaN)
  const shared = {
    name: classname === '' ? name : `${classname}.${name}`,
    ...(Number.isFinite(seconds) && seconds >= 0 && { durationMs: seconds * 1000 }),
  }
  if (failed !== undefined) {
    const { type = '', message = '' } = failed.attributes
    return {
      ...shared,
      status: 'fail',
      ...(type !== '' && { type }),
      message: message === '' ? firstLine(failed.text) : message,
      ...(failed.text.trim() !== '' && { details: boundedDetails(failed.text) }),
    }
  }
  if (skipped === undefined || skipped.attributes['type'] === 'pytest.xfail')
    return { ...shared, status: 'pass' }
  const reason = skipped.attributes['message'] ?? firstLine(skipped.text)
  return { ...shared, status: 'not-run', ...(reason !== '' && { reason }) }
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? ''
