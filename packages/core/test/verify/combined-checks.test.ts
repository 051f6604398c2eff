// allOf, anyOf and inSequence: three values in, three values out.
import { describe, expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import type { Verdict, Verifier } from '../../src/contract/verify.js'
import { allOf, anyOf, inSequence } from '../../src/verify/combinators.js'
import { exitsCleanly } from '../../src/verify/exits-cleanly.js'
import { newFailure } from '../../src/verify/new-failure.js'
import { unittestTests } from '../../src/verify/python-runners.js'
import { pythonTests } from '../../src/verify/python-tests.js'
import { requires } from '../helpers/requires.js'
import { sharedVerdict } from '../helpers/shared-verdict.js'

type Status = Verdict['status']
const ran: string[] = []

const says = (status: Status, name: string = status): Verifier => ({
  name,
  visibility: 'visible',
  async verify() {
    ran.push(name)
    const failures = status === 'pass' ? [] : [newFailure({ kind: 'custom', message: `${name} says so` })]
    return { status, integrity: 'separate', failures }
  },
})
const throws: Verifier = {
  name: 'throws',
  visibility: 'visible',
  verify: async () => {
    throw new TypeError('broken')
  },
}

/** The verdict without a sandbox: no check here needs one. */
async function verdictOf(verifier: Verifier): Promise<Verdict> {
  ran.length = 0
  const context = {
    candidate: { files: {}, entry: 'a.py' },
    sandbox: { files: { write: async () => undefined } },
  }
  return verifier.verify(context as never)
}

const [P, F, N] = ['pass', 'fail', 'not-run'] as const

describe('A combination', () => {
  test.for<[Status[], Status, Status, Status]>([
    [[P], P, P, P],
    [[F], F, F, F],
    [[N], N, N, N],
    [[P, P], P, P, P],
    [[P, F], F, P, F],
    [[P, N], N, P, N],
    [[F, N], F, N, F],
    [[N, F], F, N, N],
    [[F, P], F, P, F],
    [[N, P], N, P, N],
    [[F, F], F, F, F],
    [[N, N], N, N, N],
  ])('of %j is %s for all, %s for any, %s in sequence', async ([statuses, all, any, sequence]) => {
    const checks = statuses.map((status) => says(status))

    expect((await verdictOf(allOf(checks))).status).toBe(all)
    expect((await verdictOf(anyOf(checks))).status).toBe(any)
    expect((await verdictOf(inSequence(checks))).status).toBe(sequence)
  })

  test('runs no more than it must, and never hides a failure in a pass', async () => {
    await verdictOf(inSequence([says(P, 'a'), says(F, 'b'), says(P, 'c')]))
    expect(ran).toEqual(['a', 'b'])
    const any = await verdictOf(anyOf([says(F, 'a'), says(P, 'b'), says(P, 'c')]))
    expect(ran).toEqual(['a', 'b'])
    expect(any).toMatchObject({ status: 'pass', failures: [], tests: [{ name: 'b', status: 'pass' }] })
    const all = await verdictOf(allOf([says(F, 'a'), says(N, 'b'), says(P, 'c')]))
    expect(ran).toEqual(['a', 'b', 'c'])
    expect(all).toMatchObject({ score: 1 / 3, integrity: 'separate', failures: [{ message: 'a says so' }] })
  })

  test('takes a check that throws, or answers nonsense, for one that did not run', async () => {
    const odd = { ...says(P), verify: async () => ({ status: 'passed' }) as never }
    const contradicts = {
      ...says(P),
      verify: async () => ({ ...(await says(F).verify({} as never)), status: P }),
    }

    for (const one of [throws, odd, contradicts]) {
      expect(await verdictOf(allOf([one, says(P)]))).toMatchObject({ status: N, integrity: 'shared' })
      expect((await verdictOf(anyOf([one, says(F)]))).status).toBe(N)
      expect((await verdictOf(anyOf([one, says(P)]))).status).toBe(P)
    }
  })

  test('passes on that the sandbox was lost or that tests cannot be used', async () => {
    const lost = {
      ...says(N),
      verify: async () => ({ ...(await says(N).verify({} as never)), lost: 'gone', misuse: 'no' }),
    }

    expect(await verdictOf(allOf([says(F), lost]))).toMatchObject({ status: F, lost: 'gone', misuse: 'no' })
  })

  test('is held out when one of its checks is, and cannot show it', () => {
    const hidden: Verifier = { ...says(P), name: 'secret', visibility: 'held-out' }

    expect(allOf([says(P), hidden])).toMatchObject({ visibility: 'held-out', name: 'pass and secret' })
    expect(() => anyOf([hidden], { visibility: 'visible' })).toThrow('would show a check that is held out')
    expect(() => inSequence([])).toThrow(MendloopError)
    expect(() => inSequence([{} as never])).toThrow('must be a list of at least one check')
    expect(() => allOf([says(P)], { visible: true } as never)).toThrow('visible')
  })

  test.runIf(requires('python3'))(
    'shows each check the program as it was handed in',
    { timeout: 60_000 },
    async () => {
      const program = {
        'solution.py': `def f(): return 1
if __name__ == "__main__":
    open("solution.py", "w").write("def f(): return 2\\n")
`,
      }
      const twice = inSequence([exitsCleanly(), pythonTests('from solution import f\nassert f() == 1')])

      expect(await sharedVerdict(twice, program)).toMatchObject({ status: P, integrity: 'shared' })
    },
  )

  test.runIf(requires('python3'))(
    'of two runs of tests writes the files anew over those that the program brings',
    { timeout: 60_000 },
    async () => {
      const source =
        'import unittest\nfrom solution import f\nclass T(unittest.TestCase):\n    def test_f(self): self.assertEqual(f(), 1)\n'
      const check = unittestTests({ 'test_f.py': source })
      const program = (value: number) => ({
        'solution.py': `def f(): return ${value}\n`,
        'test_f.py': 'import unittest\nclass T(unittest.TestCase):\n    def test_f(self): pass\n',
      })

      expect(await sharedVerdict(allOf([check, check]), program(1))).toMatchObject({ status: P })
      expect(await sharedVerdict(allOf([check, check]), program(2))).toMatchObject({
        status: F,
        failures: [
          { actual: '2', expected: '1' },
          { actual: '2', expected: '1' },
        ],
      })
    },
  )
})
