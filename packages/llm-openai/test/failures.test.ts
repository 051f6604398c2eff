import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { failureOf, hello, modelAt } from './helpers/ask.js'
import { chunk, events, json, type Script, startServer } from './helpers/scripted-server.js'

const page = (status: number, contentType: string): Script => ({
  status,
  headers: { 'content-type': contentType },
  steps: [{ send: '<!DOCTYPE html><html><title>One moment</title><body>checking</body></html>' }],
})

test.each<[string, Script, string, boolean | null, RegExp]>([
  [
    '401',
    json({ error: { message: 'no' } }, 401),
    'auth',
    false,
    /Check OPENAI_API_KEY or the option apiKey, since no key was sent/,
  ],
  ['403', json({ error: 'forbidden' }, 403), 'auth', false, /"forbidden"/],
  [
    '404',
    json({ error: { message: 'model not found' } }, 404),
    'bad-request',
    false,
    /no model "tiny".*\/v1/,
  ],
  ['400', json({ detail: [{ msg: 'bad field' }] }, 400), 'bad-request', false, /bad field/],
  ['413', json({ message: 'too large' }, 413), 'context-length', false, /Shorten the prompt/],
  [
    '429',
    json({ error: { message: 'slow down' } }, 429, { 'retry-after': '7' }),
    'rate-limit',
    true,
    /wait 7000 ms/,
  ],
  ['429 for good', json({ error: { code: 'insufficient_quota' } }, 429), 'rate-limit', false, /credit/],
  ['500', json({ error: { message: 'oops' } }, 500), 'server-error', true, /HTTP 500.*oops/],
  ['502 with a page', page(502, 'text/html'), 'server-error', true, /HTTP 502.*One moment checking/],
  ['503', json([{ error: { message: 'the model is overloaded' } }], 503), 'overloaded', true, /overloaded/],
  ['529', json({}, 529), 'overloaded', true, /HTTP 529/],
  [
    'a redirect',
    { status: 308, headers: { location: 'https://me:pw@h/v1?a=b' }, steps: [] },
    'bad-request',
    false,
    /below https:\/\/h\/v1\./,
  ],
  [
    'a page under 200',
    page(200, 'text/html'),
    'malformed-response',
    false,
    /HTTP 200 \(text\/html\).*One moment/,
  ],
  ['a page that claims to be JSON', page(200, 'application/json'), 'malformed-response', false, /no JSON/],
  ['a page that claims nothing', page(200, ''), 'malformed-response', false, /One moment/],
  [
    'an empty body',
    { headers: { 'content-type': 'application/json' }, steps: [] },
    'malformed-response',
    null,
    /an empty body/,
  ],
  [
    'half a body',
    { headers: { 'content-type': 'application/json' }, steps: [{ send: '{"choices": [' }] },
    'malformed-response',
    true,
    /half a JSON text/,
  ],
  ['no choices', json({ choices: [], usage: {} }), 'malformed-response', null, /no choices/],
  [
    'an error under 200',
    json({ error: { message: 'upstream limit', code: 429 } }),
    'rate-limit',
    true,
    /upstream limit/,
  ],
  [
    'an error of a choice',
    json({ choices: [{ error: { message: 'provider died', code: 502 }, finish_reason: 'error' }] }),
    'server-error',
    true,
    /provider died/,
  ],
])('%s becomes the right failure, streaming or not', async (_name, script, reason, retryable, words) => {
  for (const stream of [true, false]) {
    await using server = await startServer(script)
    const error = await failureOf(modelAt(server.baseURL, { stream }).generate(hello()))
    expect(error.details).toMatchObject({ model: 'openai:tiny', reason })
    expect(error.retryable).toBe(retryable)
    expect(error.message).toMatch(words)
    expect(error.details.status).toBe(script.status ?? 200)
  }
})

test.each<[string, string, string, boolean | null, string | undefined]>([
  [
    'ends without finish and end mark',
    chunk({ content: 'Hel' }) + chunk({ content: 'lo' }),
    'truncated-stream',
    true,
    'Hello',
  ],
  [
    'ends in the middle of an event',
    `${chunk({ content: 'Hel' })}data: {"choices":[{"del`,
    'truncated-stream',
    true,
    'Hel',
  ],
  [
    'ends in a tool call',
    chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'run', arguments: '{"co' } }] }),
    'truncated-stream',
    true,
    undefined,
  ],
  ['holds nothing at all', '', 'truncated-stream', null, undefined],
  ['holds only an end mark', 'data: [DONE]\n\n', 'malformed-response', null, undefined],
  [
    'has an error as data',
    `${chunk({ content: 'Par' })}data: {"error":{"message":"overloaded","type":"overloaded_error"}}\n\n`,
    'overloaded',
    true,
    'Par',
  ],
  [
    'has an error event',
    `${chunk({ content: 'Par' })}event: error\ndata: {"message":"it broke"}\n\n`,
    'server-error',
    true,
    'Par',
  ],
  [
    'has an error event in plain words',
    `${chunk({ content: 'Par' })}event: error\ndata: it broke\n\n`,
    'server-error',
    true,
    'Par',
  ],
  [
    'has an error outside of any event',
    `{"error":\n {"message":"prompt too long for the context of 4096",\n "code":400}}\n`,
    'context-length',
    false,
    undefined,
  ],
  [
    'has an error as a field',
    'error: {"message":"7001 tokens exceed the context window of 4096","code":400}\n\n',
    'context-length',
    false,
    undefined,
  ],
  [
    'has an error beside its choices',
    `data: {"error":{"code":502,"message":"gone"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}\n\n`,
    'server-error',
    true,
    undefined,
  ],
  [
    'has an event that is no JSON',
    `${chunk({ content: 'Par' })}data: <oops>\n\n${chunk({}, 'stop')}`,
    'malformed-response',
    null,
    'Par',
  ],
])(
  'a stream that %s fails as such and keeps the text so far',
  async (_name, text, reason, retryable, textSoFar) => {
    for (const piece of [text.length + 1, 1]) {
      await using server = await startServer({ steps: [{ send: text, piece }] })
      const error = await failureOf(modelAt(server.baseURL, { stream: true }).generate(hello()))
      expect(error.details.reason).toBe(reason)
      expect(error.retryable).toBe(retryable)
      expect(error.details.textSoFar).toBe(textSoFar)
    }
  },
)

