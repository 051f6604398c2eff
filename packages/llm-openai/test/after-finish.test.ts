// A reply is complete once the server has said why it stopped: what breaks, or falls silent, after that takes nothing away.
import { expect, test } from 'vitest'
import { failureOf, hello, modelAt } from './helpers/ask.js'
import { chunk, completion, events, type Script, type Step, startServer } from './helpers/scripted-server.js'

const COMPLETE = chunk({ content: 'whole' }) + chunk({}, 'stop')
const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7}}\n\n'

test.each<[string, Script]>([
  ['is reset', events(COMPLETE, 'reset')],
  ['is reset, chunk by chunk', { steps: [{ send: COMPLETE, piece: 40 }, 'reset'] }],
  ['falls silent', events(COMPLETE, 'hold')],
  ['only pings', events(COMPLETE, { pingEveryMs: 20 })],
  ['ends in half an event', events(`${COMPLETE}data: {"choi`)],
  ['goes on with what is no JSON', events(`${COMPLETE}data: <oops>\n\n`)],
  [
    'is reset and was called JSON',
    { headers: { 'content-type': 'application/json' }, steps: [{ send: COMPLETE }, 'reset'] },
  ],
])('a complete stream that then %s is the reply', async (_name, script) => {
  for (const timeouts of [{ idleMs: 100 }, {}]) {
    await using server = await startServer(script)
    const startedAt = performance.now()
    const seen: string[] = []
    const request = hello({ onDelta: (text) => seen.push(text) })
    const reply = await modelAt(server.baseURL, { stream: true, timeouts }).generate(request)
    expect(reply).toMatchObject({ text: 'whole', finish: 'stop', usage: { estimated: true } })
    expect(seen.join('')).toBe('whole')
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    await server.socketsClosed()
  }
})

test.each<[string, Step]>([
  ['held open', 'hold'],
  ['reset', 'reset'],
])(
  'the counts that follow a complete reply end it at once, although the connection is %s',
  async (_name, rest) => {
    await using server = await startServer(events(COMPLETE + USAGE, rest))
    const startedAt = performance.now()
    const reply = await modelAt(server.baseURL, { stream: true }).generate(hello())
    expect(reply).toMatchObject({ text: 'whole', usage: { inputTokens: 5, outputTokens: 7 } })
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  },
)

test.each<[string, Step]>([
  ['silence', 'hold'],
  ['a reset', 'reset'],
])('a whole JSON reply with %s after it is the reply', async (_name, rest) => {
  const { headers = {}, steps } = completion('whole')
  await using server = await startServer({ headers, steps: [...steps, rest] })
  const model = modelAt(server.baseURL, { timeouts: { idleMs: 100 } })
  expect((await model.generate(hello())).text).toBe('whole')
})

test('an error that the server states after the finish reason is still its word', async () => {
  await using server = await startServer(events(`${COMPLETE}data: {"error":{"message":"it broke"}}\n\n`))
  const error = await failureOf(modelAt(server.baseURL, { stream: true }).generate(hello()))
  expect(error.details).toMatchObject({ reason: 'server-error', textSoFar: 'whole' })
})

test('what arrived before a reset is kept to the last chunk', async () => {
  const pieces = Array.from({ length: 50 }, (_, index) => chunk({ content: `${index} ` })).join('')
  await using server = await startServer(events(pieces, 'reset'))
  const error = await failureOf(modelAt(server.baseURL, { stream: true }).generate(hello()))
  expect(error.details.reason).toBe('truncated-stream')
  expect(error.details.textSoFar).toMatch(/^0 1 2 .* 49 $/)
})
