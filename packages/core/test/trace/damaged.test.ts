// Records come out of somebody's storage: whatever became of one, it is read, or refused with the line, and nothing else.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import { toChatData } from '../../src/trace/chat-data.js'
import { type ReadRecord, recordFromJsonl, recordToJsonl } from '../../src/trace/record-jsonl.js'
import { promptsOf } from '../../src/trace/recorded-calls.js'
import { replayRecord } from '../../src/trace/replay-record.js'
import { failedRun, reply } from './recorded-run.js'

const { result } = await failedRun(['No program.', reply('x = "é"'), { text: '', refusal: 'No.' }], {
  budget: { attempts: 3, formatErrors: 1 },
})
const text = recordToJsonl(result.record)
const lines = text.trimEnd().split('\n')

/** Reads, and uses whatever was read. */
async function use(damaged: string): Promise<ReadRecord | undefined> {
  try {
    const record = recordFromJsonl(damaged)
    promptsOf(record)
    toChatData(record, { heldOut: true, redact: true })
    recordToJsonl(record)
    await replayRecord(record).result
    return record
  } catch (error) {
    if (!MendloopError.is(error, 'RECORD_INVALID') || error.details.line === undefined) throw error
    return undefined
  }
}

test('cut anywhere, a record gives every event before the cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(text.length), async (length) => {
      const cut = text.slice(0, length)
      const whole = cut.split('\n').length - 2
      const events = (await use(cut))?.events ?? []
      expect(events.length - Math.max(0, whole)).toBeOneOf([0, 1])
      expect(events).toEqual(result.record.events.slice(0, events.length))
    }),
  )
})

test('a value that became another is refused with its line or does no harm', async () => {
  const line = fc.integer({ min: 1, max: lines.length - 1 })
  await fc.assert(
    fc.asyncProperty(
      line,
      fc.nat(),
      fc.oneof(fc.constant(null), fc.integer(), fc.jsonValue()),
      async (at, place, value) => {
        const copy = [...lines]
        copy[at] = changed(copy[at] ?? '', place, value)
        await use(copy.join('\n'))
      },
    ),
    { numRuns: 400 },
  )
})

/** One line with the value at its nth place replaced. */
function changed(line: string, place: number, value: unknown): string {
  const event: unknown = JSON.parse(line)
  const places: (() => void)[] = []
  const visit = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) return
    const inner = one as Record<string, unknown>
    for (const key of Object.keys(inner)) {
      places.push(() => {
        inner[key] = value
      })
      visit(inner[key])
    }
  }
  visit(event)
  places[place % places.length]?.()
  return JSON.stringify(event)
}
