// A hook that suspends ends the run; whoever has the answer goes on, perhaps elsewhere, and nothing is paid twice.
import { describe, expect, test } from 'vitest'
import type { LoopHooks } from '../../../src/contract/hooks.js'
import type { RepairResult, RunState } from '../../../src/contract/loop.js'
import { replayRecord } from '../../../src/trace/replay-record.js'
import { program, scripted, sent, task } from './parts.js'

const GOOD = program('x = "good"')
const APPROVAL: LoopHooks = { beforeExecute: () => ({ decision: 'suspend', question: 'May it run?' }) }

/** The state of a run that asks a person, as another process would read it. */
async function suspended(hooks: LoopHooks, reply = GOOD): Promise<{ state: RunState; result: RepairResult }> {
  const result = await scripted([reply], { hooks }).loop.run(task())
  if (result.status !== 'needs-human') throw new Error(`It ended as ${result.status}.`)
  return { state: JSON.parse(JSON.stringify(result.state)), result }
}

describe('before a program runs', () => {
  test('the run ends with a question and a hand-over', async () => {
    const { result } = await suspended(APPROVAL)
    expect(result).toMatchObject({
      status: 'needs-human',
      question: {
        id: 'question-1',
        question: 'May it run?',
        options: ['allow', 'deny'],
        recommended: 'deny',
        why: 'approval',
        hook: 'beforeExecute',
      },
      handover: { question: 'May it run?' },
      questions: [],
      spent: { attempts: 0, modelCalls: 1 },
    })
    const types = result.record.events.map(({ type }) => type)
    expect(types.slice(-2)).toEqual(['question-asked', 'run-end'])
  })

  test('an answer of allow goes on with the same hook, and the model is not asked again', async () => {
    const { state } = await suspended(APPROVAL)
    const { loop, model } = scripted([], { hooks: APPROVAL })
    const result = await loop.resume(task(), state, { answers: { 'question-1': 'allow' } }).result
    expect(result).toMatchObject({
      status: 'verified',
      spent: { attempts: 1, modelCalls: 1 },
      questions: [{ id: 'question-1', answer: 'allow', by: 'person' }],
    })
    expect(model.calls).toHaveLength(0)
    // The record of a resumed run begins where it was resumed, and still says what was answered.
    expect((await replayRecord(result.record).result).questions).toEqual(result.questions)
    const later = await loop.resume(task(), state, {
      answers: { 'question-1': 'no' },
      budget: { attempts: 1 },
    }).result
    expect(later).toMatchObject({ status: 'exhausted', attempts: [{ failures: [{ kind: 'denied' }] }] })
  })

  test('an answer of deny is a denial, and the next program is asked for anew', async () => {
    const { state } = await suspended(APPROVAL)
    const { loop, model } = scripted([program('x = "good" # 2')], { hooks: APPROVAL })
    const result = await loop.resume(task(), state, { answers: { 'question-1': 'deny' } }).result
    expect(result).toMatchObject({
      status: 'needs-human',
      question: { id: 'question-2' },
      attempts: [{ failures: [{ kind: 'denied' }], verdicts: [{ status: 'not-run' }] }],
    })
    expect(sent(model, 0)).toContain('A person was asked "May it run?" and said deny.')
  })

  test('another answer is handed to the hook', async () => {
    const hooks: LoopHooks = {
      beforeExecute: ({ answer }) =>
        answer === undefined
          ? { decision: 'suspend', question: { question: 'Which value?', recommended: 'x = 1' } }
          : { decision: 'edit', files: { 'solution.py': `${answer.answer}\n` } },
    }
    const { state } = await suspended(hooks, program('x = 0'))
    const { loop } = scripted([], { hooks })
    const result = await loop.resume(task(), state, { answers: { 'question-1': 'x = "good!"' } }).result
    expect(result.status === 'verified' && result.candidate.files['solution.py']).toBe('x = "good!"\n')
  })

  test('without an answer the hook is asked again, under the same id where it still asks', async () => {
    const { state } = await suspended(APPROVAL)
    const again = await scripted([], { hooks: APPROVAL }).loop.resume(task(), state).result
    expect(again).toMatchObject({ status: 'needs-human', question: { id: 'question-1' } })
    const free = await scripted([]).loop.resume(task(), state).result
    expect(free).toMatchObject({ status: 'verified', questions: [] })
  })
})

