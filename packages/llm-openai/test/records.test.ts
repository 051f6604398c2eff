// The key of the server is in no record of a run, whatever the server says of it.
import { createRepairLoop, exitsCleanly, promptsOf, recordToJsonl } from '@mendloop/core'
import { memorySandbox } from '@mendloop/core/testing'
import { expect, test } from 'vitest'
import { modelAt } from './helpers/ask.js'
import { json, startServer } from './helpers/scripted-server.js'

test('a key that was sent, repeated by the server and given among the options is in no record', async () => {
  const sentinel = 'sentinel-key-9f3a7c'
  await using server = await startServer(json({ error: { message: `Wrong key: ${sentinel}` } }, 401))
  const loop = createRepairLoop({
    model: modelAt(server.baseURL, { apiKey: sentinel }),
    sandbox: memorySandbox(),
    providerOptions: { metadata: { apiKey: sentinel } },
  })
  const result = await loop.run({ goal: 'g', language: 'python', verify: [exitsCleanly()] })
  expect(result.status).toBe('environment-lost')
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${sentinel}`)
  expect(promptsOf(result.record)[0]).toMatchObject({
    error: { code: 'MODEL_REQUEST_FAILED', message: expect.stringContaining('Wrong key') },
    settings: { providerOptions: { metadata: { apiKey: '[redacted]' } } },
  })
  expect(JSON.stringify(result.record)).not.toContain(sentinel)
  expect(recordToJsonl(result.record)).not.toContain(sentinel)
})
