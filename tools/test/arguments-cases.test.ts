// Cases of tool-call arguments: what they hold is read, run and compared, and a lie is found out.
import { expect, test } from 'vitest'
import { requires } from '../../packages/core/test/helpers/requires.js'
import type { CaseOutcome } from '../cases/bug-case.js'
import { runCase } from '../cases/run-case.js'
import { caseMaker } from './helpers/case-of.js'

const makeCase = caseMaker('arguments')

const outcomeOf = (written: unknown, expectations: Record<string, unknown>): Promise<CaseOutcome> =>
  runCase(makeCase({ 'arguments.json': written }, { input: 'arguments.json' }, expectations))

const code = 'print(1)\n'

test.each<[what: string, written: unknown, right: Record<string, unknown>, lie: Record<string, unknown>]>([
  ['code', { code }, { code, warnings: [] }, { code: 'print(2)' }],
  ['warnings', '{"code": "print(1)",}', { warningsInclude: ['trailing-comma-removed'] }, { warnings: [] }],
  ['an error', '{"code": "print("1")"}', { error: true }, { error: false }],
  ['an error by name', '{"code": "print(', { error: 'truncated' }, { error: 'malformed' }],
  ['no error', { code }, { error: false }, { error: 'invalid-arguments' }],
  ['what must never be', { code }, { never: '{}' }, { never: 'print(1)' }],
  ['what must not run', { code }, { mustNotRun: 'print(2)' }, { mustNotRun: true }],
  [
    'alternatives',
    { code },
    { oneOf: [{ error: true }, { code }] },
    { oneOf: [{ error: true }, { code: 'x' }] },
  ],
])('%s', async (_, written, right, lie) => {
  expect(await outcomeOf(written, right)).toEqual({ status: 'passed' })
  expect(await outcomeOf(written, lie)).toMatchObject({ status: 'failed' })
})

test.each([{ error: 'odd' }, { oneOf: [] }, { oneOf: [{ odd: 1 }] }, { never: '' }, {}])(
  'a case that is not understood fails: %j',
  async (expectations) => {
    expect(await outcomeOf({ code }, expectations)).toMatchObject({ status: 'failed' })
  },
)

test.skipIf(!requires('python3'))('the program of the arguments really runs', async () => {
  const run = (runStdout: string): Promise<CaseOutcome> =>
    runCase(makeCase({ a: { code } }, { input: 'a', runStdout }, {}))
  expect(await run('1\n')).toEqual({ status: 'passed' })
  expect(await run('2\n')).toMatchObject({ status: 'failed' })
})
