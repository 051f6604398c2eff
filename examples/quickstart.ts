import { createRepairLoop, pythonTests } from '@mendloop/core'
import { openai } from '@mendloop/llm-openai'
import { subprocess } from '@mendloop/sandbox-subprocess'

const loop = createRepairLoop({
  model: openai({ model: 'gpt-5-mini' }),
  sandbox: subprocess(),
})
const result = await loop.run({
  goal: 'Write median(xs) in solution.py.',
  language: 'python',
  verify: [pythonTests('from solution import median\nassert median([3, 1, 2]) == 2')],
})
if (result.status === 'verified') console.log(result.candidate.files['solution.py'])
