// A person in the loop. The model's question is answered at once; a program that can delete folders waits for a person's word.
//   ask-a-person.ts FILE         runs until somebody has to decide, and writes where it stands
//   ask-a-person.ts FILE allow   goes on with the answer, in another process
import { readFile, writeFile } from 'node:fs/promises'
import { createRepairLoop, pythonTests, type Question, type RunState } from '@mendloop/core'
import { scriptedModel } from '@mendloop/core/testing'
import { subprocess } from '@mendloop/sandbox-subprocess'

const [file = 'waiting.json', answer] = process.argv.slice(2)
const task = {
  goal: 'Write empty(folder) in solution.py: it removes what is in a folder.',
  language: 'python',
  note: 'The folder itself has to stay.',
  verify: [
    pythonTests(
      'import os\nfrom solution import empty\nos.makedirs("d/e")\nempty("d")\nassert os.listdir("d") == []',
    ),
  ],
}
const replies = [
  '<question>\nMay there be folders in it?\n- yes, remove them as well (recommended)\n- no\n</question>',
  '```python\nimport os\nimport shutil\n\n\ndef empty(folder):\n    shutil.rmtree(folder)\n    os.makedirs(folder)\n```',
]
const loop = createRepairLoop({
  // The process that goes on asks nobody: the reply was paid for.
  model: scriptedModel(answer === undefined ? replies : []),
  sandbox: subprocess(),
  questions: true,
  hooks: {
    beforeExecute: ({ candidate }) =>
      candidate.files['solution.py']?.includes('rmtree')
        ? { decision: 'suspend', question: 'The program can delete folders. May it run?' }
        : { decision: 'allow' },
  },
})

async function goOn(text: string) {
  const waiting: { state: RunState; question: Question } = JSON.parse(await readFile(file, 'utf8'))
  return loop.resume(task, waiting.state, { answers: { [waiting.question.id]: text } })
}

const run = answer === undefined ? loop.start(task) : await goOn(answer)
run.on('question-asked', ({ id, question, options, recommended, why }) => {
  console.log(question)
  // A real application asks somebody here; run.answer may come minutes later.
  if (why === 'question') run.answer(id, options?.[0] ?? recommended)
})

const result = await run.result
if (result.status === 'needs-human') {
  const { state, question } = result
  await writeFile(file, JSON.stringify({ state, question }))
}
for (const { question, answer, by } of result.questions) console.log(`${question} ${answer} (${by})`)
console.log(result.status)
