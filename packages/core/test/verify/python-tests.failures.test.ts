// The failures of pythonTests: what was called, what should have come, what came, and where in the program.
import { describe, expect, test } from 'vitest'
import { pythonTests } from '../../src/verify/python-tests.js'
import { verdictOn } from '../helpers/local-sandbox.js'
import { requires } from '../helpers/requires.js'

const judged = (program: string | Record<string, string>, tests: string, expectedTests: string[] = []) =>
  verdictOn(pythonTests(tests, { expectedTests }), program)

const MEDIAN = 'def median(xs):\n    s = sorted(xs)\n    return s[len(s) // 2]\n'

describe.runIf(requires('python3'))('A failed assert', () => {
  test('tells what was called, what should have come and what came', async () => {
    const verdict = await judged(MEDIAN, 'from solution import median\nassert median([1, 2]) == 1.5')

    expect(verdict).toMatchObject({ status: 'fail', score: 0 })
    expect(verdict.failures).toHaveLength(1)
    expect(verdict.failures[0]).toMatchObject({
      kind: 'assertion',
      message: 'AssertionError: median([1, 2]) == 1.5 (line 2 of the tests)',
      input: 'median([1, 2])',
      expected: '1.5',
      actual: '2',
      test: 'python tests',
    })
  })

  test.for([
    ['assert 1.5 == median([1, 2])', 'median([1, 2])', '1.5', '2'],
    ['xs = [1, 2]\nassert median(xs) == 1.5', 'median([1, 2])', '1.5', '2'],
    ['got = median([1, 2])\nassert got == 1.5', 'median([1, 2])', '1.5', '2'],
    [
      'def check(candidate):\n    assert candidate([1, 2]) == 1.5\ncheck(median)',
      'median([1, 2])',
      '1.5',
      '2',
    ],
    ['assert median([1]) == 1 and median([1, 2]) == 1.5', 'median([1, 2])', '1.5', '2'],
    ['assert abs(median([1, 2]) - 1.5) < 1e-6', 'median([1, 2])', '1.5 (within 1e-06)', '2'],
    ['import math\nassert math.isclose(median([1, 2]), 1.5)', 'median([1, 2])', '1.5', '2'],
    ['assert median([1, 2]) < 2', 'median([1, 2])', '< 2', '2'],
    ['assert 2 > median([1, 2])', 'median([1, 2])', '< 2', '2'],
    ['assert median([1, 2]) in (1.5, 1)', 'median([1, 2])', 'in (1.5, 1)', '2'],
    ['assert not median([1, 2])', 'median([1, 2])', 'False', '2'],
    ['assert median([0, 0])', 'median([0, 0])', 'True', '0'],
    ['assert median([1, 2]) is None', 'median([1, 2])', 'None', '2'],
    ['assert median([1, 2]) != 2', 'median([1, 2])', '!= 2', '2'],
  ] as const)('of the form %s is understood', async ([statement, input, expected, actual]) => {
    const verdict = await judged(MEDIAN, `from solution import median\n${statement}`)

    expect(verdict.failures[0]).toMatchObject({ kind: 'assertion', input, expected, actual })
  })

  test('calls the program once', async () => {
    const program = 'calls = []\ndef f(x):\n    calls.append(x)\n    return x\n'
    const tests =
      'import solution\ntry:\n    assert solution.f(1) == 2\nexcept AssertionError:\n    pass\nassert solution.calls == [1]'

    expect(await judged(program, tests)).toMatchObject({ status: 'pass' })
  })

  test('keeps its own message', async () => {
    const tests = 'from solution import median\nassert median([1, 2]) == 1.5, "even lengths: mean of both"'
    const verdict = await judged(MEDIAN, tests)

    expect(verdict.failures[0]?.message).toBe(
      'AssertionError: even lengths: mean of both (line 2 of the tests)',
    )
  })

  test('of unittest tells both values', async () => {
    const tests =
      'import unittest\nfrom solution import median\nclass TestMedian(unittest.TestCase):\n    def test_even(self):\n        self.assertEqual(median([1, 2]), 1.5)'
    const verdict = await judged(MEDIAN, tests)

    expect(verdict.failures[0]).toMatchObject({
      test: 'TestMedian.test_even',
      expected: '1.5',
      actual: '2',
      message: 'AssertionError: 2 != 1.5 (line 5 of the tests)',
    })
  })
})

