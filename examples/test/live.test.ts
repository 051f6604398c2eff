import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { recordedReplies } from '../demo/choose-model.js'
import { type ReplyServer, serveReplies } from './helpers/serve-replies.js'
import { freshFolder, startDemo } from './helpers/start-demo.js'

const LONG_MS = 60_000
let server: ReplyServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

test(
  'with a server in the environment the programs come from it, and its key and model are used',
  async () => {
    server = await serveReplies(recordedReplies('falling-customers'))
    const env = {
      OPENAI_BASE_URL: server.baseUrl,
      OPENAI_API_KEY: 'sk-of-the-test',
      OPENAI_MODEL: 'small-model',
    }
    const ended = await startDemo(['--task', 'b', '--out', freshFolder()], env).ended
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toContain('small-model')
    expect(ended.stdout).not.toContain('recorded')
    expect(ended.stdout).not.toContain('sk-of-the-test')
    expect(server.requests).toHaveLength(2)
    expect(server.requests[0]).toMatchObject({
      authorization: 'Bearer sk-of-the-test',
      body: { model: 'small-model' },
    })
  },
  LONG_MS,
)

test(
  'replies that never pass end with code 1, and the checks that failed are named',
  async () => {
    server = await serveReplies([recordedReplies('falling-customers')[0] ?? ''])
    const env = { OPENAI_BASE_URL: server.baseUrl }
    const ended = await startDemo(['--task', 'b', '--out', freshFolder()], env).ended
    expect(ended.code).toBe(1)
    const said = ended.stdout.replace(/\s+/g, ' ')
    // The server has one reply, and gives it again and again.
    expect(said).toMatch(/not verified: 3 attempts repeated earlier ones without getting further/)
    expect(said).toContain('failed: input unchanged, answer queried')
  },
  LONG_MS,
)

test(
  'a refused key ends with code 1 and one readable reason, and the other tasks are not tried',
  async () => {
    server = await serveReplies([401])
    const env = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'sk-wrong' }
    const ended = await startDemo(['--out', freshFolder()], env).ended
    expect(ended.code).toBe(1)
    expect(ended.stdout).toMatch(/✗ not verified: .*(401|key)/)
    expect(ended.stdout).not.toContain('sk-wrong')
    expect(ended.stdout).not.toContain('━━ task b')
    expect(ended.stdout.replace(/\s+/g, ' ')).toContain(
      'not tried: task b (A question to a database), task c (Incidents near two points)',
    )
    expect(server.requests).toHaveLength(1)
  },
  LONG_MS,
)

test(
  'a server that is not there ends with code 1 and one readable reason',
  async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const { port } = taken.address() as AddressInfo
    await new Promise((resolve) => taken.close(resolve))
    const env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` }
    const ended = await startDemo(['--out', freshFolder()], env).ended
    expect(ended.code).toBe(1)
    expect(ended.stdout).toMatch(/✗ not verified: /)
    expect(ended.stdout).toContain(String(port))
  },
  LONG_MS,
)

test('a base URL that is none is one sentence', async () => {
  const ended = await startDemo(['--out', freshFolder()], { OPENAI_BASE_URL: 'not a url' }).ended
  expect(ended.code).toBe(1)
  expect(ended.stderr).toMatch(/^error: .*\n$/)
})
