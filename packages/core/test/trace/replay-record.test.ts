// A record is enough: without model or sandbox the same events come, and the same end.
import { describe, expect, test, vi } from 'vitest'
import type { LoopEvent } from '../../src/contract/events.js'
import type { RepairResult } from '../../src/contract/loop.js'
import { recordFromJsonl, recordToJsonl } from '../../src/trace/record-jsonl.js'
import type { RecordedResult } from '../../src/trace/recorded-result.js'
import { replayRecord } from '../../src/trace/replay-record.js'
import { requires } from '../helpers/requires.js'
import { failedRun, MENDED, recordedRun, reply } from './recorded-run.js'

async function eventsOf(run: AsyncIterable<LoopEvent>): Promise<LoopEvent[]> {
  const events: LoopEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

/** What a record can give back of a result. */
function comparable(result: RepairResult | RecordedResult): Record<string, unknown> {
  const { status, attempts, best, diff, spent, guarantees, record } = result
  const candidate = 'candidate' in result ? result.candidate : undefined
  // A run goes on for a moment after its last event.
  const { wallMs: _wallMs, ...known } = spent ?? { wallMs: 0 }
  return { status, attempts, best, diff, spent: known, guarantees, candidate, events: record.events }
}

describe.runIf(requires('python3'))('a run with real programs', () => {
  test('is replayed with equal events and an equal result, from its lines', async () => {
    const { result } = await recordedRun()
    expect(result.status).toBe('verified')
    expect(result.attempts.map(({ execution }) => execution?.outcome)).toEqual([
      { kind: 'exit', code: 3 },
      { kind: 'exit', code: 0 },
      { kind: 'exit', code: 0 },
    ])
    const text = recordToJsonl(result.record)
    const replay = replayRecord(recordFromJsonl(text))
    expect(await eventsOf(replay)).toEqual(result.record.events)
    expect(comparable(await replay.result)).toEqual(comparable(result))
    expect(replay.id).toBe(result.record.runId)
    expect(recordToJsonl((await replay.result).record)).toBe(text)
  })

  test('that ended without success is replayed as it ended', async () => {
    const { result } = await recordedRun(MENDED, { budget: { attempts: 2 } })
    const replayed = await replayRecord(recordFromJsonl(recordToJsonl(result.record))).result
    expect(comparable(replayed)).toEqual(comparable(result))
    expect([replayed.status, replayed.detail]).toEqual(['exhausted', 'attempts'])
  })

  test('that stalled on one program is replayed with what that program did', async () => {
    const same = Array.from({ length: 6 }, () => reply('raise SystemExit(4)'))
    const { result } = await recordedRun(same, { budget: { attempts: 6 } })
    expect(result.status).toBe('stalled')
    const replayed = await replayRecord(recordFromJsonl(recordToJsonl(result.record))).result
    expect(comparable(replayed)).toEqual(comparable(result))
    expect(replayed.attempts.at(-1)?.execution?.outcome).toEqual({ kind: 'exit', code: 4 })
  })

  test('that began with a program of the task is replayed with that as its first attempt', async () => {
    const program = { 'solution.py': 'def median(xs):\n    return xs[0]\n' }
    const { result } = await recordedRun([reply('from statistics import median')], { task: { program } })
    const replayed = await replayRecord(recordFromJsonl(recordToJsonl(result.record))).result
    expect(replayed.attempts.map(({ attempt }) => attempt)).toEqual([0, 1])
    expect(comparable(replayed)).toEqual(comparable(result))
  })
})

const short = async (): Promise<RepairResult> => (await failedRun([reply('x = 1')])).result

test('listeners hear a replay as they hear a run', async () => {
  const { record } = await short()
  const replay = replayRecord(record)
  const heard: string[] = []
  const never = vi.fn()
  replay.on('candidate-ready', ({ candidate }) => heard.push(candidate.files['solution.py'] ?? ''))
  replay.once('run-end', ({ status }) => heard.push(status))
  replay.on('run-start', never).off('run-start', never)
  await replay.result
  expect(heard).toEqual(['x = 1\n', 'exhausted'])
  expect(never).not.toHaveBeenCalled()
})

test('at recorded pace every event comes no earlier than it did, and an abort ends the wait', async () => {
  const { record } = await short()
  const slow = { ...record, events: record.events.map((event, at) => ({ ...event, atMs: at * 30 })) }
  const startedAt = performance.now()
  const times: number[] = []
  for await (const _ of replayRecord(slow, { speed: 2 })) times.push(performance.now() - startedAt)
  expect(times).toHaveLength(slow.events.length)
  for (const [at, ms] of times.entries()) expect(ms).toBeGreaterThanOrEqual(at * 15 - 2)

  const endless = { ...record, events: record.events.map((event, at) => ({ ...event, atMs: at * 1e6 })) }
  const controller = new AbortController()
  const replay = replayRecord(endless, { speed: 1, signal: controller.signal })
  replay.on('run-start', () => controller.abort())
  expect((await replay.result).status).toBe('unfinished')
  expect(await eventsOf(replay)).toEqual(endless.events.slice(0, 1))
})

test('a record that ends before its run did is unfinished, with what there is', async () => {
  const { record } = await short()
  const replayed = await replayRecord({ ...record, events: record.events.slice(0, -1) }).result
  expect(replayed.status).toBe('unfinished')
  expect(replayed.attempts).toHaveLength(1)
})

test('of a resumed run the attempts before it are there, where its first event has them', async () => {
  const { record, attempts } = await short()
  const before = attempts.map((one) => ({ ...one, attempt: 0 }))
  const events = record.events.map((event) =>
    event.type === 'run-start' ? { ...event, attempts: before } : event,
  )
  expect((await replayRecord({ ...record, events }).result).attempts).toEqual([...before, ...attempts])
})

test('an unknown or impossible option is refused', async () => {
  const { record } = await short()
  expect(() => replayRecord(record, { speed: 0 })).toThrow('must be more than 0')
  expect(() => replayRecord(record, { sped: 1 } as never)).toThrow('speed')
})
