// npm run replays -- --data DIR [--runs A,B] [--every N]: recorded replies of real models through the repair loop, against the
// first passing turn that was measured for each.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { replayTask } from './replay-run.js'
import { benchmarkTasks, linesOf } from './tasks.js'

interface Turn {
  readonly run: string
  readonly dataset: string
  readonly task_id: string
  readonly turn: number
  readonly reply: string
}

type Expected = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, readonly [number | null, string]>>>>>
>

const AT_ONCE = 2

const { values } = parseArgs({
  options: { data: { type: 'string' }, runs: { type: 'string' }, every: { type: 'string' } },
})
if (values.data === undefined) throw new Error('Name the folder of recorded data with --data.')
const data = resolve(process.env['INIT_CWD'] ?? '.', values.data)
const tasks = benchmarkTasks(data)
const turns = linesOf(join(data, 'llm-logs/mint-multiturn.jsonl')) as Turn[]
const { tasks: expected } = JSON.parse(
  readFileSync(join(data, 'llm-logs/mint-replay-expected.json'), 'utf8'),
) as { tasks: Expected }

const conversations = new Map<string, Turn[]>()
for (const turn of turns) {
  const key = `${turn.run}\0${turn.dataset}\0${turn.task_id}`
  conversations.set(key, [...(conversations.get(key) ?? []), turn])
}
const wanted = [...conversations.values()]
  .filter(([first]) => values.runs === undefined || values.runs.split(',').includes(first?.run ?? ''))
  .filter((_, index) => index % Number(values.every ?? 1) === 0)
let passed = 0
let failed = 0
const queue = wanted.values()
const work = async (): Promise<void> => {
  for (const conversation of queue) await replay(conversation)
}
await Promise.all(Array.from({ length: AT_ONCE }, work))
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && wanted.length > 0 ? 0 : 1

async function replay(conversation: readonly Turn[]): Promise<void> {
  const ordered = conversation.toSorted((a, b) => a.turn - b.turn)
  const [first] = ordered
  const task = first && tasks.get(first.task_id)
  if (first === undefined || task === undefined) throw new Error(`There is no task ${first?.task_id}.`)
  const replies = ordered.map(({ reply }) => reply)
  const { firstPass = null, status } = await replayTask(subprocess(), task, replies)
  const wantedTurn = expected[first.run]?.[first.dataset]?.[first.task_id]?.[0] ?? null
  if (firstPass === wantedTurn) passed++
  else {
    failed++
    console.log(
      `${first.run} ${first.task_id}: first passes on turn ${firstPass}, not ${wantedTurn} (${status})`,
    )
  }
}
