// What pythonTests says: statuses, tests by name, and failures that a model can act on.
import { describe, expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import type { Outcome } from '../../src/contract/execution.js'
import type { VerifyContext } from '../../src/contract/verify.js'
import { type PythonTestsOptions, pythonTests } from '../../src/verify/python-tests.js'
import { verdictOn } from '../helpers/local-sandbox.js'
import { requires } from '../helpers/requires.js'

const judged = (program: string | Record<string, string>, tests: string, options?: PythonTestsOptions) =>
  verdictOn(pythonTests(tests, options), program)

const MEDIAN = 'def median(xs):\n    s = sorted(xs)\n    return s[len(s) // 2]\n'

describe.runIf(requires('python3'))('Tests', () => {
  const SUITE = `
import unittest
from solution import median
assert median([1]) == 1
def test_one(): assert median([1]) == 1
def helper(): raise ValueError
async def test_two(): assert median([1, 1]) == 1
class TestThings:
    def setup_method(self): self.xs = [1]
    def test_three(self): assert median(self.xs) == 1
class Cases(unittest.TestCase):
    def test_b(self): self.assertEqual(median([1]), 1)
    def test_a(self): self.assertEqual(median([1]), 2)
    @unittest.skip('later')
    def test_c(self): raise ValueError
if __name__ == '__main__':
    unittest.main()
`
  test('are reported by name, in the order of the source', async () => {
    const verdict = await judged(MEDIAN, SUITE, { name: 'median' })

    expect(verdict.tests?.map(({ name, status }) => [name, status])).toEqual([
      ['median', 'pass'],
      ['test_one', 'pass'],
      ['test_two', 'pass'],
      ['TestThings.test_three', 'pass'],
      ['Cases.test_b', 'pass'],
      ['Cases.test_a', 'fail'],
      ['Cases.test_c', 'not-run'],
    ])
    expect(verdict.score).toBeCloseTo(5 / 7)
    expect(verdict.tests?.every(({ durationMs }) => durationMs !== undefined)).toBe(true)
  })

  test('that are expected and missing fail the check', async () => {
    const verdict = await judged(
      MEDIAN,
      'from solution import median\ndef test_one(): assert median([1]) == 1',
      {
        expectedTests: ['test_one', 'test_two'],
      },
    )

    expect(verdict.status).toBe('fail')
    expect(verdict.failures[0]?.message).toBe('Tests that should have run did not: test_two.')
  })

  test.for([
    ['def helper(): pass', 'No test was found'],
    ['"""Only words."""', 'No test was found'],
    [
      'import unittest\nclass T(unittest.TestCase):\n    @unittest.skip("")\n    def test_it(self): pass',
      'No test ran: all were skipped.',
    ],
    ['assert median([1]) ==', 'the tests do not parse'],
    ['import nose\ndef test_it(): pass', 'import nose, which is not installed'],
  ] as const)('such as %j are no pass, and nobody is blamed', async ([tests, message]) => {
    const verdict = await judged(MEDIAN, tests)

    expect(verdict.status).toBe('not-run')
    expect(verdict.failures[0]?.message).toContain(message)
  })

  test('that need what only pytest could give say so', async () => {
    const verdict = await judged(MEDIAN, 'def test_it(tmp_path):\n    assert tmp_path')

    expect(verdict.failures[0]?.message).toContain(
      'test_it takes arguments (tmp_path), which only pytest could fill in',
    )
  })

  test.for([
    ['def test_it():\n    yield 1\n    assert False', 'test_it is a generator, so none of it would run'],
    ['def test_it(tmp_path): assert tmp_path', 'which only pytest could fill in'],
    ['class TestIt:\n    def test_it(self, tmp_path): assert tmp_path', 'which only pytest could fill in'],
    [
      'import threading\ntry: median(threading.Lock())\nexcept TypeError: pass',
      'cannot pass lock to the program',
    ],
    ['import solution\nclass Mine(solution.Base): pass', 'derive Mine from a class of the program'],
    [
      'import unittest\nclass T(unittest.TestCase):\n    async def test_it(self): assert 0',
      'none of it would run',
    ],
    ['assert 1 =', 'do not parse'],
  ] as const)('such as %j cannot be used, which is not the program’s fault', async ([tests, reason]) => {
    const verdict = await judged(`class Base: pass\n${MEDIAN}`, `from solution import median\n${tests}`)

    expect(verdict).toMatchObject({ status: 'not-run', misuse: expect.stringContaining(reason) })
    expect(verdict.failures[0]?.message).toBe(verdict.misuse)
  })

  test('are all reported, however little the program may print', async () => {
    const many = Array.from({ length: 9000 }, (_, index) => `def test_${index}(): assert median([1]) == 1`)
    const verdict = await judged(MEDIAN, `from solution import median\n${many.join('\n')}`, {
      limits: { outputBytes: 1024, wallMs: 60_000 },
    })

    expect(verdict.status).toBe('pass')
    expect(verdict.tests).toHaveLength(9000)
  }, 60_000)

  test('count comparisons that the program itself decided', async () => {
    const program =
      'class Point:\n    def __init__(self, x): self.x = x\n    def __eq__(self, other): return self.x == other.x\n'
    const verdict = await judged(program, 'from solution import Point\nassert Point(1) == Point(1)')

    expect(verdict).toMatchObject({ status: 'pass', weakComparisons: 1 })
  })

  test('can use other files of the task', async () => {
    const verdict = await verdictOn(
      pythonTests('from helpers import twice\nassert twice(2) == 4\nassert open("data.txt").read() == "d"'),
      MEDIAN,
      {
        taskFiles: { 'helpers.py': 'def twice(x): return 2 * x\n', 'data.txt': 'd' },
      },
    )

    expect(verdict.status).toBe('pass')
  })

  test('are judged on the text of the candidate, whatever lies in the workspace', async () => {
    const verdict = await verdictOn(
      pythonTests('from solution import f\nassert f() == 2'),
      'def f(): return 1\n',
      {
        before: ({ sandbox }) =>
          sandbox.files.write({
            'solution.py': 'def f(): return 2\n',
            'solution/__init__.py': 'def f(): return 2\n',
          }),
      },
    )

    expect(verdict.status).toBe('fail')
  })
})

describe.runIf(requires('python3'))('Time', () => {
  test('that runs out names the test and the call', async () => {
    const tests =
      'from solution import f\ndef test_fast(): assert f(0) == 0\ndef test_slow(): assert f(9) == 9\ndef test_never(): pass'
    const verdict = await judged('def f(x):\n    while x: pass\n    return x\n', tests, {
      limits: { wallMs: 4000 },
      expectedTests: ['test_never'],
    })

    expect(verdict.status).toBe('fail')
    expect(verdict.failures[0]).toMatchObject({
      kind: 'timeout',
      test: 'test_slow',
      input: 'f(9)',
      message:
        'The tests had not ended after 4000 ms of wall-clock time and were stopped during test_slow in f(9).',
    })
    expect(verdict.tests?.map(({ name, status }) => [name, status])).toEqual([
      ['test_fast', 'pass'],
      ['test_slow', 'fail'],
      ['test_never', 'not-run'],
    ])
  })
})

describe.runIf(requires('python3'))('A slow call', () => {
  test('with an object of the program among its arguments can still answer', async () => {
    const program =
      'import time\nclass Box: pass\ndef f(boxes, label):\n    time.sleep(0.8)\n    return len(boxes)\n'
    const tests =
      'from solution import Box, f\nassert f([Box(), Box()], "x") == 2\nassert f([Box()], "x") == 2'
    const verdict = await judged(program, tests)

    expect(verdict).toMatchObject({ status: 'fail' })
    expect(verdict.failures[0]).toMatchObject({ kind: 'assertion', expected: '2', actual: '1' })
  })
})

describe('Without a judge', () => {
  const contextWith = (outcome: Outcome, stderr = ''): VerifyContext => {
    const empty = { text: '', bytes: 0, truncated: false, omittedBytes: 0 }
    const exec: VerifyContext['exec'] = async () =>
      ({
        outcome,
        ok: false,
        stdout: empty,
        stderr: { ...empty, text: stderr },
        durationMs: 1,
        usage: {},
        changes: [],
      }) as never
    return {
      candidate: { files: { 'solution.py': MEDIAN }, entry: 'solution.py' },
      language: 'python',
      sandbox: { workdir: '/w' } as never,
      run: () => exec('', {}),
      exec,
      signal: new AbortController().signal,
    }
  }
  const verifier = pythonTests('assert True')

  test('a lost sandbox is nobody’s failure', async () => {
    expect(await verifier.verify(contextWith({ kind: 'lost', cause: 'engine gone' }))).toMatchObject({
      status: 'not-run',
      lost: 'engine gone',
    })
  })

  test('a missing python3 is reported as lost, with what the shell said', async () => {
    const verdict = await verifier.verify(contextWith({ kind: 'exit', code: 127 }, 'python3: not found\n'))

    expect(verdict).toMatchObject({ status: 'not-run' })
    expect(verdict.lost).toContain('exit code 127: python3: not found')
  })

  test('an abort is no verdict', async () => {
    expect(await verifier.verify(contextWith({ kind: 'aborted' }))).toMatchObject({ status: 'not-run' })
  })

  test('a program in another language is not judged', async () => {
    const verdict = await verifier.verify({ ...contextWith({ kind: 'aborted' }), language: 'rust' })

    expect(verdict.failures[0]?.message).toContain('not one in rust')
  })
})

test.for([
  [() => pythonTests(''), 'pythonTests(): option "source": must be the text of the tests'],
  [() => pythonTests('x', { expectedTest: [] } as never), 'did you mean "expectedTests"?'],
  [() => pythonTests('x', { limits: { wallMs: -1 } }), 'limits.wallMs'],
  [() => pythonTests('x', { visibility: 'hidden' } as never), 'visibility'],
] as const)('Wrong options are refused with a sentence: %s', ([make, message]) => {
  expect(make).toThrow(MendloopError)
  expect(make).toThrow(message)
})
