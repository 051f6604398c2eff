// rerunFailing: a failing check is run again in restored surroundings, and the verdict says what that showed.
import { subprocess } from '@mendloop/sandbox-subprocess'
import { describe, expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import type { Verdict, Verifier } from '../../src/contract/verify.js'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import { type VerifyOnceResult, verifyOnce } from '../../src/repair/verify-once.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'
import { allOf } from '../../src/verify/combinators.js'
import { unittestTests } from '../../src/verify/python-runners.js'
import { pythonTests } from '../../src/verify/python-tests.js'
import { type RerunFailingOptions, rerunFailing } from '../../src/verify/rerun-failing.js'
import { requires } from '../helpers/requires.js'

const sandbox = subprocess({ minimum: 'process', limits: { wallMs: 30_000 } })
const TIMEOUT = { timeout: 120_000 }

/** Tests of a function that answers 2, each with what it expects. */
const tests = (expected: Readonly<Record<string, number>>): Verifier =>
  pythonTests(
    [
      'from solution import two',
      ...Object.entries(expected).map(([name, value]) => `def test_${name}():\n    assert two() == ${value}`),
    ].join('\n'),
  )

/** A check that is another one in each run; the last stays. */
function inTurn(...checks: readonly Verifier[]): Verifier & { runs: number } {
  const check = {
    name: 'in turn',
    visibility: 'visible' as const,
    runs: 0,
    verify: (context: Parameters<Verifier['verify']>[0]): Promise<Verdict> => {
      const one = checks[Math.min(check.runs++, checks.length - 1)] as Verifier
      return one.verify(context)
    },
  }
  return check
}

const TWO = 'def two():\n    return 2\n'
const judged = (
  verifier: Verifier,
  { program = TWO, ...more }: { program?: string; files?: Record<string, string>; outputs?: string[] } = {},
): Promise<VerifyOnceResult> =>
  verifyOnce({
    candidate: { files: { 'solution.py': program }, entry: 'solution.py' },
    language: 'python',
    verify: [verifier],
    sandbox,
    ...more,
  })

const WRONG = tests({ a: 3, b: 2 })
const RIGHT = tests({ a: 2, b: 2 })

describe.runIf(requires('python3'))('A failing check that is run again', () => {
  test('is deterministic when the same tests fail each time, and the feedback says so', TIMEOUT, async () => {
    const check = inTurn(WRONG)
    const { verdicts, feedback } = await judged(rerunFailing(check, { times: 3 }))

    expect(check.runs).toBe(4)
    expect(verdicts[0]).toMatchObject({
      name: 'in turn',
      status: 'fail',
      integrity: 'separate',
      rerun: { kind: 'deterministic', runs: 4, passed: 0 },
      failures: [{ kind: 'assertion', test: 'test_a' }],
    })
    expect(verdicts[0]?.tests?.some(({ flaky }) => flaky)).toBe(false)
    expect(feedback.split('\n')[0]).toBe(
      'Attempt 1: 0 of 1 checks passed. Failed: in turn (1 of 2 tests passed; deterministic: failed alike in 4 runs of the same program).',
    )
  })

  test(
    'is flaky when a run passes; it fails all the same, and no further run is paid for',
    TIMEOUT,
    async () => {
      const check = inTurn(WRONG, RIGHT)
      const { passed, verdicts, feedback } = await judged(rerunFailing(check, { times: 5 }))

      expect([passed, check.runs]).toEqual([false, 2])
      expect(verdicts[0]).toMatchObject({
        status: 'fail',
        rerun: { kind: 'flaky', runs: 2, passed: 1 },
        tests: [
          { name: 'test_a', status: 'fail', flaky: true },
          { name: 'test_b', status: 'pass' },
        ],
        failures: [{ test: 'test_a' }],
      })
      expect(feedback.split('\n')[0]).toContain('flaky: 1 of 2 runs of the same program passed')
    },
  )

  test(
    'is flaky when other tests fail each time, and the failures of every run are told',
    TIMEOUT,
    async () => {
      const { verdicts, feedback } = await judged(rerunFailing(inTurn(WRONG, tests({ a: 2, b: 4 }))))

      expect(verdicts[0]).toMatchObject({
        status: 'fail',
        rerun: { kind: 'flaky', runs: 2, passed: 0 },
        tests: [
          { name: 'test_a', status: 'fail', flaky: true },
          { name: 'test_b', status: 'fail', flaky: true },
        ],
        failures: [{ test: 'test_a' }, { test: 'test_b' }],
      })
      expect(feedback).toContain('flaky: 2 runs of the same program failed differently')
    },
  )

  test(
    'passes as flaky only where that was asked for by name, and then costs no attempt',
    TIMEOUT,
    async () => {
      const task = { goal: 'Answer 2.', language: 'python', program: { 'solution.py': TWO } }
      const loop = createRepairLoop({ model: scriptedModel([]), sandbox })
      const check = inTurn(WRONG, tests({ a: 3, b: 5 }), RIGHT)
      const result = await loop.run({ ...task, verify: [rerunFailing(check, { flaky: 'pass' })] })

      expect([result.status, result.spent.modelCalls, check.runs]).toEqual(['verified', 0, 3])
      expect(result.attempts[0]?.verdicts[0]).toMatchObject({
        status: 'pass',
        failures: [],
        rerun: { kind: 'flaky', runs: 3, passed: 1 },
        tests: [
          { name: 'test_a', flaky: true },
          { name: 'test_b', flaky: true },
        ],
      })
    },
  )

  test('keeps its mark as part of another check', TIMEOUT, async () => {
    const { verdicts, feedback } = await judged(allOf([rerunFailing(inTurn(WRONG, RIGHT)), RIGHT]))

    expect(verdicts[0]?.tests?.filter(({ flaky }) => flaky).map(({ name }) => name)).toEqual([
      'in turn: test_a',
    ])
    expect(feedback.split('\n')[0]).toContain('3 of 4 tests passed; 1 of them flaky')
  })
})

const LEAVES_TRACES = `import os, unittest
class Traces(unittest.TestCase):
    def test_finds_what_an_earlier_run_left(self):
        found = [p for p in ("new/deep/a.txt", "data/b.txt") if os.path.exists(p)]
        found += [p for p in ("data/in.txt", "state.txt") if open(p).read() != "0"]
        os.makedirs("new/deep", exist_ok=True)
        for path in ("new/deep/a.txt", "data/b.txt", "data/in.txt", "state.txt"):
            open(path, "w").write("1")
        self.assertEqual(len(found), 4)
`

describe.runIf(requires('python3'))('The surroundings of each run', () => {
  test(
    'are what was handed in: no file of an earlier run is left, and none is changed',
    TIMEOUT,
    async () => {
      const check = rerunFailing(unittestTests({ 'test_traces.py': LEAVES_TRACES }))
      const files = { 'data/in.txt': '0', 'state.txt': '0' }
      const { verdicts } = await judged(check, { files, outputs: ['state.txt'] })

      expect(verdicts[0]).toMatchObject({ rerun: { kind: 'deterministic', runs: 3, passed: 0 } })
      expect(verdicts[0]?.failures[0]?.message).toContain('0 != 4')
    },
  )

  test.for<[RerunFailingOptions, number]>([
    [{}, 0],
    [{ flaky: 'pass' }, 1],
  ])(
    'hold a fresh run of a program that had run; with %j the attempt keeps run %i',
    TIMEOUT,
    async ([options, kept]) => {
      const stamps: string[] = []
      const check: Verifier = {
        name: 'second time',
        visibility: 'visible',
        async verify({ run }) {
          stamps.push((await run()).stdout.text.trim())
          return { status: stamps.length === 1 ? 'fail' : 'pass', integrity: 'shared', failures: [] }
        },
      }
      const program =
        'import time\nstamp = str(time.time_ns())\nprint(stamp)\nopen("stamp.txt", "x").write(stamp)\n'
      const { execution, outputs } = await judged(rerunFailing(check, options), {
        program,
        outputs: ['stamp.txt'],
      })

      expect(new Set(stamps).size).toBe(2)
      expect(execution?.stdout.text.trim()).toBe(stamps[kept])
      expect(Buffer.from(outputs['stamp.txt'] ?? []).toString()).toBe(stamps[kept])
    },
  )
})

/** What a run of a check says. */
const says = (status: Verdict['status'], more: Partial<Verdict> = {}): Verifier => ({
  name: status,
  visibility: 'visible',
  verify: async () => ({ status, integrity: 'shared', failures: [], ...more }),
})
const alone = (verifier: Verifier, restore?: () => Promise<boolean>): Promise<Verdict> =>
  verifier.verify({ ...(restore && { restore }) } as never)
const restored = async (): Promise<boolean> => true

describe('rerunFailing', () => {
  test('runs a check once that passes or does not run', async () => {
    for (const status of ['pass', 'not-run'] as const) {
      const check = inTurn(says(status))
      expect(await alone(rerunFailing(check), restored)).toEqual({
        status,
        integrity: 'shared',
        failures: [],
      })
      expect(check.runs).toBe(1)
    }
  })

  test('says nothing of runs that did not decide, or could not be had', async () => {
    const check = rerunFailing(inTurn(says('fail'), says('not-run')))
    expect(await alone(check, restored)).not.toHaveProperty('rerun')
    for (const restore of [undefined, async () => false]) {
      const once = inTurn(says('fail'))
      expect(await alone(rerunFailing(once), restore)).not.toHaveProperty('rerun')
      expect(once.runs).toBe(1)
    }
  })

  test('hands on at once that the sandbox was lost', async () => {
    const check = inTurn(says('fail'), says('not-run', { lost: 'The engine is gone.' }))
    expect(await alone(rerunFailing(check), restored)).toMatchObject({ lost: 'The engine is gone.' })
    expect(check.runs).toBe(2)
  })

  test('tells ends of another sort apart where there are no single tests', async () => {
    const ends = (kind: 'timeout' | 'exception'): Verifier =>
      says('fail', { failures: [{ kind, message: kind, fingerprint: kind }] })
    expect(await alone(rerunFailing(inTurn(ends('timeout'), ends('exception'))), restored)).toMatchObject({
      rerun: { kind: 'flaky', runs: 2, passed: 0 },
      failures: [{ kind: 'timeout' }, { kind: 'exception' }],
    })
  })

  test.for<[unknown, unknown]>([
    [says('pass'), { times: 0 }],
    [says('pass'), { times: 21 }],
    [says('pass'), { times: 1.5 }],
    [says('pass'), { flaky: 'maybe' }],
    [says('pass'), { time: 2 }],
    [{ ...says('pass'), visibility: 'held-out' }, { visibility: 'visible' }],
    [undefined, {}],
    [{ name: 'no check' }, {}],
  ])('refuses %j with %j', ([verifier, options]) => {
    const make = (): Verifier => rerunFailing(verifier as Verifier, options as RerunFailingOptions)
    expect(make).toThrow(expect.toSatisfy((error) => MendloopError.is(error, 'INVALID_OPTION')))
  })
})
