// Tests that are not run, or are expected to fail: one rule for unittest and pytest, for functions, methods and classes.
import { describe, expect, test } from 'vitest'
import type { TestReport, Verdict } from '../../src/contract/verify.js'
import { type PythonTestsOptions, pythonTests } from '../../src/verify/python-tests.js'
import { verdictOn } from '../helpers/local-sandbox.js'
import { pythonHas, requires } from '../helpers/requires.js'

const IMPORTS = 'from solution import f\nimport sys, unittest\n'
const WITH_PYTEST = `${IMPORTS}import pytest\n`
const RIGHT = 'def f(x): return x\n'

const judged = (tests: string, options?: PythonTestsOptions, program = RIGHT): Promise<Verdict> =>
  verdictOn(pythonTests(tests, options), program)

/** Each test as its name, its status and, where there is one, its reason. */
const told = ({ tests = [] }: Verdict): unknown[] =>
  tests.map(({ name, status, reason }: TestReport & { reason?: string }) =>
    [name, status, reason].filter((part) => part !== undefined),
  )

const PASSING = 'def test_passes(): assert f(1) == 1\n'
const SKIPPED = [
  ['test_passes', 'pass'],
  ['test_skipped', 'not-run', 'later'],
]
const METHOD = '    def test_skipped(self): assert f(1) == 2\n'

type Case = readonly [tests: string, tests: readonly (readonly string[])[]]

const BY_UNITTEST: readonly Case[] = [
  ['@unittest.skip("later")\ndef test_skipped(): assert 0', SKIPPED],
  ['@unittest.skipIf(True, "later")\ndef test_skipped(): assert 0', SKIPPED],
  ['@unittest.skipUnless(False, "later")\ndef test_skipped(): assert 0', SKIPPED],
  ['def test_skipped(): raise unittest.SkipTest("later")', SKIPPED],
  [`class TestIt:\n    @unittest.skip("later")\n${METHOD}`, methods('TestIt')],
  [`@unittest.skip("later")\nclass TestIt:\n${METHOD}`, methods('TestIt')],
  [
    `class TestIt:\n    def setup_method(self): raise unittest.SkipTest("later")\n${METHOD}`,
    methods('TestIt'),
  ],
  [`class It(unittest.TestCase):\n    @unittest.skip("later")\n${METHOD}`, methods('It')],
  [`@unittest.skip("later")\nclass It(unittest.TestCase):\n${METHOD}`, methods('It')],
  [`class It(unittest.TestCase):\n    def setUp(self): self.skipTest("later")\n${METHOD}`, methods('It')],
  [
    `class It(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls): raise unittest.SkipTest("later")\n${METHOD}`,
    methods('It'),
  ],
]

const BY_PYTEST: readonly Case[] = [
  ['@pytest.mark.skip("later")\ndef test_skipped(): assert 0', SKIPPED],
  ['@pytest.mark.skip(reason="later")\ndef test_skipped(tmp_path): assert 0', SKIPPED],
  ['@pytest.mark.skipif(True, reason="later")\ndef test_skipped(): assert 0', SKIPPED],
  ['@pytest.mark.skipif("sys.maxsize > 1", reason="later")\ndef test_skipped(): assert 0', SKIPPED],
  ['@pytest.mark.xfail(run=False, reason="later")\ndef test_skipped(): assert 0', SKIPPED],
  ['def test_skipped(): pytest.skip("later")', SKIPPED],
  ['def test_skipped(): pytest.xfail("later")', SKIPPED],
  ['def test_skipped(): pytest.importorskip("no_such_module", reason="later")', SKIPPED],
  [`class TestIt:\n    @pytest.mark.skip("later")\n${METHOD}`, methods('TestIt')],
  [`class TestIt:\n    pytestmark = pytest.mark.skip("later")\n${METHOD}`, methods('TestIt')],
  [`@pytest.mark.skip("later")\nclass TestIt:\n${METHOD}`, methods('TestIt')],
  [
    `@pytest.mark.skip("later")\nclass It(unittest.TestCase):\n    def setUpClass(): assert 0\n${METHOD}`,
    methods('It'),
  ],
  [`class It(unittest.TestCase):\n    @pytest.mark.skip("later")\n${METHOD}`, methods('It')],
  [`class It(unittest.TestCase):\n    def setUp(self): pytest.skip("later")\n${METHOD}`, methods('It')],
  [
    `class It(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls): pytest.skip("later")\n${METHOD}`,
    methods('It'),
  ],
  ['@pytest.mark.skipif(False, reason="never")\ndef test_too(): assert f(2) == 2', passes('test_too')],
  ['@pytest.mark.xfail\ndef test_too(): assert f(2) == 1', passes('test_too')],
  ['@pytest.mark.xfail\ndef test_too(): assert f(2) == 2', passes('test_too')],
  ['@pytest.mark.xfail(raises=AssertionError)\ndef test_too(): assert f(2) == 1', passes('test_too')],
  ['@pytest.mark.xfail(False, reason="", strict=True)\ndef test_too(): assert f(2) == 2', passes('test_too')],
  [
    'class It(unittest.TestCase):\n    @pytest.mark.xfail\n    def test_too(self): assert f(2) == 1',
    passes('It.test_too'),
  ],
]

