// A model may ask before it writes: somebody answers, or what it recommends is taken, and either is in every later prompt.
import { describe, expect, test } from 'vitest'
import type { LoopEvent } from '../../../src/contract/events.js'
import { asTool } from '../../../src/repair/as-tool.js'
import { toChatData } from '../../../src/trace/chat-data.js'
import { recordFromJsonl, recordToJsonl } from '../../../src/trace/record-jsonl.js'
import { replayRecord } from '../../../src/trace/replay-record.js'
import { program, QUESTION, scripted, sent, task } from './parts.js'

const ASKED = {
  id: 'question-1',
  question: 'Should the mean of an empty list be 0 or an error?',
  options: ['0', 'an error'],
  recommended: 'an error',
  why: 'question',
}
const GOOD = program('x = "good"')

test('with nobody attached the default is taken at once, costs no attempt, and the result says so', async () => {
  const { loop, model } = scripted([QUESTION, GOOD], { questions: true })
  const result = await loop.run(task())
  expect(result.status).toBe('verified')
  expect(result.questions).toEqual([{ ...ASKED, answer: 'an error', by: 'default' }])
  expect(result.spent).toMatchObject({ attempts: 1, formatErrors: 0, modelCalls: 2 })
  expect(sent(model, 0)).toContain('- one answer (recommended)')
  expect(sent(model, 1)).toContain(
    'You asked:\nShould the mean of an empty list be 0 or an error?\nNobody was there to answer, so that this is taken as decided:\nan error',
  )
})

test('a listener that answers is waited for, and its words are kept verbatim in every later prompt', async () => {
  const words = '  Neither:\n\n```\nreturn None\n```\n  (ask  me  again)  '
  const { loop, model } = scripted([QUESTION, program('x = 1'), program('x = 2'), GOOD], { questions: true })
  const run = loop.start(task())
  const events: LoopEvent[] = []
  run.on('question-asked', (event) => {
    events.push(event)
    setTimeout(() => run.answer(event.id, words), 20)
  })
  run.on('question-answered', (event) => events.push(event))
  const result = await run.result
  expect(result.status).toBe('verified')
  expect(events).toMatchObject([
    { type: 'question-asked', attempt: 1, ...ASKED },
    { type: 'question-answered', attempt: 1, ...ASKED, answer: words, by: 'person' },
  ])
  for (const call of [1, 2, 3]) expect(sent(model, call)).toContain(`A person answers:\n${words}`)
  expect(result.spent.attempts).toBe(3)
})

test('an answer given within the listener counts, and a second one is refused', async () => {
  const { loop } = scripted([QUESTION, GOOD], { questions: true })
  const run = loop.start(task())
  const refused: unknown[] = []
  run.on('question-asked', ({ id }) => {
    run.answer(id, '0')
    for (const other of [id, 'question-9'])
      try {
        run.answer(other, '0')
      } catch (error) {
        refused.push(error)
      }
  })
  const { questions } = await run.result
  expect(questions).toMatchObject([{ answer: '0', by: 'person' }])
  expect(refused).toMatchObject([{ code: 'INVALID_OPTION' }, { code: 'INVALID_OPTION' }])
})

test('an empty answer is refused and the question stays open', async () => {
  const { loop } = scripted([QUESTION, GOOD], { questions: true })
  const run = loop.start(task())
  run.on('question-asked', ({ id }) => {
    expect(() => run.answer(id, ' ')).toThrow('must be words')
    run.answer(id, '0')
  })
  expect((await run.result).questions).toMatchObject([{ answer: '0' }])
})

test('somebody who listens and says nothing is not waited for beyond the time that was given', async () => {
  const { loop } = scripted([QUESTION, GOOD], { questions: { answerWithinMs: 30 } })
  const run = loop.start(task())
  const startedAt = performance.now()
  run.on('question-asked', () => undefined)
  const { questions, status } = await run.result
  expect(status).toBe('verified')
  expect(questions).toMatchObject([{ answer: 'an error', by: 'default' }])
  expect(performance.now() - startedAt).toBeGreaterThan(25)
})

test('after three questions a fourth is refused, and the model is no longer told that it may ask', async () => {
  const { loop, model } = scripted([QUESTION, QUESTION, QUESTION, QUESTION, GOOD], { questions: true })
  const result = await loop.run(task())
  expect(result.questions.map(({ id }) => id)).toEqual(['question-1', 'question-2', 'question-3'])
  expect(result.spent).toMatchObject({ attempts: 1, formatErrors: 1 })
  expect(sent(model, 2)).toContain('<question>')
  expect(sent(model, 3)).not.toContain('<question>')
  expect(sent(model, 4)).toContain('No more questions can be answered.')
})

test('where questions are not allowed, one is a reply without a program', async () => {
  const { loop, model } = scripted([QUESTION, GOOD])
  const result = await loop.run(task())
  expect(result).toMatchObject({ status: 'verified', questions: [] })
  expect(result.spent.formatErrors).toBe(1)
  expect(sent(model, 0)).not.toContain('<question>')
})

