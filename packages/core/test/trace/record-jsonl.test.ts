import { expect, test } from 'vitest'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'
import { recordFromJsonl, recordToJsonl } from '../../src/trace/record-jsonl.js'

const record = async () => {
  const model = scriptedModel(['```python\nprint("π")\n```'])
  const verify = [
    {
      name: 'any',
      visibility: 'visible' as const,
      verify: async () => ({ status: 'pass', integrity: 'shared', failures: [] }) as const,
    },
  ]
  return (
    await createRepairLoop({ model, sandbox: memorySandbox() }).run({ goal: 'g', language: 'python', verify })
  ).record
}

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

test('a last line that was cut in the middle is left out and the rest is kept', async () => {
  const one = await record()
  const text = recordToJsonl(one)
  expect(recordFromJsonl(text.slice(0, -7)).events).toEqual(one.events.slice(0, -1))
})

test('a damaged line in the middle is an error that names it', async () => {
  const lines = recordToJsonl(await record()).split('\n')
  lines[2] = '{"type":'
  expect(() => recordFromJsonl(lines.join('\n'))).toThrow(/^Line 3 of the run record/)
})

test.each(['', 'hello\n', '{"format":"other"}\n', '{"format":"mendloop-run","version":9}\n'])(
  'text that is no record is refused: %j',
  (text) => {
    expect(() => recordFromJsonl(text)).toThrow(expect.objectContaining({ code: 'RECORD_INVALID' }))
  },
)
