// Kind `verdict`: a solution and its tests, and what the judge makes of them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pythonTests, type VerifyOnceResult, verifyOnce } from '@mendloop/core'
import type { BugCase, CaseOutcome, Fields } from './bug-case.js'
import {
  asCount,
  asFilledList,
  asFilledText,
  asFilledTexts,
  asList,
  asObjectOf,
  asText,
  type Complaint,
  contains,
  equals,
  NotUnderstood,
} from './expectation.js'
import { caseSandbox } from './names.js'

type Check = (wanted: unknown, result: VerifyOnceResult) => Complaint

const CHECKS: Readonly<Record<string, Check>> = {
  verdict: (wanted, { passed }) => equals('verdict', wanted, passed ? 'pass' : 'fail'),
  failedChecks: (wanted, result) =>
    equals('failed checks', asCount(wanted), namesWith('fail', result).length),
  notRun: (wanted, result) =>
    equals(
      'tests not run',
      [...asList(wanted).map(asFilledText)].sort(),
      [...namesWith('not-run', result)].sort(),
    ),
  feedbackContains: (wanted, { feedback }) => contains('feedback', wanted, feedback),
}

/** Runs a case of kind `verdict`. */
export async function runVerdictCase({ input, expect, folder }: BugCase): Promise<CaseOutcome> {
  const read = (file: unknown): string => readFileSync(join(folder, asText(file)), 'utf8')
  const path = asFilledText(input['copyAs'] ?? 'solution.py')
  const expectedTests =
    input['expectedTests'] === undefined ? undefined : asFilledTexts(input['expectedTests'])
  const { tests, checks } = input
  if ((tests === undefined) === (checks === undefined))
    throw new NotUnderstood('either "tests" or "checks" is needed')
  const source = tests === undefined ? testsFromChecks(JSON.parse(read(checks)), path) : read(tests)
  const result = await verifyOnce({
    candidate: { files: { [path]: read(input['solution']) }, entry: path },
    language: 'python',
    verify: [pythonTests(source, expectedTests === undefined ? {} : { expectedTests })],
    sandbox: caseSandbox(),
  })
  const reasons = complaintsAbout(expect, result)
  return reasons.length === 0 ? { status: 'passed' } : { status: 'failed', reasons }
}

function complaintsAbout(expect: Fields, result: VerifyOnceResult): string[] {
  return Object.entries(expect)
    .map(
      ([key, wanted]) =>
        CHECKS[key]?.(wanted, result) ?? (key in CHECKS ? undefined : `no check for "${key}"`),
    )
    .filter((complaint) => complaint !== undefined)
}

function namesWith(status: 'fail' | 'not-run', { verdicts }: VerifyOnceResult): readonly string[] {
  return verdicts
    .flatMap(({ tests = [] }) => tests)
    .filter((test) => test.status === status)
    .map(({ name }) => name)
}

/** `[{ "call": "f(1)", "equals": 2 }]` → one test function a check, so that each is reported. */
function testsFromChecks(checks: unknown, path: string): string {
  const module = path.replace(/\.py$/, '').replaceAll('/', '.')
  const parsed = asFilledList(checks).map((check) => {
    const { call, equals: wanted } = asObjectOf(check, ['call', 'equals'])
    const [name] = /^\s*[A-Za-z_]\w*/.exec(asText(call)) ?? []
    if (name === undefined) throw new NotUnderstood(`"${call}" does not start with the name of a function`)
    return { call: asText(call), name: name.trim(), wanted: pythonLiteral(wanted) }
  })
  const names = [...new Set(parsed.map(({ name }) => name))].join(', ')
  const functions = parsed.map(
    ({ call, wanted }, index) => `def test_check_${index + 1}():\n    assert ${call} == ${wanted}\n`,
  )
  return [`from ${module} import ${names}\n`, ...functions].join('\n\n')
}

/** JSON data as Python source. */
function pythonLiteral(value: unknown): string {
  if (value === null) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([key, item]) => `${pythonLiteral(key)}: ${pythonLiteral(item)}`)
      .join(', ')}}`
  }
  // JSON's text is Python's too, but for the escape of characters beyond the basic plane, which stay as they are here.
  return JSON.stringify(value)
}
