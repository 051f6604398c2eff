// Tests that a model wrote from a bug report. Each is tried on the old program first; only one that fails there, and for the
// right reason, decides over the mended program.
import { createRepairLoop, provesFault, pythonTests, type Verifier } from '@mendloop/core'
import { scriptedModel } from '@mendloop/core/testing'
import { subprocess } from '@mendloop/sandbox-subprocess'

const generated = {
  'names what is not there': 'from solution import middle\nassert middle([1, 2]) == 1.5',
  'asks for what works': 'from solution import median\nassert median([3, 1, 2]) == 2',
  'stumbles itself': 'from solution import median\nassert median([1, 2]) == one_and_a_half',
  'shows the fault': 'from solution import median\nassert median([4, 1, 3, 2]) == 2.5',
}
const program = { 'solution.py': 'def median(xs):\n    return sorted(xs)[len(xs) // 2]\n' }
const sandbox = subprocess()

const verify: Verifier[] = []
for (const [name, source] of Object.entries(generated)) {
  const test = pythonTests(source, { name })
  const { proved, finding } = await provesFault({
    test,
    program: { files: program, entry: 'solution.py' },
    language: 'python',
    sandbox,
  })
  console.log(`${name}: ${finding}`)
  if (proved) verify.push(test)
}

const loop = createRepairLoop({
  model: scriptedModel(['```python\nfrom statistics import median\n```']),
  sandbox,
})
const { status, attempts } = await loop.run({
  goal: 'The median of an even number of values is wrong. Mend it.',
  language: 'python',
  program,
  verify,
})
console.log(
  status,
  attempts
    .at(-1)
    ?.verdicts.map(({ name }) => name)
    .join(', '),
)
