// A person's words are kept as they are, before what a machine printed, for as long as the run goes on.
import { expect, test } from 'vitest'
import { program, QUESTION, scripted, task } from './parts.js'

test('a note and an answer are in each of ten attempts, word for word, and before the feedback', async () => {
  const note = 'Read the file  only once.\n\n\tÄußerst wichtig: <question> is no tag here.'
  const answer = 'raise an error,  please\n\n'
  const replies = Array.from({ length: 10 }, (_, index) => program(`x = ${index}\nprint("line ${index}")`))
  const { loop, model } = scripted([QUESTION, ...replies], {
    questions: true,
    stallAfter: false,
    budget: { attempts: 10 },
  })
  const run = loop.start(task({ note }))
  run.on('question-asked', ({ id }) => run.answer(id, answer))
  const result = await run.result
  expect(result).toMatchObject({ status: 'exhausted', spent: { attempts: 10 } })
  expect(model.calls).toHaveLength(11)
  for (const [index, { messages }] of model.calls.entries()) {
    const all = messages.map(({ content }) => String(content)).join('\n')
    expect(all).toContain(`A person advises:\n${note}\n`)
    if (index > 0) expect(all).toContain(`A person answers:\n${answer}`)
    const feedback = all.indexOf('checks passed')
    if (index > 1) expect(feedback).toBeGreaterThan(all.indexOf(note))
  }
})
