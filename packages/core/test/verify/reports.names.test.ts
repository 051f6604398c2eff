// Names in reports of test runners: as long as a report likes, and cheap to look for.
import { expect, test } from 'vitest'
import { parseJUnit } from '../../src/verify/parse-junit.js'
import { parseTap } from '../../src/verify/parse-tap.js'
import { reportVerdict } from '../../src/verify/report-verdict.js'

test('Names are cut, and both of their ends are kept', () => {
  const long = `test_a[${'x'.repeat(50_000)}]`
  const reads = [
    parseJUnit(`<testsuite><testcase name="${long}"/></testsuite>`),
    parseTap(`ok 1 - ${long.slice(-9000)}\n1..1\n`),
  ]

  for (const read of reads) {
    const name = read.ok ? (read.tests[0]?.name ?? '') : ''
    expect(name).toHaveLength(1000)
    expect(name.endsWith('x]')).toBe(true)
  }
})

test('A name of brackets takes no time to be looked for', () => {
  const text = { text: '', bytes: 0, truncated: false, omittedBytes: 0 }
  const execution = { outcome: { kind: 'exit', code: 0 }, stdout: text, stderr: text } as never
  const named = (name: string) =>
    reportVerdict(
      { execution, report: { ok: true, tests: [{ name, status: 'pass' }] }, expectedTests: ['test_a'] },
      {} as never,
    ).status
  const start = performance.now()

  expect(named('['.repeat(300_000))).toBe('fail')
  expect(performance.now() - start).toBeLessThan(5000)
  expect(named('a.py::test_a[1][2]')).toBe('pass')
  expect(named('not_test_a')).toBe('fail')
})
