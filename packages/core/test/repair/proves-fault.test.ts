// provesFault: a generated test counts when the old program fails it for the right reason, and only then.
import { subprocess } from '@mendloop/sandbox-subprocess'
import { describe, expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import type { Verdict, Verifier } from '../../src/contract/verify.js'
import { type FaultProof, type ProvesFaultInput, provesFault } from '../../src/repair/proves-fault.js'
import { exitsCleanly } from '../../src/verify/exits-cleanly.js'
import { pytestTests, unittestTests } from '../../src/verify/python-runners.js'
import { pythonTests } from '../../src/verify/python-tests.js'
import { pythonHas, requires } from '../helpers/requires.js'

const sandbox = subprocess({ minimum: 'process', limits: { wallMs: 30_000 } })
const TIMEOUT = { timeout: 120_000 }

const OLD = `def mean(xs):
    assert not isinstance(xs, str), "no texts"
    return sum(xs) // len(xs)
`
const proof = (test: Verifier, more: Partial<ProvesFaultInput> = {}): Promise<FaultProof> =>
  provesFault({
    test,
    program: { files: { 'solution.py': OLD }, entry: 'solution.py' },
    language: 'python',
    sandbox,
    ...more,
  })

/** The same statements for each runner. */
const runners: readonly (readonly [name: string, check: (body: string) => Verifier])[] = [
  ['pythonTests', (body) => pythonTests(`from solution import mean\n\ndef test_mean():\n    ${body}\n`)],
  [
    'pytestTests',
    (body) =>
      pytestTests({
        'test_mean.py': `import pytest\nfrom solution import mean\n\ndef test_mean():\n    ${body}\n`,
      }),
  ],
  [
    'unittestTests',
    (body) =>
      unittestTests({
        'test_mean.py': `import unittest\nfrom solution import mean\n\nclass Mean(unittest.TestCase):\n    def test_mean(self):\n        ${body}\n`,
      }),
  ],
]
const IN_VAIN: Readonly<Record<string, string>> = {
  pythonTests: pythonHas('pytest', { isolated: true })
    ? 'import pytest; pytest.raises(ValueError, mean, [1])'
    : 'import unittest; unittest.TestCase().assertRaises(ValueError, mean, [1])',
  pytestTests: 'pytest.raises(ValueError, mean, [1])',
  unittestTests: 'self.assertRaises(ValueError, mean, [1])',
}
const here = runners.filter(
  ([name]) => requires('python3') && (name !== 'pytestTests' || pythonHas('pytest', { isolated: true })),
)

describe.for(here)('A test for %s', ([name, check]) => {
  test('counts when an assertion of its own fails', TIMEOUT, async () => {
    const { proved, finding, message, verdict } = await proof(check('assert mean([1, 2]) == 1.5'))

    expect([proved, finding]).toEqual([true, 'fault'])
    expect(message).toContain('for the right reason')
    expect(verdict).toMatchObject({ status: 'fail', rerun: { kind: 'deterministic', runs: 2 } })
  })

  test('counts when it waits in vain for an exception', TIMEOUT, async () => {
    expect(await proof(check(IN_VAIN[name] ?? ''))).toMatchObject({ proved: true, finding: 'fault' })
  })

  test('does not count when the old program passes it', TIMEOUT, async () => {
    expect(await proof(check('assert mean([1, 3]) == 2'))).toMatchObject({
      proved: false,
      finding: 'no-fault',
    })
  })

  test('counts by an exception only when that is the reason that was named', TIMEOUT, async () => {
    const empty = check('assert mean([]) == 0')

    expect(await proof(empty)).toMatchObject({ proved: false, finding: 'wrong-reason' })
    expect(await proof(empty, { reason: 'ZeroDivisionError' })).toMatchObject({ finding: 'fault' })
    expect(await proof(empty, { reason: /ZeroDivisionError.*zero/gy })).toMatchObject({ finding: 'fault' })
    expect(await proof(empty, { reason: 'TypeError' })).toMatchObject({ finding: 'wrong-reason' })
  })

  test.for<[string, string, FaultProof['finding'], string]>([
    ['a name that it does not have', 'assert meen([1, 2]) == 1.5', 'wrong-reason', 'NameError'],
    ['a module that is not there', 'import solution_2; assert mean([1, 2]) == 1.5', 'wrong-reason', ''],
    ['a function that is not there', 'from solution import median', 'wrong-reason', 'median'],
    ['a text that is no Python', 'assert mean([1, 2] == 1.5', 'unusable', ''],
    ['an assertion of the program', 'assert mean("12") == 1.5', 'wrong-reason', 'no texts'],
  ])('does not count that fails by %s', TIMEOUT, async ([, body, finding, words]) => {
    const found = await proof(check(body))

    expect([found.proved, found.finding]).toEqual([false, finding])
    expect(found.message).toContain(words)
  })
})

describe.runIf(requires('python3'))('A generated test', () => {
  test('counts only when none of its parts is broken', TIMEOUT, async () => {
    const parts = ['assert mean([1, 2]) == 1.5', 'assert meen([1]) == 1', 'assert mean([2]) == 2']
    const source = parts.map((body, index) => `def test_${index}():\n    ${body}`).join('\n')

    expect(await proof(pythonTests(`from solution import mean\n${source}`))).toMatchObject({
      proved: false,
      finding: 'wrong-reason',
    })
  })

  test('never counts by an import that fails, whatever the reason that was named', TIMEOUT, async () => {
    const check = pythonTests('from solution import median\nassert median([1]) == 1')

    expect(await proof(check, { reason: 'median' })).toMatchObject({
      proved: false,
      finding: 'wrong-reason',
    })
  })

  test('is flaky when it fails in one run and passes in the next', TIMEOUT, async () => {
    let runs = 0
    const checks = ['1.5', '1'].map((value) =>
      pythonTests(`from solution import mean\nassert mean([1, 2]) == ${value}`),
    )
    const check: Verifier = {
      name: 'in turn',
      visibility: 'held-out',
      verify: (context): Promise<Verdict> => (checks[runs++ % 2] as Verifier).verify(context),
    }
    const { proved, finding, message } = await proof(check)

    expect([proved, finding]).toEqual([false, 'flaky'])
    expect(message).toContain('did not fail alike in 2 runs')
  })

  test('that does not run is no proof', TIMEOUT, async () => {
    const skips = pythonTests(
      'import unittest\nclass T(unittest.TestCase):\n    @unittest.skip("later")\n    def test_a(self): pass',
    )
    expect(await proof(skips)).toMatchObject({ proved: false, finding: 'not-run' })
    const throws: Verifier = {
      name: 'throws',
      visibility: 'visible',
      verify: async () => {
        throw new TypeError('broken')
      },
    }
    expect(await proof(throws)).toMatchObject({ proved: false, finding: 'not-run' })
  })
})

test.for<[Record<string, unknown>, string]>([
  [{ test: undefined }, 'test'],
  [{ program: {} }, 'program'],
  [{ reason: '' }, 'reason'],
  [{ reason: 1 }, 'reason'],
  [{ times: 0 }, 'times'],
  [{ verify: [exitsCleanly()] }, 'verify'],
  [{ sandbox: {} }, 'sandbox'],
])('provesFault refuses %j', async ([wrong, option]) => {
  const error = await proof(exitsCleanly(), wrong as never).catch((thrown: unknown) => thrown)

  expect(MendloopError.is(error, 'INVALID_OPTION')).toBe(true)
  expect((error as Error).message).toContain(option)
})