test('before the model is asked, an answer of allow is good for one call', async () => {
  const hooks: LoopHooks = { beforeModelCall: () => ({ decision: 'suspend', question: 'May it be asked?' }) }
  const { state } = await suspended(hooks)
  const { loop, model } = scripted([program('x = 1')], { hooks })
  const result = await loop.resume(task(), state, { answers: { 'question-1': 'Yes' } }).result
  expect(result).toMatchObject({
    status: 'needs-human',
    question: { id: 'question-2' },
    spent: { attempts: 1 },
  })
  expect(model.calls).toHaveLength(1)
})

test('a second reading that a person denies is left out, and the next program is asked for', async () => {
  const hooks: LoopHooks = {
    beforeModelCall: ({ purpose }) =>
      purpose === 'diagnosis' ? { decision: 'suspend', question: 'A second reading?' } : undefined,
  }
  const options = { hooks, diagnosis: { afterRepeats: 0 } }
  const first = await scripted([program('x = 1')], options).loop.run(task())
  if (first.status !== 'needs-human') throw new Error(first.status)
  const { loop, model } = scripted([GOOD], options)
  const result = await loop.resume(task(), first.state, { answers: { 'question-1': 'no' } }).result
  expect(result.status).toBe('verified')
  expect(model.calls).toHaveLength(1)
})

test('a listener that answers an approval is told how it is answered', async () => {
  const { loop } = scripted([GOOD], { hooks: APPROVAL })
  const run = loop.start(task())
  let error: unknown
  run.on('question-asked', ({ id }) => {
    try {
      run.answer(id, 'allow')
    } catch (thrown) {
      error = thrown
    }
  })
  expect((await run.result).status).toBe('needs-human')
  expect(error).toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining('loop.resume(task, state'),
  })
})

describe('after an attempt', () => {
  const hooks: LoopHooks = {
    afterAttempt: ({ result }) =>
      result.attempt === 1 ? { decision: 'suspend', question: 'A hint?' } : undefined,
  }

  test('other words are advice for the model, in every prompt from then on', async () => {
    const { state } = await suspended(hooks, program('x = 1'))
    const { loop, model } = scripted([program('x = 2'), GOOD], { hooks })
    const advice = 'Say  "good",\n\tnothing else.'
    const result = await loop.resume(task(), state, { answers: { 'question-1': advice } }).result
    expect(result.status).toBe('verified')
    for (const call of [0, 1]) expect(sent(model, call)).toContain(`A person advises:\n${advice}`)
  })

  test('a program that passed is verified once a person allows it', async () => {
    const { state, result: first } = await suspended(hooks)
    expect(first.attempts[0]?.passed).toBe(true)
    const { loop } = scripted([], { hooks })
    expect(await loop.resume(task(), state).result).toMatchObject({ status: 'needs-human' })
    const allowed = await loop.resume(task(), state, { answers: { 'question-1': 'allow' } }).result
    expect(allowed).toMatchObject({ status: 'verified', spent: { attempts: 1 } })
    const denied = await loop.resume(task(), state, { answers: { 'question-1': 'deny' } }).result
    expect(denied).toMatchObject({ status: 'needs-human', question: { id: 'question-2', why: 'escalation' } })
  })
})

test('an answer to what is not open is refused, and so are answers to a run that begins', async () => {
  const { state } = await suspended(APPROVAL)
  const { loop, model } = scripted([GOOD])
  expect(() => loop.resume(task(), state, { answers: { 'question-2': 'allow' } })).toThrow(
    /"answers\.question-2"/,
  )
  expect(() => loop.resume(task(), state, { answers: { 'question-1': '' } })).toThrow(/must be words/)
  expect(() => loop.start(task(), { answers: {} } as never)).toThrow(/unknown option "answers"/)
  await new Promise((resolve) => setTimeout(resolve, 20))
  // No run has begun behind the error.
  expect(model.calls).toHaveLength(0)
})

test('a state survives being resumed, stopped and resumed again before the answer was acted on', async () => {
  const { state } = await suspended(APPROVAL)
  const { loop } = scripted([], { hooks: APPROVAL })
  const stopped = loop.resume(task(), state, { answers: { 'question-1': 'allow' } })
  const kept = JSON.parse(JSON.stringify(stopped.state()))
  stopped.abort()
  expect((await stopped.result).status).toBe('aborted')
  const result = await loop.resume(task(), kept).result
  expect(result).toMatchObject({ status: 'verified', questions: [{ answer: 'allow' }] })
})

test('a damaged list of questions, and an unknown version, is refused', async () => {
  const { state } = await suspended(APPROVAL)
  const { loop } = scripted([])
  const data = { ...(state.data as object), questions: { answered: 'no', dropped: 0 } }
  expect(() => loop.resume(task(), { ...state, data })).toThrow(/its data is damaged/)
  expect(() => loop.resume(task(), { ...state, version: 2 as never })).toThrow(/version 2/)
})
