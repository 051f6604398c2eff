import { expect, test } from 'vitest'
import type { LoopEvent } from '../../src/contract/events.js'
import type { RunRecord } from '../../src/contract/loop.js'
import { readRecord, readRecordEvents, recordFromJsonl, recordToJsonl } from '../../src/trace/record-jsonl.js'
import { failedRun, reply } from './recorded-run.js'

const record = async (): Promise<RunRecord> => {
  const steps = [reply('print("π")'), reply('print("¾")')]
  const { result } = await failedRun(steps)
  return result.record
}

const linesOf = async (): Promise<string[]> => recordToJsonl(await record()).split('\n')

const problem = (reason: RegExp | string) =>
  expect.objectContaining({ code: 'RECORD_INVALID', message: expect.stringMatching(reason) })

test('a record is one header line and one line an event, and reads back equal', async () => {
  const one = await record()
  const text = recordToJsonl(one)
  expect(text.split('\n')).toHaveLength(one.events.length + 2)
  expect(JSON.parse(text.split('\n')[0] ?? '')).toEqual({
    format: 'mendloop-run',
    version: 1,
    runId: one.runId,
  })
  expect(recordFromJsonl(text)).toEqual(one)
})

test('a last line that was cut anywhere is left out and told of, and the rest is kept', async () => {
  const one = await record()
  const text = recordToJsonl(one)
  const last = text.length - text.trimEnd().lastIndexOf('\n') - 2
  for (const left of [1, 7, Math.floor(last / 2), last - 1]) {
    const cut = recordFromJsonl(text.slice(0, -1 - left))
    expect(cut.events).toEqual(one.events.slice(0, -1))
    expect(cut.cut).toEqual({ line: one.events.length + 1 })
  }
})

test('a last line that lacks only its newline is whole', async () => {
  const one = await record()
  expect(recordFromJsonl(recordToJsonl(one).trimEnd())).toEqual(one)
})

test('a stream cut within a character and within a line is read to the last whole event, and says so', async () => {
  const one = await record()
  const bytes = Buffer.from(recordToJsonl(one))
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) =>
    bytes.subarray(at * 7, at * 7 + 7),
  )
  expect(await readRecord(pieces)).toEqual(one)
  const cuts: unknown[] = []
  const events: LoopEvent[] = []
  const onCut = (cut: unknown): void => void cuts.push(cut)
  for await (const event of readRecordEvents(pieces.slice(0, -2), { onCut })) events.push(event)
  expect(events).toEqual(one.events.slice(0, -1))
  expect(cuts).toEqual([{ line: one.events.length + 1 }])
})

test('a damaged line in the middle is an error that names it', async () => {
  for (const damage of ['{"type":', '', '[1]', '{"type":"run-start"}', '{}']) {
    const lines = await linesOf()
    lines[2] = damage
    expect(() => recordFromJsonl(lines.join('\n'))).toThrow(problem(/^Line 3 of the run record/))
    await expect(readRecord(lines.join('\n'))).rejects.toThrow(problem(/^Line 3 of the run record/))
  }
})

test('an event that lacks what every reader needs is an error that names its place', async () => {
  const lines = await linesOf()
  const at = lines.findIndex((line) => line.includes('"type":"attempt-end"'))
  lines[at] = (lines[at] ?? '').replace('"passed":false', '"passed":"no"')
  expect(() => recordFromJsonl(lines.join('\n'))).toThrow(
    problem(`Line ${at + 1} of the run record: this event "attempt-end" is damaged at result.passed.`),
  )
})

test('lines that are out of order, twice there, of another run or of a second record are refused', async () => {
  const lines = await linesOf()
  const broken = (change: (copy: string[]) => void): string => {
    const copy = [...lines]
    change(copy)
    return copy.join('\n')
  }
  const twice = broken((copy) => copy.splice(3, 0, copy[2] ?? ''))
  expect(() => recordFromJsonl(twice)).toThrow(problem(/^Line 4 .* out of order/))
  const other = broken((copy) => copy.splice(2, 1, (copy[2] ?? '').replace('"runId":"run-', '"runId":"x-')))
  expect(() => recordFromJsonl(other)).toThrow(problem(/^Line 3 .* of another run/))
  const second = broken((copy) => copy.splice(5, 0, copy[0] ?? ''))
  expect(() => recordFromJsonl(second)).toThrow(problem(/^Line 6 .* second record/))
})

test('the execution of an attempt is written once, with the step that it was, and is whole again when read', async () => {
  const one = await record()
  const stdout = { text: 'out '.repeat(500), bytes: 2000, truncated: false, omittedBytes: 0 }
  const result = { outcome: { kind: 'exit', code: 1 }, ok: false, stdout, usage: {}, changes: [] }
  const execution = { ...result, step: 'compile' }
  const events = one.events.flatMap((event): unknown[] => {
    if (event.type !== 'attempt-end') return [event]
    const { sequence } = event
    const ran = {
      ...event,
      sequence: sequence - 0.5,
      type: 'execution-end',
      command: 'cc',
      purpose: 'program',
      result,
    }
    return [ran, { ...event, result: { ...event.result, execution } }]
  })
  const whole = events.map((event, sequence) => ({ ...(event as LoopEvent), sequence })) as LoopEvent[]
  const text = recordToJsonl({ ...one, events: whole })
  expect(text).toMatch(/"execution":\{"same":\d+,"step":"compile"\}/)
  expect(text.split(stdout.text)).toHaveLength(3)
  expect(recordFromJsonl(text).events).toEqual(whole)
})

test('a repetition of what is not there is refused', async () => {
  const lines = await linesOf()
  const at = lines.findIndex((line) => line.includes('{"same":0}'))
  lines[at] = (lines[at] ?? '').replace('{"same":0}', '{"same":99}')
  expect(() => recordFromJsonl(lines.join('\n'))).toThrow(
    problem(new RegExp(`^Line ${at + 1} .*repeats a message`)),
  )
})

test.each([
  '',
  '\n',
  'hello\n',
  '{"format":"other"}\n',
  '{"format":"mendloop-run","version":9,"runId":"r"}\n',
  '{"format":"mendloop-run","version":1}\n',
  '{"format":"mendloop-ru',
])('text that is no record of this version is refused: %j', async (text) => {
  expect(() => recordFromJsonl(text)).toThrow(problem(/^Line 1 /))
  await expect(readRecord([text])).rejects.toThrow(problem(/^Line 1 /))
})

test('what JSON cannot hold in an event of somebody else breaks no record', () => {
  const loop: Record<string, unknown> = { big: 12n, call: () => 1, gap: undefined, nan: Number.NaN }
  loop['self'] = loop
  const event = {
    type: 'verification-end',
    runId: 'r',
    sequence: 0,
    atMs: 0,
    attempt: 1,
    verdict: { name: 'mine', status: 'pass', failures: [], extra: loop },
  } as unknown as LoopEvent
  const [read] = recordFromJsonl(recordToJsonl({ version: 1, runId: 'r', events: [event] })).events
  expect(read).toMatchObject({ verdict: { extra: { big: '12', nan: null, self: '[circular]' } } })
})
