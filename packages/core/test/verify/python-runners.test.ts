// pytestTests and unittestTests: what they say of honest programs and of wrong ones.
import { describe, expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import { pytestTests, unittestTests } from '../../src/verify/python-runners.js'
import { PYTEST, RIGHT, runnersHere, WRONG } from '../helpers/python-runners.js'
import { pythonHas, requires } from '../helpers/requires.js'
import { sharedVerdict } from '../helpers/shared-verdict.js'

const TIMEOUT = { timeout: 120_000 }

describe.for(runnersHere())('$name', ({ name, source, check }) => {
  test('passes a right program, with each test by name', TIMEOUT, async () => {
    const verdict = await sharedVerdict(check(source, { expectedTests: 2 }), { 'solution.py': RIGHT })

    expect(verdict).toMatchObject({ status: 'pass', integrity: 'shared', failures: [], score: 1, name })
    expect(verdict.tests?.map((one) => one.name.split('.').at(-1)).sort()).toEqual(['test_even', 'test_odd'])
  })

  test('says what is wrong with a wrong one', TIMEOUT, async () => {
    const verdict = await sharedVerdict(check(source), { 'solution.py': WRONG })

    expect(verdict.status).toBe('fail')
    expect(verdict.failures).toHaveLength(2)
    expect(verdict.failures[0]).toMatchObject({ kind: 'assertion', actual: '7' })
  })

  test('points into the program that raises', TIMEOUT, async () => {
    const program = { 'solution.py': 'def median(xs):\n    return xs.mean()\n' }
    const [failure] = (await sharedVerdict(check(source), program)).failures

    expect(failure).toMatchObject({ kind: 'exception', location: { path: 'solution.py', line: 2 } })
    expect(failure?.message).toContain("'list' object has no attribute 'mean'")
  })

  test('passes an honest program that uses files, threads, prints and its folder', TIMEOUT, async () => {
    const program = `import atexit, os, sys, tempfile, threading, print_me
os.makedirs("data", exist_ok=True)
os.chdir("data")
open("notes.txt", "w").write("x")
atexit.register(lambda: print("bye"))
print("loading", file=sys.stderr)
def median(xs):
    result = []
    def work():
        s = sorted(xs); n = len(s)
        result.append((s[(n - 1) // 2] + s[n // 2]) / 2)
    thread = threading.Thread(target=work); thread.start(); thread.join()
    print("median", result)
    assert sys.stdin.read() == ""
    return result[0]
`
    const files = { 'solution.py': program, 'print_me.py': 'import builtins\nbuiltins.print = print\n' }
    // pytest closes standard input in its own way; the program must not depend on it.
    const tested =
      name === 'pytest' ? { ...files, 'solution.py': program.replace(/ {4}assert sys.*\n/u, '') } : files

    expect(await sharedVerdict(check(source), tested)).toMatchObject({ status: 'pass', failures: [] })
  })

  test('wants the number of tests that was told', TIMEOUT, async () => {
    const verdict = await sharedVerdict(check(source, { expectedTests: 3 }), { 'solution.py': RIGHT })

    expect(verdict).toMatchObject({
      status: 'fail',
      failures: [
        { kind: 'early-exit', message: expect.stringContaining('3 tests should have run, and 2 did') },
      ],
    })
  })

  test('wants the tests that were named', TIMEOUT, async () => {
    const verdict = await sharedVerdict(check(source, { expectedTests: ['test_odd', 'test_none'] }), {
      'solution.py': RIGHT,
    })

    expect(verdict.failures[0]?.message).toBe('Tests that should have run did not: test_none.')
  })

  test('cannot use tests that do not parse, and blames nobody', TIMEOUT, async () => {
    const judging = sharedVerdict(check('def test_a(:\n'), { 'solution.py': RIGHT })

    await expect(judging).rejects.toThrow('test_median.py does not parse')
  })

  test('says that a test which hangs had no end', TIMEOUT, async () => {
    const program = { 'solution.py': 'def median(xs):\n    while True: pass\n' }
    const verdict = await sharedVerdict(check(source, { limits: { wallMs: 4000 } }), program)

    expect(verdict).toMatchObject({ status: 'fail', failures: [{ kind: 'timeout' }] })
  })
})

describe.runIf(requires('python3') && pythonHas('pytest', { isolated: true }))('With pytest', () => {
  test('skips and expected failures count as with pythonTests', TIMEOUT, async () => {
    const source = `import pytest
from solution import median
@pytest.mark.skip(reason="later")
def test_skipped(): assert False
@pytest.mark.xfail
def test_known(): assert median([1]) == 5
@pytest.mark.parametrize("n", [1, 2])
def test_each(n): assert median([n]) == n
def test_inner():
    pytest.skip("no network")
`
    const verdict = await sharedVerdict(pytestTests({ 'test_median.py': source }), { 'solution.py': RIGHT })

    expect(verdict).toMatchObject({ status: 'pass', failures: [] })
    expect(verdict.tests?.map(({ name, status }) => [name, status])).toEqual([
      ['test_skipped', 'not-run'],
      ['test_known', 'pass'],
      ['test_each[1]', 'pass'],
      ['test_each[2]', 'pass'],
      ['test_inner', 'not-run'],
    ])
  })

  test('nothing but skips is no pass and no failure', TIMEOUT, async () => {
    const source = 'import pytest\n@pytest.mark.skip(reason="later")\ndef test_a(): pass\n'
    const verdict = await sharedVerdict(pytestTests({ 'test_a.py': source }), { 'solution.py': RIGHT })

    expect(verdict).toMatchObject({
      status: 'not-run',
      failures: [{ message: 'No test ran: all were skipped: test_a (Skipped: later).' }],
    })
  })

  test('a conftest and a configuration that were handed in are in force', TIMEOUT, async () => {
    const files = {
      'tests/conftest.py': 'import pytest\n@pytest.fixture\ndef numbers(): return [3, 1, 2]\n',
      'pytest.ini': '[pytest]\npython_functions = check_*\n',
      'tests/test_median.py':
        'from solution import median\ndef check_it(numbers): assert median(numbers) == 2\n',
    }
    const verdict = await sharedVerdict(pytestTests(files, { expectedTests: ['check_it'] }), {
      'solution.py': RIGHT,
    })

    expect(verdict).toMatchObject({ status: 'pass' })
  })

  test('what the program left is back for the next check', TIMEOUT, async () => {
    const check = pytestTests({ 'test_median.py': PYTEST })
    const seen: string[] = []
    const verifier = {
      ...check,
      verify: async (context: Parameters<typeof check.verify>[0]) => {
        const verdict = await check.verify(context)
        seen.push(...(await context.sandbox.files.list()).map(({ path }) => path))
        return verdict
      },
    }
    await sharedVerdict(verifier, { 'solution.py': RIGHT, 'conftest.py': 'x = 1\n' })

    expect(seen).toEqual(expect.arrayContaining(['conftest.py', 'solution.py', 'test_median.py']))
    expect(seen.filter((path) => path.startsWith('.mendloop'))).toEqual([])
  })
})

describe.runIf(requires('python3'))('With unittest', () => {
  test('skips, expected failures and subtests count as with pythonTests', TIMEOUT, async () => {
    const source = `import unittest
from solution import median
class T(unittest.TestCase):
    @unittest.skip("later")
    def test_a(self): self.fail()
    @unittest.expectedFailure
    def test_b(self): self.assertEqual(median([1]), 5)
    def test_c(self):
        for n in (1, 2):
            with self.subTest(n=n): self.assertEqual(median([n]), n)
class U(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("no network")
    def test_d(self): self.fail()
`
    const verdict = await sharedVerdict(unittestTests({ 'test_median.py': source }), { 'solution.py': RIGHT })

    expect(verdict).toMatchObject({ status: 'pass', failures: [] })
    expect(verdict.tests?.slice(0, 3).map(({ name, status }) => [name, status])).toEqual([
      ['T.test_a', 'not-run'],
      ['T.test_b', 'pass'],
      ['T.test_c', 'pass'],
    ])
  })
})

describe('What cannot be used is refused', () => {
  test.for([
    [() => pytestTests({}), 'must hold a file of tests'],
    [() => pytestTests('def test_a(): pass' as never), 'must be test files by path'],
    [() => pytestTests({ 'conftest.py': '' }), 'must hold a file of tests'],
    [() => unittestTests({ '../test_a.py': '' }), 'leaves the workspace'],
    [() => unittestTests({ 'test_a.py': '' }, { expectedTests: 0 }), 'must be how many tests there are'],
    [() => pytestTests({ 'test_a.py': '' }, { nam: 'x' } as never), 'did you mean "name"?'],
  ] as const)('%s', ([make, message]) => {
    expect(make).toThrow(MendloopError)
    expect(make).toThrow(message)
  })
})
