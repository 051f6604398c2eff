// Events, budgets and the record, with a model that plays two replies: the first is wrong.
import { writeFile } from 'node:fs/promises'
import { createRepairLoop, pythonTests, recordToJsonl } from '@mendloop/core'
import { scriptedModel } from '@mendloop/core/testing'
import { subprocess } from '@mendloop/sandbox-subprocess'

const model = scriptedModel([
  '```python solution.py\ndef median(xs):\n    return sorted(xs)[len(xs) // 2]\n```',
  '```python solution.py\nfrom statistics import median\n```',
])

const loop = createRepairLoop({
  model,
  sandbox: subprocess(),
  budget: { attempts: 3, totalTokens: 20_000, wallMs: 60_000 },
})

const run = loop.start({
  goal: 'Write median(xs) in solution.py.',
  language: 'python',
  verify: [pythonTests('from solution import median\nassert median([4, 1, 3, 2]) == 2.5')],
})

run.on('verification-end', ({ attempt, verdict }) => {
  const [failure] = verdict.failures
  console.log(`attempt ${attempt}: ${verdict.name} ${verdict.status}`)
  if (failure) console.log(`  ${failure.input}: expected ${failure.expected}, got ${failure.actual}`)
})

const result = await run.result
console.log(result.status, `after ${result.spent.attempts} attempts and ${result.spent.totalTokens} tokens`)
await writeFile(process.argv[2] ?? 'record.jsonl', recordToJsonl(result.record))
