// What is taken out is taken out of every text, and what is left is still a record.

import { describe, expect, test } from 'vitest'
import { toChatData } from '../../src/trace/chat-data.js'
import { recordFromJsonl, recordToJsonl } from '../../src/trace/record-jsonl.js'
import { writeRecord } from '../../src/trace/record-writer.js'
import { promptsOf } from '../../src/trace/recorded-calls.js'
import { replayRecord } from '../../src/trace/replay-record.js'
import { exitsCleanly } from '../../src/verify/exits-cleanly.js'
import { requires } from '../helpers/requires.js'
import { failedRun, recordedRun, reply } from './recorded-run.js'

const KEY = 'sk-proj-abcdefghijklmnop123456'

describe.runIf(requires('python3'))('a secret that a program prints', () => {
  const leak = [
    reply(`import sys\nprint("key is ${KEY}")\nsys.exit("again ${KEY}")`),
    reply(`key = "${KEY}"`),
  ]
  const leaking = async () =>
    (
      await recordedRun(leak, {
        budget: { attempts: 2 },
        task: { verify: [exitsCleanly()], goal: `Use ${KEY}.` },
      })
    ).result

  test('is in the record as it was, and out of it where it is written with redact', async () => {
    const { record, attempts } = await leaking()
    expect(recordToJsonl(record)).toContain(KEY)
    const text = recordToJsonl(record, { redact: true })
    expect(text).not.toContain(KEY)
    const read = recordFromJsonl(text)
    expect(read.events.map(({ type, sequence }) => [type, sequence])).toEqual(
      record.events.map(({ type, sequence }) => [type, sequence]),
    )
    const replayed = await replayRecord(read).result
    expect(replayed.attempts.map(({ passed }) => passed)).toEqual(attempts.map(({ passed }) => passed))
    expect(replayed.attempts[0]?.execution?.stdout.text).toBe('key is [redacted]\n')
    expect(promptsOf(read)).toHaveLength(promptsOf(record).length)
  })

  test('is out of training data, and of a record written as the run goes on', async () => {
    const { record } = await leaking()
    expect(JSON.stringify(toChatData(record))).toContain(KEY)
    expect(JSON.stringify(toChatData(record, { redact: true }))).not.toContain(KEY)
    let text = ''
    async function* events() {
      yield* record.events
    }
    await writeRecord(
      events(),
      (line) => {
        text += line
      },
      { redact: true },
    )
    expect(text).toBe(recordToJsonl(record, { redact: true }))
  })
})

test('a function of yours gets every text, while names and the words of closed sets stay', async () => {
  const { result } = await failedRun([reply('x = "Ada"')], { task: { goal: 'Greet Ada.', entry: 'Ada.py' } })
  const text = recordToJsonl(result.record, { redact: () => 'Ω' })
  const read = recordFromJsonl(text)
  const replayed = await replayRecord(read).result
  expect(replayed.status).toBe('exhausted')
  expect(Object.entries(replayed.attempts[0]?.candidate.files ?? {})).toEqual([['Ada.py', 'Ω']])
  expect(replayed.attempts[0]?.verdicts).toMatchObject([{ status: 'fail', visibility: 'visible', name: 'Ω' }])
  expect(promptsOf(read)[0]?.messages.map(({ role, content }) => [role, content])).toEqual([
    ['system', 'Ω'],
    ['user', 'Ω'],
  ])
  const [chat] = toChatData(result.record, { redact: (one) => one.replaceAll('Ada', 'Eve') })
  expect(JSON.stringify(chat)).not.toContain('Ada')
  expect(chat?.metadata.tags).toEqual([['system'], ['task'], ['code']])
})

test('a function that gives no text is refused, and a writer writes nothing unredacted then', async () => {
  const { result } = await failedRun([reply('x = 1')])
  expect(() => recordToJsonl(result.record, { redact: () => 1 as never })).toThrow('must return a text')
  expect(() => recordToJsonl(result.record, { redact: 'yes' as never })).toThrow('redact')
})
