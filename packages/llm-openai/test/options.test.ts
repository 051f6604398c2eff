import { createRequire } from 'node:module'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openai } from '../src/index.js'
import { failureOf, hello, modelAt } from './helpers/ask.js'
import { completion, json, startServer } from './helpers/scripted-server.js'

beforeEach(() => {
  for (const name of ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID'])
    vi.stubEnv(name, '')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const KEY = 'sk-test-0123456789abcdef'

test('base URL and key come from the environment when no option gives them', async () => {
  await using server = await startServer(completion('ok'))
  vi.stubEnv('OPENAI_BASE_URL', `${server.baseURL}/`)
  vi.stubEnv('OPENAI_API_KEY', `${KEY}\n`)
  await openai({ model: 'tiny' }).generate(hello())
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
  expect(server.requests[0]?.path).toBe('/v1/chat/completions')
})

test('options win over the environment', async () => {
  await using server = await startServer(completion('ok'))
  vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1')
  vi.stubEnv('OPENAI_API_KEY', 'sk-of-the-environment')
  const options = {
    apiKey: KEY,
    organization: 'org',
    project: 'pro',
    headers: { 'x-title': 'loop' },
    query: { v: '2' },
  }
  await modelAt(server.baseURL, options).generate(hello())
  expect(server.requests[0]?.path).toBe('/v1/chat/completions?v=2')
  expect(server.requests[0]?.headers).toMatchObject({
    authorization: `Bearer ${KEY}`,
    'openai-organization': 'org',
    'openai-project': 'pro',
    'x-title': 'loop',
  })
})

test('another server needs no key, and none is sent', async () => {
  await using server = await startServer(completion('ok'))
  await openai({ model: 'tiny', baseURL: server.baseURL }).generate(hello())
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
})

test('an organization of the environment stays with its own host', async () => {
  await using server = await startServer(completion('ok'))
  vi.stubEnv('OPENAI_ORG_ID', 'org-of-mine')
  await modelAt(server.baseURL).generate(hello())
  expect(server.requests[0]?.headers).not.toHaveProperty('openai-organization')
})

test('credentials in the base URL are sent as basic authorization and never shown', async () => {
  await using server = await startServer(json({ error: { message: 'no' } }, 401))
  const baseURL = server.baseURL.replace('://', '://me:p%40ssword-1234@')
  const error = await failureOf(openai({ model: 'tiny', baseURL }).generate(hello()))
  const basic = Buffer.from('me:p@ssword-1234').toString('base64')
  expect(server.requests[0]?.headers.authorization).toBe(`Basic ${basic}`)
  expect(error.message).toContain(server.baseURL)
  expect(error.message).toContain('user name and password in the base URL')
  expect(error.message).not.toContain('ssword-1234')
})

test('OPENAI_CUSTOM_HEADERS does not count, so that an explicit key is what is sent', async () => {
  await using server = await startServer(completion('ok'))
  vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'Authorization: Bearer other\nX-Other: 1')
  await modelAt(server.baseURL, { apiKey: KEY }).generate(hello())
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
  expect(server.requests[0]?.headers).not.toHaveProperty('x-other')
})

test('requests tell the name and version of the product, unless a header of the options says otherwise', async () => {
  await using server = await startServer(completion('ok'))
  await modelAt(server.baseURL).generate(hello())
  await modelAt(server.baseURL, { headers: { 'user-agent': 'mine' } }).generate(hello())
  const { version } = createRequire(import.meta.url)('../package.json') as { version: string }
  const agents = server.requests.map(({ headers }) => headers['user-agent'])
  expect(agents).toEqual([`mendloop/${version}`, 'mine'])
})

test('an authorization header of the options takes the place of the key', async () => {
  await using server = await startServer(completion('ok'))
  await modelAt(server.baseURL, { apiKey: KEY, headers: { Authorization: 'Custom abc' } }).generate(hello())
  expect(server.requests[0]?.headers.authorization).toBe('Custom abc')
})

test.each(['https://api.openai.com/v1', undefined])(
  'a missing key for %s is told before any request',
  (baseURL) => {
    const make = () => openai({ model: 'gpt-5-mini', ...(baseURL !== undefined && { baseURL }) })
    expect(make).toThrow(/api\.openai\.com needs a key: set OPENAI_API_KEY or pass apiKey/)
  },
)

test.each([
  [{ modle: 'x' }, 'modle', /did you mean "model"/],
  [{ timeouts: { idelMs: 5 } }, 'timeouts.idelMs', /did you mean "timeouts\.idleMs"/],
  [{ retry: { retires: 5 } }, 'retry.retires', /did you mean "retry\.retries"/],
  [{ price: { inputUsdPerMillion: -1, outputUsdPerMillion: 1 } }, 'price.inputUsdPerMillion', /./],
  [{ maxOutputTokens: 0 }, 'maxOutputTokens', /./],
  [{ timeouts: { totalMs: 0.5 } }, 'timeouts.totalMs', /./],
  [{ baseURL: '127.0.0.1:8080/v1' }, 'baseURL', /http:\/\/127/],
  [{ baseURL: 'localhost:8080/v1' }, 'baseURL', /http:\/\//],
  [{ baseURL: 'http://h/v1?key=1' }, 'baseURL', /option "query"/],
  [{ baseURL: 'http://h/v1/chat/completions' }, 'baseURL', /leave out/],
  [{ baseURL: 'http://user:bad%pw@host' }, 'baseURL', /%25/],
  [{ query: { 'api-version': 3 } }, 'query.api-version', /must be a string/],
  [{ headers: { 'bad name': 'x' } }, 'headers', /bad name/],
  [{ headers: { good: 'two\nlines' } }, 'headers.good', /one line/],
])('%j is refused, naming the option', (options: object, option, words) => {
  const make = () => openai({ model: 'tiny', baseURL: 'http://127.0.0.1:9/v1', ...options })
  expect(make).toThrow(words)
  expect(make).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', details: expect.objectContaining({ option }) }),
  )
})

test.each([
  { apiKey: `${KEY} é` },
  { apiKey: `${KEY}\u0000` },
  { baseURL: `me:${KEY}@host` },
  { headers: { a: `${KEY}\n` } },
  { query: { a: [KEY] as unknown as string } },
  { baseURL: `http://me:${KEY}%@host/v1` },
])('a refused secret is not repeated in the refusal', (options) => {
  const make = () => openai({ model: 'tiny', baseURL: 'http://127.0.0.1:9/v1', ...options })
  expect(make).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  try {
    make()
  } catch (error) {
    expect(JSON.stringify(error) + String(error)).not.toContain(KEY)
  }
})
