// pytestTests and unittestTests with several files: none of them vanishes, and none is taken for another.
import { describe, expect, test } from 'vitest'
import { pytestTests, unittestTests } from '../../src/verify/python-runners.js'
import type { TestFiles } from '../../src/verify/shared-options.js'
import { pythonHas, requires } from '../helpers/requires.js'
import { sharedVerdict } from '../helpers/shared-verdict.js'

const TIMEOUT = { timeout: 120_000 }
const byName = (tests: readonly { name: string; status: string }[] = []) =>
  tests.map(({ name, status }) => [name, status])

const asks = (name: string, value: number) =>
  `from solution import f\n\ndef test_${name}():\n    assert f() == ${value}\n`

describe.runIf(requires('python3') && pythonHas('pytest', { isolated: true }))('With pytest', TIMEOUT, () => {
  const files = { 'test_a.py': asks('a', 1), 'test_b.py': asks('b', 2) }
  /** Puts a module of its own in the place of test_b. */
  const plants = (more: string) => `import os, sys, types
fake = types.ModuleType("test_b")
fake.__file__ = os.path.abspath("test_b.py")
${more}
sys.modules["test_b"] = fake
def f(): return 1
`
  const judged = (tested: TestFiles, solution: string) =>
    sharedVerdict(pytestTests(tested), { 'solution.py': solution })

  test.for([
    ['nothing', '', {}, 'No test of test_b.py was found.'],
    ['nothing, beside a conftest', '', { 'conftest.py': '' }, 'No test of test_b.py was found.'],
    [
      'nothing, under a configuration',
      '',
      { 'pytest.ini': '[pytest]\npython_functions = test_* check_*\n' },
      'No test of test_b.py was found.',
    ],
    [
      'another test, beside a conftest',
      'fake.test_x = lambda: None',
      { 'conftest.py': '' },
      'The test test_b.py::test_b did not run.',
    ],
    [
      'a test of the same name',
      'fake.test_b = lambda: None',
      {},
      'The program put a test of its own in the place of test_b.',
    ],
  ] as const)('a file in whose place the program puts %s fails', async ([, more, configuration, message]) => {
    const verdict = await judged({ ...files, ...configuration }, plants(more))

    expect(verdict.status).toBe('fail')
    expect(verdict.failures.map((failure) => failure.message)).toEqual([message])
  })

  test('a program that takes tests out of the run as they are collected does not pass', async () => {
    const verdict = await judged(
      { 'test_a.py': asks('a', 1), 'test_b.py': `import solution\nsolution.act()\n${asks('b', 2)}` },
      `import gc
def f(): return 1
def act():
    import pytest
    for one in gc.get_objects():
        if isinstance(one, pytest.Session): one.items = list(one.items)
`,
    )

    expect(verdict.failures.map((failure) => failure.message)).toEqual([
      'The test test_b.py::test_b was taken out of the run.',
    ])
  })

  test('what the tests themselves leave out did not run', async () => {
    const tested = {
      'test_a.py': `${asks('a', 1)}def test_slow(): assert False\n`,
      'test_b.py': 'import pytest\npytest.skip("no network", allow_module_level=True)\n',
      'conftest.py': `def pytest_itemcollected(item): item._nodeid = item.nodeid.replace("test_a.py", "numbers")
def pytest_collection_modifyitems(items): items[:] = [one for one in items if one.name != "test_slow"]
`,
    }
    const verdict = await judged(tested, 'def f(): return 1\n')

    expect(verdict, JSON.stringify(verdict)).toMatchObject({ status: 'pass', failures: [] })
    expect(
      byName(verdict.tests)
        .map(([, status]) => status)
        .sort(),
    ).toEqual(['not-run', 'not-run', 'pass'])
  })

  test('a file that cannot be loaded is told once', async () => {
    const verdict = await judged({ 'test_b.py': asks('b', 2) }, 'raise ValueError("too large")\n')

    expect(verdict.failures).toHaveLength(1)
    expect(verdict.failures[0]?.message).toContain('too large')
  })

  test('nothing but a file that its tests skip is no pass and no failure', async () => {
    const skips = { 'test_b.py': 'import pytest\npytest.skip("no network", allow_module_level=True)\n' }

    expect(await judged(skips, 'x = 1\n')).toMatchObject({ status: 'not-run' })
  })

  test('of scripts that are not named like tests some may only help', async () => {
    const tested = { 'checks.py': `from helpers import ONE\n${asks('a', 1)}`, 'helpers.py': 'ONE = 1\n' }

    expect(await judged(tested, 'def f(): return 1\n')).toMatchObject({ status: 'pass' })
  })
})

describe.runIf(requires('python3'))('With unittest', TIMEOUT, () => {
  const source = (value: number, start = '', setUp = '') => `import unittest
from solution import f
${start}
class T(unittest.TestCase):
    ${setUp}
    def test_it(self): self.assertEqual(f(), ${value})
`
  const judged = (tested: TestFiles, solution: string) =>
    sharedVerdict(unittestTests(tested), { 'solution.py': solution })

  test('two files with the same names are two, and each is torn down once', async () => {
    const once = `done = []
    @classmethod
    def tearDownClass(cls): cls.done.append(1); assert len(cls.done) == 1`
    const files = { 'test_a.py': source(1, '', once), 'test_b.py': source(1) }
    const right = await judged(files, 'def f(): return 1\n')

    expect(right).toMatchObject({ status: 'pass', failures: [] })
    expect(byName(right.tests)).toEqual([
      ['test_a.py::T.test_it', 'pass'],
      ['test_b.py::T.test_it', 'pass'],
    ])
    const wrong = await judged({ ...files, 'test_b.py': source(2) }, 'def f(): return 1\n')
    expect(wrong.failures.map((failure) => failure.test)).toEqual(['test_b.py::T.test_it'])
  })

  test('nothing but a file that skips itself is no pass and no failure', async () => {
    const skips = { 'test_a.py': 'import unittest\nraise unittest.SkipTest("no network")\n' }

    expect(await judged(skips, 'x = 1\n')).toMatchObject({ status: 'not-run' })
  })

  /** Lets a file of tests lose them when it calls `f` as it is loaded. */
  const TAKES = `import sys
def f():
    frame = sys._getframe(1)
    if frame.f_code.co_name == "<module>":
        frame.f_globals["load_tests"] = lambda loader, tests, pattern: loader.suiteClass()
    return 1
`
  test('what one file skips excuses no other', async () => {
    const files = {
      'test_a.py': source(1, 'def setUpModule(): raise unittest.SkipTest("no network")'),
      'test_b.py': source(2, 'first = f()'),
      'test_c.py': source(1),
    }

    const verdict = await judged(files, TAKES)
    expect(verdict.failures.map((failure) => [failure.kind, failure.message])).toEqual([
      ['early-exit', 'No test of test_b.py was found.'],
    ])
    const honest = await judged({ ...files, 'test_b.py': source(1) }, 'def f(): return 1\n')
    expect(honest).toMatchObject({ status: 'pass', failures: [] })
  })

  test('a file without tests is no pass, but for one that only helps', async () => {
    const empty = await judged({ 'test_a.py': source(1), 'test_b.py': '' }, 'def f(): return 1\n')
    const helped = await judged({ 'checks.py': source(1), 'helpers.py': '' }, 'def f(): return 1\n')

    expect(empty.failures.map((failure) => failure.message)).toEqual(['No test of test_b.py was found.'])
    expect(helped).toMatchObject({ status: 'pass' })
  })
})
