import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import type { OpenAIOptions } from '../src/index.js'
import { createRedactor } from '../src/secrets.js'
import { failureOf, hello, modelAt } from './helpers/ask.js'
import { chunk, events, json, startServer } from './helpers/scripted-server.js'

test.each<[string, string, Partial<OpenAIOptions>]>([
  ['a value of the query', 'QUERYSECRET1234', { query: { 'api-key': 'QUERYSECRET1234' } }],
  ['a value of the query with a harmless name', 'q/7&x y', { query: { v: 'q/7&x y' } }],
  ['a header with any name', 'SUBSCRIPTION99', { headers: { 'Ocp-Apim-Subscription': 'SUBSCRIPTION99' } }],
  ['a short header', 'pa55', { headers: { 'x-any': 'pa55' } }],
  ['a part of a header', 'abcdef123456', { headers: { 'x-any': 'Token abcdef123456' } }],
  [
    'the password of a basic header',
    'open-sesame',
    { headers: { authorization: `Basic ${btoa('me:open-sesame')}` } },
  ],
  ['a short key', 'sk-1234', { apiKey: 'sk-1234' }],
])('%s that the server repeats is nowhere in the error', async (_name, secret, options) => {
  const inForm = new URLSearchParams({ a: secret }).toString()
  const said = { error: { message: `no: ${secret}; url ?${inForm}&b=${encodeURIComponent(secret)}.` } }
  const scripts = [
    json(said, 400),
    json(said),
    events(`${chunk({ content: secret })}data: ${JSON.stringify(said)}\n\n`),
  ]
  for (const script of scripts) {
    await using server = await startServer(script)
    const error = await failureOf(modelAt(server.baseURL, options).generate(hello()))
    const shown = `${inspect(error, { depth: 12, showHidden: true })}${JSON.stringify(error)}${error.stack}`
    for (const spelling of [secret, inForm.slice(2), encodeURIComponent(secret)])
      expect(shown).not.toContain(spelling)
    expect(error.message).toContain('[redacted]')
  }
})

test('user name and password of the base URL are in no error, as given or decoded or packed', async () => {
  await using server = await startServer(
    json({ error: { message: `bad token-user, p@ss, p%40ss, ${btoa('token-user:p@ss')}` } }, 400),
  )
  const baseURL = server.baseURL.replace('://', '://token-user:p%40ss@')
  const error = await failureOf(modelAt(baseURL).generate(hello()))
  expect(error.message).toContain('"bad [redacted], [redacted], [redacted], [redacted]"')
})

test('a short secret is taken out only where it stands alone, and a stand-in for a key not at all', async () => {
  expect(createRedactor(['live', 'a']).text('delivered live, a-live')).toBe(
    'delivered [redacted], a-[redacted]',
  )
  await using server = await startServer(json({ error: { message: 'none' } }, 400))
  expect((await failureOf(modelAt(server.baseURL, { apiKey: 'none' }).generate(hello()))).message).toContain(
    '"none"',
  )
})
