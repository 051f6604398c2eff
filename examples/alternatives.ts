// Several programs for one task, written and mended side by side. The model plays a script, so that it runs offline.
import { createRepairLoop, type ModelRequest, pythonTests, repairAlternatives } from '@mendloop/core'
import { scriptedModel } from '@mendloop/core/testing'
import { subprocess } from '@mendloop/sandbox-subprocess'

const sum = 'def total(xs):\n    return sum(xs)'
const replies: Readonly<Record<string, string>> = {
  'alternative 1': sum,
  'alternative 2': 'def total(xs):\n    result = 0\n    for x in xs:\n        result += x\n    return result',
  // The same code as the first: it is run again, and told so.
  'alternative 3': `# Adds them up.\n${sum}`,
  'same code': 'from functools import reduce\n\ndef total(xs):\n    return reduce(lambda a, b: a + b, xs, 0)',
}
const model = scriptedModel(
  Array.from({ length: 4 }, () => ({ messages }: ModelRequest) => {
    const prompt = String(messages.at(-1)?.content)
    const key = /same code/.exec(prompt)?.[0] ?? /alternative \d/.exec(prompt)?.[0] ?? 'alternative 1'
    return `\`\`\`python\n${replies[key]}\n\`\`\``
  }),
)

const { alternatives, duplicates, best, spent, shortfall } = await repairAlternatives(
  createRepairLoop({ model, sandbox: subprocess() }),
  {
    goal: 'Write total(xs) in solution.py.',
    language: 'python',
    verify: [pythonTests('from solution import total\nassert total([1, 2, 3]) == 6')],
  },
  { alternatives: 3, budget: { attempts: 3 }, total: { modelCalls: 12, wallMs: 120_000 } },
)
for (const { alternative, status, candidate } of alternatives)
  console.log(`${alternative} ${status}\n${candidate.files['solution.py']}`)
for (const { alternative, sameAs, result } of duplicates)
  console.log(`${alternative} was the same as ${sameAs}, after ${result.spent.modelCalls} call of the model`)
console.log(best.status, `${spent.modelCalls} calls`, shortfall ?? 'all are distinct')