function methods(owner: string): readonly (readonly string[])[] {
  return [
    ['test_passes', 'pass'],
    [`${owner}.test_skipped`, 'not-run', 'later'],
  ]
}

function passes(name: string): readonly (readonly string[])[] {
  return [
    ['test_passes', 'pass'],
    [name, 'pass'],
  ]
}

describe.runIf(requires('python3'))('A test that is skipped', () => {
  test.concurrent.for(BY_UNITTEST)(
    'is not run, and the rest decides: %s',
    { timeout: 60_000 },
    async ([tests, expected]) => {
      const verdict = await judged(`${IMPORTS}${PASSING}${tests}`)

      expect(verdict).toMatchObject({ status: 'pass', failures: [] })
      expect(told(verdict)).toEqual(expected)
    },
  )

  test.concurrent.for([
    '@unittest.skip("later")\ndef test_it(): pass',
    'def test_it(): raise unittest.SkipTest("later")',
    'raise unittest.SkipTest("later")\ndef test_it(): pass',
    'x = f(1)\n@unittest.skip("later")\ndef test_it(): pass',
    'sys.path.insert(0, ".")\n@unittest.skip("later")\ndef test_it(): pass',
    'if sys.maxsize > 1: raise unittest.SkipTest("later")\ndef test_it(): pass',
  ])('is no pass by itself: %s', { timeout: 60_000 }, async (tests) => {
    const verdict = await judged(`${IMPORTS}${tests}`)

    expect(verdict).toMatchObject({ status: 'not-run', tests: [{ name: 'test_it', status: 'not-run' }] })
    expect(verdict.failures[0]?.message).toBe('No test ran: all were skipped: test_it (later).')
    expect(verdict.misuse).toBeUndefined()
  })

  test('and was expected fails the check, with its reason', async () => {
    const tests = `${IMPORTS}${PASSING}@unittest.skip("later")\ndef test_it(): pass`
    const verdict = await judged(tests, { expectedTests: ['test_it'] })

    expect(verdict.status).toBe('fail')
    expect(verdict.failures[0]?.message).toBe('Tests that should have run did not: test_it (later).')
  })

  test('in a part of it hides no failure of another part', async () => {
    const body = `
class It(unittest.TestCase):
    def test_it(self):
        with self.subTest('a'): self.skipTest('later')
        with self.subTest('b'): self.assertEqual(f(1), 2)
`
    expect(await judged(`${IMPORTS}${PASSING}${body}`)).toMatchObject({ status: 'fail' })
  })
})