test('a program beside tags of that name is a program', async () => {
  const { loop } = scripted([`<question>Is it?</question>\n\n${GOOD}`, GOOD], { questions: true })
  expect(await loop.run(task())).toMatchObject({
    status: 'verified',
    questions: [],
    spent: { modelCalls: 1 },
  })
})

test('aborting while a person is waited for ends within a second with one terminal event', async () => {
  const { loop, model } = scripted([QUESTION, GOOD], { questions: true })
  const run = loop.start(task())
  const ends: string[] = []
  run.on('run-end', ({ status }) => ends.push(status))
  let abortedAt = 0
  run.on('question-asked', () =>
    setTimeout(() => {
      abortedAt = performance.now()
      run.abort()
    }, 20),
  )
  expect((await run.result).status).toBe('aborted')
  expect(performance.now() - abortedAt).toBeLessThan(1000)
  expect(ends).toEqual(['aborted'])
  expect(() => run.answer('question-1', '0')).toThrow('no question with this id is open')

  // What was asked is open in its state: the reply is not paid for again.
  const state = JSON.parse(JSON.stringify(run.state()))
  const { loop: next, model: asked } = scripted([GOOD], { questions: true })
  const result = await next.resume(task(), state, { answers: { 'question-1': 'zero' } }).result
  expect(result).toMatchObject({ status: 'verified', questions: [{ answer: 'zero', by: 'person' }] })
  expect([model.calls.length, asked.calls.length]).toEqual([1, 1])
  expect(sent(asked, 0)).toContain('A person answers:\nzero')
})

test('resumed without an answer, it is asked once more under the same id', async () => {
  const { loop } = scripted([QUESTION], { questions: true })
  const run = loop.start(task())
  run.on('question-asked', () => run.abort())
  await run.result
  const { loop: next } = scripted([GOOD], { questions: true })
  const result = await next.resume(task(), run.state()).result
  expect(result).toMatchObject({ status: 'verified', questions: [{ id: 'question-1', by: 'default' }] })
})

test('the wall budget ends the wait', async () => {
  const { loop } = scripted([QUESTION, GOOD], { questions: true, budget: { wallMs: 300 } })
  const run = loop.start(task())
  run.on('question-asked', () => undefined)
  expect(await run.result).toMatchObject({ status: 'exhausted', budget: 'wallMs' })
})

test('a loop that is a tool says what was taken for an answer', async () => {
  const { loop } = scripted([QUESTION, GOOD], { questions: true })
  const tool = asTool(loop, { task: { language: 'python', verify: task().verify } })
  const { text } = await tool.execute({ goal: 'Write something good.' })
  expect(JSON.parse(text)).toMatchObject({
    status: 'verified',
    assumed: ['Should the mean of an empty list be 0 or an error? an error'],
  })
})

describe('in a record', () => {
  test('of a resumed run, what was answered before is at its start', async () => {
    const { loop } = scripted([QUESTION, program('x = 1')], { questions: true, budget: { attempts: 1 } })
    const run = loop.start(task())
    expect((await run.result).status).toBe('exhausted')
    const { loop: next } = scripted([GOOD], { questions: true })
    const { record, questions } = await next.resume(task(), run.state(), { budget: { attempts: 2 } }).result
    expect(questions).toMatchObject([{ id: 'question-1', by: 'default' }])
    const read = recordFromJsonl(recordToJsonl(record))
    expect(read.events[0]).toMatchObject({ type: 'run-start', questions })
    expect((await replayRecord(read).result).questions).toEqual(questions)
  })

  test('questions are written, read, replayed and part of chat data', async () => {
    const { loop } = scripted([QUESTION, program('x = 1'), GOOD], { questions: true })
    const run = loop.start(task())
    run.on('question-asked', ({ id }) => run.answer(id, 'zero'))
    const { record, questions } = await run.result
    const read = recordFromJsonl(recordToJsonl(record))
    expect(read).toEqual(record)
    expect((await replayRecord(read).result).questions).toEqual(questions)
    const [chat] = toChatData(read)
    expect(chat?.metadata.tags).toEqual([
      ['system'],
      ['task'],
      ['question'],
      ['answer', 'human-feedback'],
      ['code'],
      ['execution-feedback'],
      ['code'],
    ])
    expect(chat?.messages[3]?.content).toContain('A person answers:\nzero')
  })

  test('redaction masks the words and keeps what programs read', async () => {
    const { loop } = scripted([QUESTION, GOOD], { questions: true })
    const { record } = await loop.run(task())
    const read = recordFromJsonl(recordToJsonl(record, { redact: () => '***' }))
    expect(read.events.find(({ type }) => type === 'question-answered')).toMatchObject({
      question: '***',
      why: 'question',
      by: 'default',
    })
  })
})
