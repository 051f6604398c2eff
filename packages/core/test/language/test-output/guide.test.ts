// Quoted by docs/languages.md: a log as a CI service keeps it, read into tests and failures.
import { readTestOutput } from '@mendloop/core'
import { expect, test } from 'vitest'

const log = `
2026-03-02T10:00:01.0000000Z ##[group]Run pytest -q --tb=short
2026-03-02T10:00:01.0000000Z ##[endgroup]
2026-03-02T10:00:02.0000000Z .F                                                                       [100%]
2026-03-02T10:00:02.0000000Z =================================== FAILURES ===================================
2026-03-02T10:00:02.0000000Z ________________________________ test_mean[two] ________________________________
2026-03-02T10:00:02.0000000Z tests/test_mean.py:9: in test_mean
2026-03-02T10:00:02.0000000Z     assert mean(values) == wanted
2026-03-02T10:00:02.0000000Z E   assert 1 == 1.5
2026-03-02T10:00:02.0000000Z E    +  where 1 = mean([1, 2])
2026-03-02T10:00:02.0000000Z =========================== short test summary info ============================
2026-03-02T10:00:02.0000000Z FAILED tests/test_mean.py::test_mean[two] - assert 1 == 1.5
2026-03-02T10:00:02.0000000Z 1 failed, 1 passed in 0.02s
2026-03-02T10:00:02.0000000Z ##[error]Process completed with exit code 1.
`

test('a failing test in a log of GitHub Actions', () => {
  const output = readTestOutput(log)
  expect(output?.runner).toBe('pytest')
  expect(output?.tests).toEqual([{ name: 'test_mean[two]', file: 'tests/test_mean.py', status: 'fail' }])
  const [failure] = output?.failures ?? []
  expect(failure?.location).toEqual({ path: 'tests/test_mean.py', line: 9 })
  expect([failure?.input, failure?.expected, failure?.actual]).toEqual(['mean(values)', '1.5', '1'])
})
