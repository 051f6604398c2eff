import { expect, test } from 'vitest'
import type { Guarantees } from '../../../src/contract/sandbox.js'
import type { ConformanceReport } from '../../../src/testing/conformance/conformance-case.js'
import {
  conformanceMarkdown,
  guaranteesMatrix,
} from '../../../src/testing/conformance/conformance-markdown.js'
import { NOTHING_ENFORCED } from '../../../src/testing/nothing-enforced.js'

const plain: Guarantees = NOTHING_ENFORCED

test('the matrix has a row for each property and a column for each sandbox', () => {
  const walled: Guarantees = { ...plain, isolation: 'container', network: 'denied' }
  const text = guaranteesMatrix([
    { name: 'plain', guarantees: plain },
    { name: 'walled | in', guarantees: walled },
  ])
  expect(text.split('\n').slice(0, 4)).toEqual([
    '|  | plain | walled \\| in |',
    '| --- | --- | --- |',
    '| isolation | process | container |',
    '| network | host | denied |',
  ])
  expect(text.split('\n')).toHaveLength(2 + Object.keys(plain).length)
})

test('a report tells each promise with a sign, and in words what was broken or not probed', () => {
  const report: ConformanceReport = {
    provider: 'plain',
    guarantees: plain,
    results: [
      { name: 'keeps one', group: 'files', status: 'passed', durationMs: 1 },
      { name: 'keeps two', group: 'files', status: 'failed', reason: 'it did\nnot', durationMs: 1 },
      { name: 'keeps three', group: 'walls', status: 'skipped', reason: 'not claimed', durationMs: 0 },
    ],
    passed: 1,
    failed: 1,
    skipped: 1,
  }
  const text = conformanceMarkdown([{ name: 'plain', report }])
  expect(text).toContain('| isolation | process |')
  expect(text).toContain('| files | keeps one | ✓ |\n| files | keeps two | ✗ |\n| walls | keeps three | – |')
  expect(text).toContain('**plain**, ✗:\n\n- keeps two: it did not')
  expect(text).toContain('**plain**, –:\n\n- keeps three: not claimed')
})