describe.runIf(requires('python3'))('An exception of the program', () => {
  test('points into its files, with the frames, the locals and the cause', async () => {
    const program = {
      'solution.py':
        '\n\nfrom parsing import number\n\ndef total(rows):\n    try:\n        return sum(number(row) for row in rows)\n    except ValueError as error:\n        raise RuntimeError("bad table") from error\n',
      'parsing.py': 'def number(text):\n    cleaned = text.strip()\n    return int(cleaned)\n',
    }
    const verdict = await judged(program, 'from solution import total\ntotal(["1", "n/a"])')

    expect(verdict.failures[0]).toMatchObject({
      kind: 'exception',
      message: 'RuntimeError: bad table (called from line 2 of the tests)',
      input: "total(['1', 'n/a'])",
      location: { path: 'solution.py', line: 9 },
      frames: [{ path: 'solution.py', line: 9, function: 'total' }],
      cause: {
        kind: 'exception',
        message: "ValueError: invalid literal for int() with base 10: 'n/a'",
        location: { path: 'parsing.py', line: 3 },
        locals: { cleaned: "'n/a'" },
      },
    })
    expect(verdict.failures[0]?.excerpt).toContain('>  9 |         raise RuntimeError')
  })

  test('at import is reported once, and every test by name as not run', async () => {
    const tests =
      'from solution import area\ndef test_area():\n    assert area(2) == 12\ndef test_zero():\n    assert area(0) == 0'
    const verdict = await judged('def area(r)\n    return 3 * r * r\n', tests, ['test_area', 'test_zero'])

    expect(verdict).toMatchObject({ status: 'fail', score: 0 })
    expect(verdict.failures).toHaveLength(1)
    expect(verdict.failures[0]).toMatchObject({
      kind: 'syntax',
      location: { path: 'solution.py', line: 1 },
    })
    expect(verdict.failures[0]?.message).toContain('SyntaxError')
    expect(verdict.tests?.filter(({ status }) => status === 'not-run').map(({ name }) => name)).toEqual([
      'test_area',
      'test_zero',
    ])
  })

  test.for([
    ['import numpy_of_nowhere\n', 'import', "ModuleNotFoundError: No module named 'numpy_of_nowhere'"],
    [
      'def mean(xs): return 0\n',
      'missing-entry',
      "cannot import name 'median' from 'solution'; solution.py defines mean",
    ],
    ['median = 1 / 0\n', 'exception', 'ZeroDivisionError: division by zero'],
    ['import sys\nsys.exit(3)\n', 'early-exit', 'SystemExit: 3'],
    ['def median(xs):\n    assert xs\n    return 1\n', 'assertion', 'AssertionError'],
  ] as const)('of the program %j has its own kind', async ([program, kind, message]) => {
    const verdict = await judged(program, 'from solution import median\nmedian([])')

    expect(verdict.failures[0]?.kind).toBe(kind)
    expect(verdict.failures[0]?.message).toContain(message)
  })

  test('that lacks the file says so', async () => {
    const verdict = await judged(
      { 'main.py': MEDIAN },
      'from solution import median\nassert median([1]) == 1',
    )

    expect(verdict.failures[0]).toMatchObject({ kind: 'missing-entry' })
    expect(verdict.failures[0]?.message).toContain("No module named 'solution'")
  })

  test('of unbounded size is kept within bounds', async () => {
    const program = 'def f():\n    raise ValueError("x" * 3000000)\ndef g(): return "y" * 3000000\n'
    const tests = `from solution import *\n${Array.from({ length: 60 }, (_, index) => `def test_${index}():\n    ${index % 2 ? 'f()' : 'assert g() == 1'}`).join('\n')}`
    const verdict = await judged(program, tests)

    expect(verdict.status).toBe('fail')
    expect(verdict.tests).toHaveLength(60)
    expect(JSON.stringify(verdict).length).toBeLessThan(1_000_000)
  })
})
