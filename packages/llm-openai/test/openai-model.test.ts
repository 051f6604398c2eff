import { expect, test, vi } from 'vitest'
import { hello, modelAt } from './helpers/ask.js'
import { chunk, completion, events, json, startServer } from './helpers/scripted-server.js'

const DONE = 'data: [DONE]\n\n'

test('a whole reply gives text, finish, usage and the raw answer', async () => {
  await using server = await startServer(
    completion('print(1)', {
      usage: {
        prompt_tokens: 20,
        completion_tokens: 7,
        prompt_tokens_details: { cached_tokens: 16 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
    }),
  )
  const { raw, ...reply } = await modelAt(server.baseURL).generate(hello())
  expect(reply).toEqual({
    text: 'print(1)',
    toolCalls: [],
    finish: 'stop',
    usage: { inputTokens: 20, cachedInputTokens: 16, outputTokens: 7, reasoningTokens: 3 },
  })
  expect(raw).toHaveProperty('choices')
  expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions' })
  expect(server.requests[0]?.body).toEqual({ model: 'tiny', messages: [{ role: 'user', content: 'hello' }] })
})

test('with onDelta the reply is streamed, and usage comes from a last chunk without choices', async () => {
  const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }
  const last = `data: ${JSON.stringify({ choices: [], usage })}\n\n`
  await using server = await startServer(
    events(
      chunk({ role: 'assistant', content: null }) +
        chunk({ content: 'Hel' }) +
        chunk({ content: 'lo' }) +
        chunk({}, 'stop') +
        last +
        DONE,
    ),
  )
  const deltas: string[] = []
  const reply = await modelAt(server.baseURL).generate(hello({ onDelta: (text) => deltas.push(text) }))
  expect(reply).toEqual({
    text: 'Hello',
    toolCalls: [],
    finish: 'stop',
    usage: { inputTokens: 5, outputTokens: 2 },
  })
  expect(deltas).toEqual(['Hel', 'lo'])
  expect(server.requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
})

test('a stream is read alike however its bytes are cut', async () => {
  const text = `\uFEFF: hello\r\n\r\n${chunk({ content: 'né 日本 😀' }).replaceAll('\n', '\r\n')}${chunk({}, 'stop')}${DONE}`
  for (const piece of [1, 2, 3, 5]) {
    await using server = await startServer({ steps: [{ send: text, piece }] })
    const reply = await modelAt(server.baseURL, { stream: true }).generate(hello())
    expect(reply.text).toBe('né 日本 😀')
  }
})

test('usage that was not reported is estimated and flagged, never 0', async () => {
  await using server = await startServer(
    completion('some text'),
    events(chunk({ content: 'some text' }, 'stop')),
  )
  const model = modelAt(server.baseURL)
  const expected = { inputTokens: 2, outputTokens: 3, estimated: true }
  expect((await model.generate(hello())).usage).toEqual(expected)
  expect((await model.generate(hello({ onDelta: () => undefined }))).usage).toEqual(expected)
})

test.each([
  ['counts that are no counts', { prompt_tokens: '20', completion_tokens: Number.MAX_VALUE }],
  ['zeros beside a text', { prompt_tokens: 0, completion_tokens: 0 }],
  ['nothing', null],
])('%s in the usage count as not reported', async (_name, usage) => {
  await using server = await startServer(completion('some text', { usage }))
  const reply = await modelAt(server.baseURL).generate(hello())
  expect(reply.usage).toEqual({ inputTokens: 2, outputTokens: 3, estimated: true })
})

test('reasoning that a server leaves out of the reply tokens is added', async () => {
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 40,
    completion_tokens_details: { reasoning_tokens: 25 },
  }
  await using server = await startServer(completion('x', { usage }))
  expect((await modelAt(server.baseURL).generate(hello())).usage).toMatchObject({
    outputTokens: 30,
    reasoningTokens: 25,
  })
})

test.each([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'filter'],
  ['eos_token', 'stop'],
  ['something_new', 'other'],
  // A stop for tools that names none.
  ['tool_calls', 'other'],
])('finish reason %s is told as %s', async (given, expected) => {
  await using server = await startServer(events(chunk({ content: 'x' }) + chunk({}, given) + DONE))
  expect((await modelAt(server.baseURL, { stream: true }).generate(hello())).finish).toBe(expected)
})

test('a refusal is kept apart from the text', async () => {
  await using server = await startServer(
    json({ choices: [{ message: { content: null, refusal: 'I will not.' }, finish_reason: 'stop' }] }),
    events(chunk({ refusal: 'I will' }) + chunk({ refusal: ' not.' }, 'stop')),
  )
  const model = modelAt(server.baseURL)
  expect(await model.generate(hello())).toMatchObject({ text: '', refusal: 'I will not.' })
  expect(await model.generate(hello({ onDelta: () => undefined }))).toMatchObject({
    text: '',
    refusal: 'I will not.',
  })
})

