// A record holds every call of the model: what was sent, word for word, and all that came back.
import { describe, expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import { recordFromJsonl, recordToJsonl } from '../../src/trace/record-jsonl.js'
import { promptsOf } from '../../src/trace/recorded-calls.js'
import { requires } from '../helpers/requires.js'
import { failedRun, MENDED, recordedRun, reply } from './recorded-run.js'

describe.runIf(requires('python3'))('the calls in a record', () => {
  test('are the messages that the model was sent, byte for byte, also after writing and reading', async () => {
    const { model, result } = await recordedRun()
    const read = recordFromJsonl(recordToJsonl(result.record))
    expect(read).toEqual(result.record)
    for (const record of [result.record, read]) {
      const sent = promptsOf(record).map(({ messages }) => messages)
      expect(sent).toHaveLength(MENDED.length)
      expect(JSON.stringify(sent)).toBe(JSON.stringify(model.calls.map(({ messages }) => messages)))
    }
  })

  test('carry settings, usage, price, finish, reasoning, refusal and tool calls', async () => {
    const toolCalls = [{ id: 'c1', name: 'write', arguments: '{"path":' }]
    const warnings = ['prompt-probably-truncated']
    const steps = [
      { text: 'No.', refusal: 'I will not.' },
      { text: reply('x = 1'), toolCalls, finish: 'tool' as const, reasoning: 'why', warnings, raw: 'server' },
    ]
    const settings = { temperature: 0.2, maxOutputTokens: 700, providerOptions: { seed: 7 } }
    const { result } = await recordedRun(steps, { ...settings, budget: { attempts: 1, formatErrors: 1 } })
    const [refused, called] = promptsOf(recordFromJsonl(recordToJsonl(result.record)))
    const usage = { inputTokens: 900, outputTokens: 60, cachedInputTokens: 500 }
    expect(refused).toMatchObject({
      call: 1,
      attempt: 1,
      model: 'scripted',
      settings,
      reply: { text: 'No.', refusal: 'I will not.', finish: 'stop', usage },
      costUsd: 0.25,
    })
    expect(called).toMatchObject({
      call: 2,
      reply: { toolCalls, finish: 'tool', reasoning: 'why', warnings },
    })
    expect(JSON.stringify(result.record)).not.toContain('server')
  })
})

test('a call that failed is there with its error, and the one that followed it has its own number', async () => {
  const failure = new MendloopError('MODEL_REQUEST_FAILED', 'The server is busy.', {
    details: { model: 'scripted', reason: 'overloaded' },
    retryable: true,
  })
  const { result } = await failedRun([failure, reply('x = 1')])
  const calls = promptsOf(result.record)
  expect(calls.map(({ call, error, reply: said }) => [call, error?.code, said?.finish])).toEqual([
    [1, 'MODEL_REQUEST_FAILED', undefined],
    [2, undefined, 'stop'],
  ])
  expect(calls[1]?.messages).toEqual(calls[0]?.messages)
})

test('pictures in messages are bytes again after reading', () => {
  const picture = { type: 'image' as const, mediaType: 'image/png', data: new Uint8Array([0, 255, 137, 80]) }
  const messages = [
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'See: \udc80' }, picture] },
  ]
  const base = { runId: 'r', atMs: 0, attempt: 1, type: 'model-start' as const, model: 'm', settings: {} }
  const events = [1, 2].map((call) => ({ ...base, call, sequence: call, messages }))
  const text = recordToJsonl({ version: 1, runId: 'r', events })
  expect(recordFromJsonl(text).events).toEqual(events)
  expect(text.split('base64')).toHaveLength(2)
})

test('secrets in the options of the provider are masked, and the rest of them is kept', async () => {
  const providerOptions = {
    apiKey: 'plain-secret-1',
    headers: { 'x-api-key': ['plain-secret-2'], Authorization: 'Bearer plain-secret-token-3' },
    note: 'it is sk-abcdefghijklmnopqrstuv',
    max_tokens: 12,
    reasoning: { effort: 'low' },
  }
  const { result, model } = await failedRun([reply('x = 1')], { providerOptions })
  expect(recordToJsonl(result.record)).not.toMatch(/plain-secret|sk-abc/)
  expect(promptsOf(result.record)[0]?.settings.providerOptions).toMatchObject({
    max_tokens: 12,
    reasoning: { effort: 'low' },
  })
  expect(model.calls[0]?.providerOptions).toEqual(providerOptions)
})

test('a prompt that repeats earlier ones is not written again: ten attempts take little more than what is new', async () => {
  const goal = `Write median(xs). ${'It must be exact for every list. '.repeat(200)}`
  const steps = Array.from({ length: 10 }, (_, index) => reply(`name = "${'abcdefghij'[index]}"`))
  const { result } = await failedRun(steps, { task: { goal } })
  expect(promptsOf(result.record)).toHaveLength(10)
  const plain = result.record.events.map((event) => JSON.stringify(event)).join('\n')
  const written = recordToJsonl(result.record)
  const goals = (text: string): number => (text.split('It must be exact').length - 1) / 200
  // In the first event and in every prompt; in the first event and in the first prompt.
  expect([goals(plain), goals(written)]).toEqual([11, 2])
  expect(written.length).toBeLessThan(plain.length / 2)
})
