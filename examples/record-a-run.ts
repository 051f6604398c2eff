// A record written while the run goes on, and what can be had of it afterwards without model or sandbox.
import { appendFileSync, createReadStream } from 'node:fs'
import {
  createRepairLoop,
  promptsOf,
  pythonTests,
  readRecord,
  replayRecord,
  toChatData,
  writeRecord,
} from '@mendloop/core'
import { scriptedModel } from '@mendloop/core/testing'
import { subprocess } from '@mendloop/sandbox-subprocess'

const [path = 'run.jsonl'] = process.argv.slice(2)
const model = scriptedModel([
  '```python solution.py\ndef median(xs):\n    return sorted(xs)[len(xs) // 2]\n```',
  '```python solution.py\nfrom statistics import median\n```',
])
const run = createRepairLoop({ model, sandbox: subprocess() }).start({
  goal: 'Write median(xs) in solution.py.',
  language: 'python',
  verify: [pythonTests('from solution import median\nassert median([4, 1, 3, 2]) == 2.5')],
})
const written = writeRecord(run, (line) => appendFileSync(path, line), { redact: true })
await run.result
console.log(await written)

const record = await readRecord(createReadStream(path))
for (const { call, messages, reply } of promptsOf(record))
  console.log(`call ${call}: ${messages.length} messages, ${reply?.usage.inputTokens} tokens`)

const replay = replayRecord(record)
replay.on('attempt-end', ({ result }) => console.log(`attempt ${result.attempt}: ${result.passed}`))
const { status, candidate } = await replay.result
console.log(status, candidate?.files['solution.py'])

for (const conversation of toChatData(record, { verifiedOnly: true }))
  console.log(conversation.messages.map(({ role }) => role).join(' '), conversation.metadata.tags)
