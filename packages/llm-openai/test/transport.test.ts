import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { failureOf, hello, modelAt } from './helpers/ask.js'
import { type Script, startServer } from './helpers/scripted-server.js'

const BODY = JSON.stringify({ choices: [{ message: { content: 'packed' }, finish_reason: 'stop' }] })
const packed = (encoding: string, send: string | Uint8Array): Script => ({
  headers: { 'content-type': 'application/json', 'content-encoding': encoding },
  steps: [{ send }],
})

test.each([
  ['gzip', gzipSync(BODY)],
  ['deflate', deflateSync(BODY)],
  ['br', brotliCompressSync(BODY)],
])('a body packed with %s is unpacked', async (encoding, bytes) => {
  await using server = await startServer(packed(encoding, bytes))
  expect((await modelAt(server.baseURL).generate(hello())).text).toBe('packed')
})

test('a body that cannot be unpacked is a failure and no crash', async () => {
  await using server = await startServer(packed('gzip', 'no gzip'))
  const error = await failureOf(modelAt(server.baseURL).generate(hello()))
  expect(error.details.reason).toBe('connection')
  expect(error.message).toContain('cannot be unpacked')
})

test('a status that has no body is an empty answer', async () => {
  await using server = await startServer({
    status: 204,
    headers: { 'content-type': 'application/json' },
    steps: [],
  })
  const error = await failureOf(modelAt(server.baseURL).generate(hello()))
  expect(error.details.reason).toBe('malformed-response')
})

test('of an error without end only the head is read', async () => {
  await using server = await startServer({ status: 500, steps: [{ send: 'x'.repeat(4_000_000) }, 'hold'] })
  const error = await failureOf(modelAt(server.baseURL).generate(hello()))
  expect(error).toMatchObject({ retryable: true, details: { reason: 'server-error', status: 500 } })
  await server.socketsClosed()
})

test('https to a server that speaks plain HTTP is told as such', async () => {
  await using server = await startServer(packed('', BODY))
  const error = await failureOf(modelAt(server.baseURL.replace('http:', 'https:')).generate(hello()))
  expect(error).toMatchObject({ retryable: false, details: { reason: 'connection' } })
  expect(error.message).toContain('could not be reached over TLS')
})

test('a name that nobody knows is told as such', async () => {
  const error = await failureOf(modelAt('http://no-such-host.invalid/v1').generate(hello()))
  expect(error.details.reason).toBe('connection')
  expect(error.message).toMatch(/http:\/\/no-such-host\.invalid\/v1 .*(name|looked up)/)
})

test('each request has a connection of its own, closed with the answer', async () => {
  await using server = await startServer({
    headers: { 'content-type': 'application/json' },
    steps: [{ send: BODY }],
  })
  await modelAt(server.baseURL).generate(hello())
  await server.socketsClosed()
  expect(server.openSockets()).toBe(0)
})
