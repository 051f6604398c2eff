// Kind `verdict`: a solution and its tests, and what the judge makes of them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  MendloopError,
  pythonTests,
  type TestReport,
  type VerifyOnceResult,
  verifyOnce,
} from '@mendloop/core'
import type { BugCase, CaseOutcome } from './bug-case.js'
import { isCheck, testsFromChecks } from './checks-to-tests.js'
import {
  asCount,
  asFilledText,
  asFilledTexts,
  asKnown,
  asList,
  asText,
  type Complaint,
  contains,
  equals,
  NotUnderstood,
  own,
} from './expectation.js'
import { caseSandbox } from './names.js'

/** What the tests came to. */
interface Judged {
  readonly result: Pick<VerifyOnceResult, 'passed' | 'verdicts' | 'feedback'>
  /** How many checks there are, where the case holds checks. */
  readonly checks?: number
  readonly expectedTests: readonly string[]
}

type Check = (wanted: unknown, judged: Judged) => Complaint

const CHECKS: Readonly<Record<string, Check>> = {
  verdict: (wanted, { result }) =>
    equals('verdict', asKnown(wanted, ['pass', 'fail']), result.passed ? 'pass' : 'fail'),
  failedChecks: (wanted, judged) => equals('failed checks', asCount(wanted), failedChecks(judged)),
  notRun: (wanted, judged) =>
    equals('tests not run', [...asList(wanted).map(asFilledText)].sort(), [...notRun(judged)].sort()),
  feedbackContains: (wanted, { result }) => contains('feedback', wanted, result.feedback),
}

/** Runs a case of kind `verdict`. */
export async function runVerdictCase({ input, expect, folder }: BugCase): Promise<CaseOutcome> {
  const read = (file: unknown): string => readFileSync(join(folder, asText(file)), 'utf8')
  const path = asFilledText(input['copyAs'] ?? 'solution.py')
  const expectedTests = input['expectedTests'] === undefined ? [] : asFilledTexts(input['expectedTests'])
  const { tests, checks } = input
  if ((tests === undefined) === (checks === undefined))
    throw new NotUnderstood('either "tests" or "checks" is needed')
  const code = read(input['solution'])
  const fromChecks =
    checks === undefined ? undefined : testsFromChecks(JSON.parse(read(checks)), { path, code })
  const result = await judge({ [path]: code }, fromChecks?.source ?? read(tests), expectedTests)
  const judged = { result, expectedTests, ...(fromChecks !== undefined && { checks: fromChecks.count }) }
  const reasons = Object.entries(expect)
    .map(([key, wanted]) => {
      const check = own(CHECKS, key)
      return check === undefined ? `no check for "${key}"` : check(wanted, judged)
    })
    .filter((complaint) => complaint !== undefined)
  return reasons.length === 0 ? { status: 'passed' } : { status: 'failed', reasons }
}

/** Tests that hold nothing, or do not parse, are refused by the product as no tests at all; to a case that is no pass. */
async function judge(
  files: Record<string, string>,
  source: string,
  expectedTests: readonly string[],
): Promise<Judged['result']> {
  try {
    return await verifyOnce({
      candidate: { files, entry: Object.keys(files)[0] ?? '' },
      language: 'python',
      verify: [pythonTests(source, { expectedTests })],
      sandbox: caseSandbox(),
    })
  } catch (error) {
    const isNone =
      MendloopError.is(error, 'INVALID_OPTION') &&
      (source.trim() === '' || error.message.includes('the tests do not parse'))
    if (!isNone) throw error
    return { passed: false, verdicts: [], feedback: error.message }
  }
}

/**
 * A test that is missing from the report is a failed test. What stands between functions is reported as a test of the whole,
 * which counts only where there are no others.
 */
function failedChecks({ result, checks, expectedTests }: Judged): number {
  const tests = testsOf(result)
  if (checks !== undefined)
    return checks - tests.filter(({ name, status }) => isCheck(name) && status === 'pass').length
  const named = tests.filter(({ name }) => name !== WHOLE)
  if (named.length === 0 && expectedTests.length === 0)
    return tests.filter(({ status }) => status === 'fail').length
  const missing = expectedTests.filter((name) => !named.some((test) => isTest(test.name, name)))
  const failed = named.filter(
    ({ name, status }) =>
      status === 'fail' || (status === 'not-run' && expectedTests.some((expected) => isTest(name, expected))),
  )
  return failed.length + missing.length
}

function notRun({ result, expectedTests }: Judged): readonly string[] {
  const tests = testsOf(result)
  const reported = tests.filter(({ status }) => status === 'not-run').map(({ name }) => name)
  // Where there were no tests at all, nothing says so of each.
  return result.verdicts.length === 0 ? expectedTests : reported
}

/** Name of the test that stands for all that is in no function. */
const WHOLE = 'python tests'

/** A test may be named by itself, or with what holds it: `test_a`, `TestArea.test_a`. */
const isTest = (name: string, expected: string): boolean =>
  name === expected || name.split(/[.:]+/).at(-1) === expected

const testsOf = ({ verdicts }: Judged['result']): readonly TestReport[] =>
  verdicts.flatMap(({ tests = [] }) => tests)