test.each(['an end mark without finish', 'a finish without end mark'])('%s is an end', async (name) => {
  const text = name.startsWith('an')
    ? `${chunk({ content: 'x' })}data: [DONE]`
    : chunk({ content: 'x' }, 'stop')
  await using server = await startServer(events(text))
  expect(await modelAt(server.baseURL, { stream: true }).generate(hello())).toMatchObject({
    text: 'x',
    finish: 'stop',
  })
})

test('a connection reset in mid-stream is a truncated stream with the text so far', async () => {
  await using server = await startServer(events(chunk({ content: 'Hel' }), 'reset'))
  const seen: string[] = []
  const error = await failureOf(
    modelAt(server.baseURL).generate(hello({ onDelta: (text) => seen.push(text) })),
  )
  expect(error).toMatchObject({ retryable: true, details: { reason: 'truncated-stream' } })
  expect(error.details.textSoFar ?? '').toBe(seen.join(''))
})

test('a connection reset before any answer is a connection failure', async () => {
  await using server = await startServer({ sendHead: false, steps: ['reset'] })
  const error = await failureOf(modelAt(server.baseURL).generate(hello()))
  expect(error).toMatchObject({ retryable: true, details: { reason: 'connection' } })
})

test('a server that is not there is named without credentials, with what to do', async () => {
  const probe = createServer().listen(0, '127.0.0.1')
  const { port } = await new Promise<{ port: number }>((resolve) =>
    probe.on('listening', () => resolve(probe.address() as { port: number })),
  )
  await new Promise((resolve) => probe.close(resolve))
  const error = await failureOf(modelAt(`http://me:secret-word@127.0.0.1:${port}/v1`).generate(hello()))
  expect(error).toMatchObject({ retryable: true, details: { reason: 'connection' } })
  expect(error.message).toContain(
    `http://127.0.0.1:${port}/v1 takes no connections (ECONNREFUSED). Check that the server runs`,
  )
  expect(inspect(error, { depth: 9 })).not.toContain('secret-word')
})

test('a server that does not speak HTTP is a lasting failure', async () => {
  const server = createServer((socket) =>
    socket.on('error', () => undefined).end('SSH-2.0-hello\r\n'),
  ).listen(0, '127.0.0.1')
  const { port } = await new Promise<{ port: number }>((resolve) =>
    server.on('listening', () => resolve(server.address() as { port: number })),
  )
  const error = await failureOf(modelAt(`http://127.0.0.1:${port}/v1`).generate(hello()))
  server.close()
  expect(error).toMatchObject({ retryable: false, details: { reason: 'connection' } })
  expect(error.message).toContain('does not speak HTTP')
})

test('a key that the server repeats is in no message, detail, text or cause', async () => {
  const key = 'sk-secret-0123456789-secret'
  const said = {
    error: { message: `bad key ${key} given`, type: 'server_error', echo: { headers: [`Bearer ${key}`] } },
  }
  const scripts: Script[] = [
    json(said, 401),
    json(said, 500),
    json(said),
    events(`${chunk({ content: key })}data: ${JSON.stringify(said)}\n\n`),
    { ...page(200, 'text/html'), steps: [{ send: `<html>${key}</html>` }] },
  ]
  for (const headers of [undefined, { 'x-api-key': key }])
    for (const script of scripts) {
      await using server = await startServer(script)
      const model = modelAt(server.baseURL, headers === undefined ? { apiKey: key } : { headers })
      const error = await failureOf(model.generate(hello()))
      expect(server.requests[0]?.headers[headers === undefined ? 'authorization' : 'x-api-key']).toContain(
        key,
      )
      const shown = [
        inspect(error, { depth: 12, showHidden: true }),
        JSON.stringify(error),
        String(error),
        error.stack,
        inspect(model, { depth: 12, showHidden: true }),
        JSON.stringify(model),
      ]
      expect(shown.join('\n')).not.toContain(key)
      expect(error.message).toMatch(/redacted|HTTP 200/)
    }
})

test('a long answer is quoted briefly', async () => {
  await using server = await startServer(json({ error: { message: `${'long 😀 '.repeat(5_000)}` } }, 400))
  const { message } = await failureOf(modelAt(server.baseURL).generate(hello()))
  expect(message.length).toBeLessThan(900)
  expect(message).toContain('…')
  // No half of a surrogate pair, which encoding would replace.
  expect(new TextDecoder().decode(new TextEncoder().encode(message))).toBe(message)
})
