import { getEventListeners } from 'node:events'
import { MendloopError, type ModelReply } from '@mendloop/core'
import { expect, test, vi } from 'vitest'
import { failureOf, hello, modelAt } from './helpers/ask.js'
import { chunk, completion, events, json, type Script, startServer } from './helpers/scripted-server.js'

const activeTimers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

const body = (...steps: Script['steps']): Script => ({
  headers: { 'content-type': 'application/json' },
  steps,
})

test.each<[string, Script, object, string, string | undefined]>([
  [
    'holds its head back',
    { sendHead: false, steps: ['hold'] },
    { firstTokenMs: 60 },
    'firstTokenMs',
    undefined,
  ],
  ['sends a head and nothing else', { steps: ['hold'] }, { firstTokenMs: 60 }, 'firstTokenMs', undefined],
  ['only pings', { steps: [{ pingEveryMs: 5 }] }, { firstTokenMs: 60 }, 'firstTokenMs', undefined],
  ['falls silent', events(chunk({ content: 'Hel' }), 'hold'), { idleMs: 60 }, 'idleMs', 'Hel'],
  [
    'only pings after some text',
    events(chunk({ content: 'Hel' }), { pingEveryMs: 5 }),
    { idleMs: 60 },
    'idleMs',
    'Hel',
  ],
  ['does not finish', events(chunk({ content: 'Hel' }), 'hold'), { totalMs: 60 }, 'totalMs', 'Hel'],
])(
  'a server that %s is stalled, retryable, within the limit, and its socket is closed',
  async (_name, script, timeouts, limit, textSoFar) => {
    await using server = await startServer(script)
    const startedAt = performance.now()
    const error = await failureOf(modelAt(server.baseURL, { stream: true, timeouts }).generate(hello()))
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    expect(error).toMatchObject({ retryable: true, details: { reason: 'stalled' } })
    expect(error.details.textSoFar).toBe(textSoFar)
    expect(error.message).toContain(`Raise timeouts.${limit}`)
    await server.socketsClosed()
  },
)

test('without streaming, half a body that stays half is stalled', async () => {
  await using server = await startServer(body({ send: '{"choices"' }, 'hold'))
  const error = await failureOf(modelAt(server.baseURL, { timeouts: { idleMs: 60 } }).generate(hello()))
  expect(error.details.reason).toBe('stalled')
  await server.socketsClosed()
})

test('without streaming, the first-token limit does not cut a server that thinks long', async () => {
  const slow = {
    ...completion('ok'),
    sendHead: false,
    steps: [{ send: ' '.repeat(200), piece: 1 }, ...completion('ok').steps],
  }
  await using server = await startServer(slow)
  const reply = await modelAt(server.baseURL, { timeouts: { firstTokenMs: 1 } }).generate(hello())
  expect(reply.text).toBe('ok')
})

test.each<[string, Script]>([
  ['before the head', { sendHead: false, steps: ['hold'] }],
  ['before the first event', { steps: ['hold'] }],
  ['in mid-stream', events(chunk({ content: 'Hel' }), 'hold')],
])('an abort %s settles within a second and leaves no socket, timer or listener', async (_name, script) => {
  await using server = await startServer(script)
  const controller = new AbortController()
  const timersBefore = activeTimers()
  const running = modelAt(server.baseURL, { stream: true }).generate(hello({ signal: controller.signal }))
  await server.holding
  const startedAt = performance.now()
  controller.abort(new Error('enough'))
  await expect(running).rejects.toMatchObject({
    code: 'ABORTED',
    details: { during: 'model' },
    retryable: false,
  })
  expect(performance.now() - startedAt).toBeLessThan(1_000)
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  expect(activeTimers()).toBeLessThanOrEqual(timersBefore)
  await server.socketsClosed()
})

test('a signal that is aborted already sends nothing', async () => {
  await using server = await startServer(completion('ok'))
  const running = modelAt(server.baseURL).generate(hello({ signal: AbortSignal.abort() }))
  await expect(running).rejects.toMatchObject({ code: 'ABORTED' })
  expect(server.requests).toHaveLength(0)
})

test('an abort during the wait for a retry ends it', async () => {
  await using server = await startServer(json({ error: { message: 'later' } }, 503, { 'retry-after': '60' }))
  const controller = new AbortController()
  const model = modelAt(server.baseURL, { retry: { retries: 1, maxDelayMs: 60_000 } })
  const running = model.generate(hello({ signal: controller.signal }))
  const backingOff = vi.waitFor(() =>
    expect(getEventListeners(controller.signal, 'abort').length + server.requests.length).toBe(2),
  )
  await backingOff
  controller.abort()
  await expect(running).rejects.toMatchObject({ code: 'ABORTED' })
  expect(server.requests).toHaveLength(1)
})

test('many calls with one signal leave no listener on it and raise no warning', async () => {
  await using server = await startServer(
    completion('ok'),
    events(chunk({ content: 'x' }, 'stop')),
    json({}, 400),
  )
  const warned = vi.fn()
  process.on('warning', warned)
  const { signal } = new AbortController()
  const model = modelAt(server.baseURL)
  for (let call = 0; call < 60; call++) await model.generate(hello({ signal })).catch(() => undefined)
  await new Promise(setImmediate)
  process.off('warning', warned)
  expect(server.requests).toHaveLength(60)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  expect(warned).not.toHaveBeenCalled()
})

