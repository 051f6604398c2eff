// Whenever a run with people in it is aborted, it ends at once, once, and can be gone on with without paying twice.
import { expect, test } from 'vitest'
import type { LoopHooks } from '../../../src/contract/hooks.js'
import type { LoopEvent, LoopRun, RepairResult } from '../../../src/index.js'
import { program, QUESTION, scripted, task } from './parts.js'

const REPLIES = [QUESTION, program('x = 1'), program('x = "good"')]
const pause = async (): Promise<undefined> => {
  await new Promise((resolve) => setTimeout(resolve, 2))
  return undefined
}
const hooks: LoopHooks = { beforeModelCall: pause, beforeExecute: pause, afterAttempt: pause }

function answering(run: LoopRun<RepairResult>): LoopRun<RepairResult> {
  return run.on('question-asked', ({ id }) => void setTimeout(() => run.answer(id, '0'), 2))
}

/** Aborts at the event of this index, or a moment after it. */
async function abortedAt(
  index: number,
  delayMs: number,
): Promise<{ run: LoopRun<RepairResult>; tookMs: number }> {
  const run = scripted(REPLIES, { questions: true, hooks }).loop.start(task())
  // What comes too late for the run is the listener's own trouble.
  run.on(
    'question-asked',
    ({ id }) =>
      void setTimeout(() => {
        try {
          run.answer(id, '0')
        } catch {}
      }, 2),
  )
  let at = 0
  for await (const event of run as AsyncIterable<LoopEvent>) {
    if (event.sequence !== index) continue
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    at = performance.now()
    run.abort()
  }
  await run.result
  return { run, tookMs: at === 0 ? 0 : performance.now() - at }
}

test('at each of its events and a moment later', async () => {
  const whole = await answering(scripted(REPLIES, { questions: true, hooks }).loop.start(task())).result
  expect(whole.status).toBe('verified')
  const last = whole.record.events.at(-1)?.sequence ?? 0
  expect(last).toBeGreaterThan(15)
  for (let index = 0; index < last; index++)
    for (const delayMs of [0, 1]) {
      const { run, tookMs } = await abortedAt(index, delayMs)
      const { status, record } = await run.result
      expect(['aborted', 'verified']).toContain(status)
      expect(tookMs).toBeLessThan(1000)
      expect(record.events.filter(({ type }) => type === 'run-end')).toMatchObject([{ status }])
      if (status === 'verified') continue
      const left = REPLIES.slice(run.spent.modelCalls)
      const next = scripted(left, { questions: true, hooks })
      const state = JSON.parse(JSON.stringify(run.state()))
      const result = await answering(next.loop.resume(task(), state)).result
      expect(result).toMatchObject({ status: 'verified', spent: { attempts: 2, modelCalls: 3 } })
      expect(result.questions).toMatchObject([{ id: 'question-1', answer: '0', by: 'person' }])
      next.model.assertUsedUp()
    }
})
