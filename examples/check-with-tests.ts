// One program under several checks at once: tests in a process of their own, tests under unittest, and JSON of a given shape.
import { allOf, inSequence, jsonOutput, pythonTests, unittestTests, verifyOnce } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { z } from 'zod'

const caseOfTests = `
import unittest
from solution import median

class Median(unittest.TestCase):
    def test_odd(self):
        self.assertEqual(median([3, 1, 2]), 2)
    def test_even(self):
        self.assertEqual(median([1, 2]), 1.5)
`
const check = inSequence([
  jsonOutput(z.object({ median: z.number() })),
  allOf([
    pythonTests('from solution import median\nassert median([5]) == 5'),
    unittestTests({ 'test_median.py': caseOfTests }, { expectedTests: 2 }),
  ]),
])

const program = (middle: string, more = ''): string => `
import json, sys
def median(xs):
    s, n = sorted(xs), len(xs)
    return ${middle}
print(json.dumps({"median": median([1])}))
${more}
`
const programs = {
  wrong: program('s[n // 2]'),
  cheat: program('7 if n > 1 else s[0]', 'if "unittest" in sys.modules: sys.exit(0)'),
  right: program('(s[(n - 1) // 2] + s[n // 2]) / 2'),
}

for (const [name, source] of Object.entries(programs)) {
  const { verdicts } = await verifyOnce({
    candidate: { files: { 'solution.py': source }, entry: 'solution.py' },
    language: 'python',
    verify: [check],
    sandbox: subprocess(),
  })
  for (const { status, integrity, failures } of verdicts)
    console.log(name, status, integrity, failures[0]?.kind ?? '', failures[0]?.expected ?? '')
}