test('reasoning under either name is kept apart, and a reply cut while thinking says length', async () => {
  const text =
    chunk({ content: null, reasoning_content: 'let me', reasoning: 'let me' }) +
    chunk({ reasoning: ' think' }) +
    chunk({}, 'length') +
    DONE
  await using server = await startServer(events(text))
  const onDelta = vi.fn()
  const reply = await modelAt(server.baseURL).generate(hello({ onDelta }))
  expect(reply).toMatchObject({ text: '', reasoning: 'let me think', finish: 'length' })
  expect(onDelta).not.toHaveBeenCalled()
})

test('content in parts is read: text as text, thinking as reasoning', async () => {
  const content = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ]
  await using server = await startServer(json({ choices: [{ message: { content }, finish_reason: 'stop' }] }))
  expect(await modelAt(server.baseURL).generate(hello())).toMatchObject({ text: 'ab', reasoning: 'hm' })
})

test('an end mark settles the call even when the socket stays open', async () => {
  await using server = await startServer(events(chunk({ content: 'x' }) + DONE, 'hold'))
  const reply = await modelAt(server.baseURL, { stream: true }).generate(hello())
  expect(reply).toMatchObject({ text: 'x', finish: 'stop' })
  await server.socketsClosed()
})

test('a whole reply to a streaming request and a stream to a plain one are both understood', async () => {
  await using server = await startServer(completion('whole'), {
    headers: { 'content-type': 'application/json' },
    steps: [{ send: chunk({ content: 'streamed' }, 'stop') + DONE }],
  })
  const deltas: string[] = []
  const model = modelAt(server.baseURL)
  expect((await model.generate(hello({ onDelta: (text) => deltas.push(text) }))).text).toBe('whole')
  expect(deltas).toEqual(['whole'])
  expect((await model.generate(hello())).text).toBe('streamed')
})

test('stream: false never streams, and onDelta gets the whole text at once', async () => {
  await using server = await startServer(completion('whole'))
  const onDelta = vi.fn()
  await modelAt(server.baseURL, { stream: false }).generate(hello({ onDelta }))
  expect(onDelta.mock.calls).toEqual([['whole']])
  expect(server.requests[0]?.body).not.toHaveProperty('stream')
})

test('what onDelta throws, at once or later, is ignored', async () => {
  await using server = await startServer(events(chunk({ content: 'a' }) + chunk({ content: 'b' }, 'stop')))
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  let calls = 0
  const onDelta = (): unknown => {
    calls++
    if (calls === 1) throw new Error('at once')
    return Promise.reject(new Error('later'))
  }
  const reply = await modelAt(server.baseURL).generate(hello({ onDelta: onDelta as () => void }))
  await new Promise(setImmediate)
  process.off('unhandledRejection', unhandled)
  expect(reply.text).toBe('ab')
  expect(calls).toBe(2)
  expect(unhandled).not.toHaveBeenCalled()
})

test('a prompt of which the server counted less than half is warned of, with both numbers', async () => {
  const reply = (tokens: number) =>
    completion('ok', { usage: { prompt_tokens: tokens, completion_tokens: 1 } })
  await using server = await startServer(reply(2_063), reply(13_000))
  const model = modelAt(server.baseURL)
  const messages = [{ role: 'user' as const, content: 'word'.repeat(16_000) }]
  const { warnings } = await model.generate(hello({ messages }))
  expect(warnings).toEqual([expect.stringMatching(/^prompt-probably-truncated: .*2063.*16000/)])
  expect(await model.generate(hello({ messages }))).not.toHaveProperty('warnings')
})

test('tools that a server does not support are left out, once refused for good, and it is said', async () => {
  const refusal = json({ error: { message: 'model tiny does not support tools' } }, 400)
  await using server = await startServer(refusal, completion('plain'))
  const model = modelAt(server.baseURL)
  const tools = [{ name: 'run', description: 'Runs code.', parameters: { type: 'object' } }]
  const request = hello({ tools, providerOptions: { tool_choice: 'required' } })
  const reply = await model.generate(request)
  expect(reply.text).toBe('plain')
  expect(reply.warnings).toEqual([expect.stringMatching(/^tools-not-supported/)])
  await model.generate(request)
  expect(server.requests.map(({ body }) => 'tools' in body || 'tool_choice' in body)).toEqual([
    true,
    false,
    false,
  ])
})

test('a server that refuses stream_options is asked without them', async () => {
  await using server = await startServer(
    json({ error: { message: 'Unrecognized request argument supplied: stream_options' } }, 400),
    events(chunk({ content: 'x' }, 'stop')),
  )
  expect((await modelAt(server.baseURL, { stream: true }).generate(hello())).text).toBe('x')
  expect(server.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, false])
})

test('a price given as an option makes the adapter know the cost', async () => {
  const price = { inputUsdPerMillion: 1, outputUsdPerMillion: 10 }
  const model = modelAt('http://127.0.0.1:9/v1', { price })
  expect(model.price?.({ inputTokens: 1_000_000, outputTokens: 100_000 })).toBeCloseTo(2)
  expect(modelAt('http://127.0.0.1:9/v1').price).toBeUndefined()
})