describe.runIf(requires('python3') && pythonHas('pytest', { isolated: true }))('With pytest, a test', () => {
  test.concurrent.for(BY_PYTEST)(
    'does as its mark says: %s',
    { timeout: 60_000 },
    async ([tests, expected]) => {
      const verdict = await judged(`${WITH_PYTEST}${PASSING}${tests}`)

      expect(verdict).toMatchObject({ status: 'pass', failures: [] })
      expect(told(verdict)).toEqual(expected)
    },
  )

  test.concurrent.for([
    'pytestmark = pytest.mark.skip("later")\ndef test_it(): assert f(1) == 1',
    'pytestmark = [pytest.mark.skipif(True, reason="later")]\ndef test_it(): assert f(1) == 1',
    'pytest.skip("later", allow_module_level=True)\ndef test_it(): pass',
    'pytest.importorskip("no_such_module", reason="later")\ndef test_it(): pass',
    '@pytest.mark.skip("later")\ndef test_it(): assert f(1) == 1',
  ])('that is skipped is no pass by itself: %s', { timeout: 60_000 }, async (tests) => {
    const verdict = await judged(`${WITH_PYTEST}${tests}`)

    expect(verdict.status).toBe('not-run')
    expect(verdict.failures[0]?.message).toBe('No test ran: all were skipped: test_it (later).')
  })

  test.concurrent.for([
    ['@pytest.mark.xfail(strict=True)\ndef test_it(): assert f(1) == 1', 'expected to fail'],
    ['@pytest.mark.xfail(raises=KeyError)\ndef test_it(): assert f(1) == 2', 'f(1) == 2'],
    [
      'class It(unittest.TestCase):\n    @pytest.mark.xfail(strict=True)\n    def test_it(self): pass',
      'expected to fail',
    ],
    ['@unittest.expectedFailure\ndef test_it(): assert f(1) == 1', 'expected to fail'],
  ] as const)('that does not fail as expected fails: %s', { timeout: 60_000 }, async ([tests, message]) => {
    const verdict = await judged(`${WITH_PYTEST}${PASSING}${tests}`)

    expect(verdict.status).toBe('fail')
    expect(verdict.failures[0]?.message).toContain(message)
  })

  test.concurrent.for([
    [
      'that cannot be imported',
      'raise ModuleNotFoundError("No module named x")\n',
      'def test_it(): pytest.importorskip("solution")',
    ],
    [
      'that ends itself where a failure is expected',
      'import os\ndef f(x): os._exit(0)\n',
      'from solution import f\n@pytest.mark.xfail\ndef test_it(): f(1)',
    ],
    [
      'that throws back a skip of the tests',
      'kept = []\ndef f(g):\n    try: g()\n    except Exception as e: kept.append(e)\ndef h(): raise kept[0]\n',
      'from solution import f, h\nimport unittest\ndef skip(): raise unittest.SkipTest("")\nf(skip)\nclass It(unittest.TestCase):\n    def test_it(self):\n        h()\n        assert 0',
    ],
  ] as const)('skips no program %s', { timeout: 60_000 }, async ([, program, tests]) => {
    const verdict = await judged(`import pytest\ndef test_passes(): assert 1\n${tests}`, undefined, program)

    expect(verdict.status).toBe('fail')
  })

  test('takes no condition as text from the program', async () => {
    const program = `TEXT = "__import__('os').write(2, b'run')"\n`
    const tests =
      'import pytest\nfrom solution import TEXT\n@pytest.mark.skipif(TEXT, reason="")\ndef test_it(): assert 0'

    expect(await judged(tests, undefined, program)).toMatchObject({
      status: 'not-run',
      misuse: expect.stringContaining('is not written out in its decorator'),
    })
  })
})

describe.runIf(requires('python3'))('A file whose tests are never reached', () => {
  const NOT_REACHED = 'its definition was never reached'

  test.concurrent.for([
    'if False:\n    def test_it(): assert f(1) == 1',
    'DEBUG = bool(0)\nif DEBUG:\n    def test_it(): assert f(1) == 1',
    'sys.path.insert(0, ".")\nif sys.maxsize < 1:\n    def test_it(): assert f(1) == 1',
    'for _ in []:\n    def test_it(): pass',
  ])('is no pass, and says which: %s', { timeout: 60_000 }, async (tests) => {
    const verdict = await judged(`${IMPORTS}${tests}`)

    expect(verdict.status).toBe('not-run')
    expect(verdict.failures[0]?.message).toBe(`No test ran: all were skipped: test_it (${NOT_REACHED}).`)
  })

  test.concurrent.for([
    'if False:\n    assert f(1) == 2',
    'CASES = []\nfor case in CASES:\n    assert f(case) == case',
    'sys.path.insert(0, ".")\nif sys.maxsize < 1:\n    assert f(1) == 2',
    'def check(): assert f(1) == 2',
  ])('is no pass without any test: %s', { timeout: 60_000 }, async (tests) => {
    const verdict = await judged(`${IMPORTS}${tests}`)

    expect(verdict.status).toBe('not-run')
    expect(verdict.failures[0]?.message).toContain('No test was found')
  })

  test.concurrent.for([
    'if f(1) != 1: raise AssertionError',
    'import os\nout = os.popen("echo 1").read()\nif out != "1\\n": sys.exit(1)',
    'for x in (1, 2):\n    assert f(x) == x',
    'def check():\n    assert f(1) == 1\ncheck()',
    'import subprocess\nsubprocess.run([sys.executable, "solution.py"], check=True)',
    'x = f(1)',
    'if True:\n    def test_it(): assert f(1) == 1\nelse:\n    def test_it(): assert 0',
    'try:\n    f(1, 2)\nexcept TypeError: pass\nelse: raise AssertionError',
  ])('is another than one that checks: %s', { timeout: 60_000 }, async (tests) => {
    expect(await judged(`${IMPORTS}${tests}`)).toMatchObject({ status: 'pass', failures: [] })
  })
})
