// Cases of verdicts: what a check says of a program, and how many of the checks failed.
import { describe, expect, test } from 'vitest'
import { requires } from '../../packages/core/test/helpers/requires.js'
import type { Fields } from '../cases/bug-case.js'
import { runCase } from '../cases/run-case.js'
import { caseMaker } from './helpers/case-of.js'

const make = caseMaker('verdict')
const withChecks = (solution: string, checks: readonly Fields[], wanted: Fields) =>
  runCase(
    make(
      { 'solution.py': solution, 'checks.json': checks },
      { solution: 'solution.py', checks: 'checks.json' },
      wanted,
    ),
  )
const withTests = (solution: string, tests: string, input: Fields, wanted: Fields) =>
  runCase(
    make(
      { 'solution.py': solution, 'tests.py': tests },
      { solution: 'solution.py', tests: 'tests.py', ...input },
      wanted,
    ),
  )
const PASS = { verdict: 'pass', failedChecks: 0 }
const FAIL = { verdict: 'fail', failedChecks: 1 }

describe.skipIf(!requires('python3'))('a check', () => {
  test.each<[string, string, Fields, Fields]>([
    [
      'wraps a call in a function of Python',
      'def f(x): return [3, 1, 2]',
      { call: 'sorted(f(1))', equals: [1, 2, 3] },
      PASS,
    ],
    ['rounds', 'def f(x): return 1 / 3', { call: 'round(f(1), 3)', equals: 0.333 }, PASS],
    [
      'hands over a function without calling it',
      'def f(x): return x + 1',
      { call: 'list(map(f, [1, 2]))', equals: [2, 3] },
      PASS,
    ],
    [
      'binds a name of its own',
      'def f(x): return x',
      { call: '[f(x) for x in range(2)]', equals: [0, 1] },
      PASS,
    ],
    ['uses a module of Python', 'def f(x): return 4', { call: 'math.sqrt(f(1))', equals: 2 }, PASS],
    ['holds a name in a text', 'def f(x): return x', { call: 'f("g(1)")', equals: 'g(1)' }, PASS],
    [
      'calls a function that has a name of Python',
      'def sum(x): return 7',
      { call: 'sum([1])', equals: 7 },
      PASS,
    ],
    [
      'is not deceived by a function that has a name of Python',
      'def f(x): return [2, 1]\ndef sorted(x): return [1, 2, 3]',
      { call: 'sorted(f(1))', equals: [1, 2, 3] },
      FAIL,
    ],
    ['tells True from 1', 'def f(x): return True', { call: 'f(1)', equals: 1 }, FAIL],
    ['tells False from 0', 'def f(x): return False', { call: 'f(1)', equals: 0 }, FAIL],
    ['tells 1 from True', 'def f(x): return 1', { call: 'f(1)', equals: true }, FAIL],
    [
      'tells 1 from True deep inside',
      'def f(x): return {"a": [1]}',
      { call: 'f(1)', equals: { a: [true] } },
      FAIL,
    ],
    ['takes 2.0 for 2, and 1.0 for 1', 'def f(x): return [2.0, 1.0]', { call: 'f(1)', equals: [2, 1] }, PASS],
    ['may have a note', 'def f(x): return x', { call: 'f(3)', equals: 3, note: 'why' }, PASS],
    [
      'asks for an exception',
      'def f(x): raise ValueError("neg")',
      { call: 'f(1)', raises: 'ValueError' },
      PASS,
    ],
    [
      'takes a class that is derived from it',
      'def f(x): return [][1]',
      { call: 'f(1)', raises: 'LookupError' },
      PASS,
    ],
    [
      'does not take another exception',
      'def f(x): raise TypeError',
      { call: 'f(1)', raises: 'ValueError' },
      FAIL,
    ],
    ['does not take none', 'def f(x): return "ValueError"', { call: 'f("\\n")', raises: 'ValueError' }, FAIL],
  ])('%s', async (_, solution, check, wanted) => {
    expect(await withChecks(solution, [check], wanted)).toEqual({ status: 'passed' })
  })

  test.each<[Fields, RegExp]>([
    [{ call: 'f(1)' }, /either "equals" or "raises"/],
    [{ call: 'f(1)', equals: 1, raises: 'E' }, /either "equals" or "raises"/],
    [{ call: 'f(1)', raises: 'a b' }, /not the name of an exception/],
    [{ call: '1 + 1', equals: 2 }, /calls no function of the program/],
    [{ call: 'f(1)', equals: 1, moon: 1 }, /"moon" is not known/],
  ])('is refused as %j', async (check, why) => {
    const outcome = await withChecks('def f(x): return 1', [check], { verdict: 'fail' })
    expect(outcome).toEqual({ status: 'failed', reasons: [expect.stringMatching(why)] })
  })

  test.each([
    ['does not parse', 'def f(x)\n    return 1\n', 2],
    ['leaves while it is imported', 'import os\nos._exit(0)\n', 2],
    ['lacks one function', 'def f(x): return 1\n', 1],
  ])('that did not run has failed: the program %s', async (_, solution, failedChecks) => {
    const checks = [
      { call: 'f(1)', equals: 1 },
      { call: 'g(2)', equals: 1 },
    ]
    const outcome = await withChecks(solution, checks, { verdict: 'fail', failedChecks })
    expect(outcome).toEqual({ status: 'passed' })
  })

  test('that comes after an endless loop has failed', { timeout: 60_000 }, async () => {
    const checks = [
      { call: 'f(1)', equals: 1 },
      { call: 'f(2)', equals: 1 },
    ]
    const outcome = await withChecks('def f(x):\n    while True: pass\n', checks, { failedChecks: 2 })
    expect(outcome).toEqual({ status: 'passed' })
  })
})

describe.skipIf(!requires('python3'))('tests', () => {
  test.each([
    ['hold nothing', '\n'],
    ['do not parse', 'def test_a(:\n'],
  ])('that %s are no pass', async (_, tests) => {
    const input = { expectedTests: ['test_a'] }
    const wanted = { verdict: 'fail', failedChecks: 1, notRun: ['test_a'] }
    expect(await withTests('x = 1\n', tests, input, wanted)).toEqual({ status: 'passed' })
    const lie = await withTests('x = 1\n', tests, input, { verdict: 'pass' })
    expect(lie).toMatchObject({ status: 'failed' })
  })

  test('that the product cannot use otherwise are told apart from a wrong program', async () => {
    const tests = 'def test_a(some_fixture):\n    assert some_fixture\n'
    const outcome = await withTests('x = 1\n', tests, {}, { verdict: 'fail' })
    expect(outcome).toEqual({ status: 'failed', reasons: [expect.stringMatching(/cannot be used/)] })
  })

  test('that were expected and are missing have failed', async () => {
    const tests = 'from solution import f\n\n\ndef test_a():\n    assert f() == 1\n'
    const input = { expectedTests: ['test_a', 'test_b'] }
    const wanted = { verdict: 'fail', failedChecks: 1, notRun: ['test_b'] }
    expect(await withTests('def f(): return 1\n', tests, input, wanted)).toEqual({ status: 'passed' })
  })
})
