// The same tests of a median under pytest and under unittest.
import { pytestTests, unittestTests } from '../../src/verify/python-runners.js'
import type { SharedTestsOptions } from '../../src/verify/shared-options.js'
import { pythonHas, requires } from './requires.js'

export const PYTEST = `from solution import median

def test_odd():
    assert median([3, 1, 2]) == 2

def test_even():
    assert median([1, 2]) == 1.5
`
const UNITTEST = `import unittest
from solution import median

class Median(unittest.TestCase):
    def test_odd(self):
        self.assertEqual(median([3, 1, 2]), 2)
    def test_even(self):
        self.assertEqual(median([1, 2]), 1.5)
`
export const RIGHT = `def median(xs):
    s = sorted(xs)
    n = len(s)
    return (s[(n - 1) // 2] + s[n // 2]) / 2
`
export const WRONG = 'def median(xs):\n    return 7\n'

/** A runner with its form of the tests. */
export interface PythonRunner {
  readonly name: string
  readonly source: string
  readonly check: (source: string, options?: SharedTestsOptions) => ReturnType<typeof pytestTests>
}
const runners: readonly PythonRunner[] = [
  {
    name: 'unittest',
    source: UNITTEST,
    check: (source, options) => unittestTests({ 'test_median.py': source }, options),
  },
  {
    name: 'pytest',
    source: PYTEST,
    check: (source, options) => pytestTests({ 'test_median.py': source }, options),
  },
]

/** Those that this machine has; the others are skipped by name. */
export const runnersHere = (): readonly PythonRunner[] =>
  runners.filter(
    ({ name }) => requires('python3') && (name === 'unittest' || pythonHas('pytest', { isolated: true })),
  )