test('a failure that may pass is sent again, by us and not by the client as well', async () => {
  const busy = json({ error: { message: 'busy' } }, 503, { 'x-should-retry': 'true' })
  await using server = await startServer(busy, busy, completion('ok'))
  const model = modelAt(server.baseURL, { retry: { retries: 2, minDelayMs: 1 } })
  expect((await model.generate(hello())).text).toBe('ok')
  expect(server.requests).toHaveLength(3)
})

test.each([0, 1])(
  'with %i retries a server that always fails is asked once more than that',
  async (retries) => {
    await using server = await startServer(json({}, 500))
    await failureOf(modelAt(server.baseURL, { retry: { retries, minDelayMs: 1 } }).generate(hello()))
    expect(server.requests).toHaveLength(retries + 1)
  },
)

test('a failure that cannot pass is not sent again', async () => {
  await using server = await startServer(json({ error: { code: 'context_length_exceeded' } }, 400))
  await failureOf(modelAt(server.baseURL, { retry: { retries: 5, minDelayMs: 1 } }).generate(hello()))
  expect(server.requests).toHaveLength(1)
})

test.each<Record<string, string>>([{ 'retry-after-ms': '80' }, { 'retry-after': '0.08' }])(
  '%j is waited for',
  async (headers) => {
    await using server = await startServer(json({}, 429, headers), completion('ok'))
    await modelAt(server.baseURL, { retry: { retries: 1, minDelayMs: 0 } }).generate(hello())
    const [first, second] = server.requests
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(75)
  },
)

test('the total limit holds for retries and waits together', async () => {
  await using server = await startServer(json({}, 503))
  const options = { timeouts: { totalMs: 100 }, retry: { retries: 1_000, minDelayMs: 5, maxDelayMs: 5 } }
  const startedAt = performance.now()
  const error = await failureOf(modelAt(server.baseURL, options).generate(hello()))
  expect(performance.now() - startedAt).toBeLessThan(2_000)
  expect(['server-error', 'stalled']).toContain(error.details.reason)
})

test('text that was given out is not asked for again', async () => {
  await using server = await startServer(events(chunk({ content: 'Hel' })), completion('ok'))
  const model = modelAt(server.baseURL, { retry: { retries: 2, minDelayMs: 1 } })
  const error = await failureOf(model.generate(hello({ onDelta: () => undefined })))
  expect(error).toMatchObject({ retryable: true, details: { reason: 'truncated-stream', textSoFar: 'Hel' } })
  expect(server.requests).toHaveLength(1)
})

test('text that nobody was given is asked for again', async () => {
  await using server = await startServer(
    events(chunk({ content: 'Hel' })),
    events(chunk({ content: 'Hello' }, 'stop')),
  )
  const model = modelAt(server.baseURL, { stream: true, retry: { retries: 2, minDelayMs: 1 } })
  expect((await model.generate(hello())).text).toBe('Hello')
})

test('of many calls under every fault none is lost, no token is counted twice and nothing stays open', async () => {
  const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } })}\n\n`
  const good = events(chunk({ content: 'Hello' }, 'stop') + usage)
  const faults: readonly Script[] = [
    json({}, 500),
    json({}, 429, { 'retry-after-ms': '3' }),
    events(chunk({ content: 'Hel' })),
    events(chunk({ content: 'Hel' }), 'reset'),
    { sendHead: false, steps: ['reset'] },
    events(chunk({ content: 'Hel' }), 'hold'),
    { status: 500, steps: ['hold'] },
    { status: 502, headers: { 'content-type': 'text/html' }, steps: [{ send: '<html>'.repeat(100_000) }] },
  ]
  await using server = await startServer(...Array.from({ length: 40 }, () => [good, ...faults]).flat(), good)
  const { signal } = new AbortController()
  const model = modelAt(server.baseURL, {
    stream: true,
    timeouts: { firstTokenMs: 250, idleMs: 250 },
    retry: { retries: 1, minDelayMs: 1 },
  })
  const ask = () => model.generate(hello({ signal })).catch((error: unknown) => error)
  const warned = vi.fn()
  process.on('warning', warned)
  const outcomes: unknown[] = []
  for (let batch = 0; batch < 3; batch++)
    outcomes.push(...(await Promise.all(Array.from({ length: 20 }, ask))))
  await new Promise(setImmediate)
  process.off('warning', warned)
  expect(warned).not.toHaveBeenCalled()
  const replies = outcomes.filter((outcome) => !(outcome instanceof Error)) as ModelReply[]
  const failures = outcomes.filter((outcome) => MendloopError.is(outcome, 'MODEL_REQUEST_FAILED'))
  expect(replies.length + failures.length).toBe(60)
  expect(replies.length).toBeGreaterThan(0)
  expect(failures.length).toBeGreaterThan(0)
  for (const { text, usage: counted } of replies) {
    expect(text).toBe('Hello')
    expect(counted).toEqual({ inputTokens: 3, outputTokens: 2 })
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  await server.socketsClosed()
})
