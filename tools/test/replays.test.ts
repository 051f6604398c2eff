// The tool that replays recorded replies: what it reads, how it disturbs a reply, and that a difference is told.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type Turn, toConversations } from '../replays/conversations.js'
import { extract } from '../replays/extract-set.js'
import { HARMLESS, HOSTILE, randomFrom } from '../replays/noise.js'
import { noise } from '../replays/noise-set.js'
import { LOGS } from '../replays/replay-set.js'

const program = 'def f(x):\n    return x + 1\n'
const chat = `Sure.\n\n\`\`\`python\n${program}\`\`\`\n`
const turn = (over: Partial<Turn> = {}): Turn => ({
  run: 'r',
  dataset: 'd',
  task_id: 'T/1',
  turn: 1,
  form: 'chat',
  reply: chat,
  ...over,
})

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** A folder of recorded data in which one log has these turns. */
function dataWith(...turns: readonly Turn[]): string {
  const data = mkdtempSync(join(tmpdir(), 'mendloop-replays-'))
  folders.push(data)
  mkdirSync(join(data, 'llm-logs'))
  writeFileSync(join(data, 'llm-logs/prompts.json'), '{"ldb_header":"import re\\n"}')
  for (const log of LOGS) writeFileSync(join(data, 'llm-logs', log), '')
  writeFileSync(join(data, 'llm-logs', LOGS[0]), turns.map((one) => `${JSON.stringify(one)}\n`).join(''))
  return data
}

const request = (...turns: readonly Turn[]) => ({ data: dataWith(...turns), runs: undefined, every: 1 })

test('turns are grouped by run and task, in order, each with its whole reply', () => {
  const { reply: _, ...silent } = turn({ turn: 3, same_as_previous: true, header: true })
  const found = toConversations(
    [silent, turn({ turn: 2, reply: 'b', header: true }), turn({ reply: 'a' }), turn({ run: 's' })],
    'import re\n',
  )
  expect(found.map(({ run, replies }) => [run, replies])).toEqual([
    ['r', ['a', 'import re\nb', 'import re\nb']],
    ['s', [chat]],
  ])
})

test('a first turn that repeats nothing is refused', () => {
  const { reply: _, ...silent } = turn({ same_as_previous: true })
  expect(() => toConversations([silent], '')).toThrow('Turn 1 of r, T/1 has no reply.')
})

test('a program that the log saw pass has to come out as it is', async () => {
  const tally = await extract.replay(
    request(
      turn({ final: 'pass', extracted: program }),
      turn({ task_id: 'T/2', final: 'pass', extracted: 'def g():\n    return 2\n' }),
      turn({ task_id: 'T/3', reply: 'No idea.' }),
    ),
  )
  expect(tally.agreed).toBe(2)
  expect(tally.differences).toEqual([expect.stringContaining('r T/2 turn 1, program: def f(x):')])
  expect(tally.notes).toEqual(['mint-multiturn.jsonl: 2 ok, 1 prose'])
})

test('noise round a reply changes nothing, and what breaks it throws nothing', async () => {
  const tagged = `<thought>Well.</thought>\n<execute>\n${program}</execute>\n`
  const tally = await noise.replay(request(turn(), turn({ task_id: 'T/2', reply: tagged })))
  expect(tally).toMatchObject({ agreed: 8, differences: [] })
})

test('each change changes a reply, and the same seed gives the same one', () => {
  const reply = `<execute>\nprint(1)\n</execute>\n${chat.repeat(20)}`
  for (const change of Object.values({ ...HARMLESS, ...HOSTILE })) {
    expect(change(reply, randomFrom(7))).not.toBe(reply)
    expect(change(reply, randomFrom(7))).toBe(change(reply, randomFrom(7)))
  }
})
