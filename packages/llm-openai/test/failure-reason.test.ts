import { expect, test } from 'vitest'
import { judge, readStatement } from '../src/failure-reason.js'

const reasonOf = (status: number | undefined, error: unknown) =>
  judge(readStatement({ error }, status)).reason

test.each([
  'the maximum context length of this model is 4096 tokens, you asked for 12570',
  'prompt is too long: 210000 tokens > 200000 maximum',
  'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
  'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  'Please reduce the length of the messages.',
  'the conversation no longer fits in a window of 8192 tokens',
  'inputs tokens + max_new_tokens must be <= 4096',
  'Number of input tokens has exceeded the allowed maximum',
])('"%s" is about the context', (message) => {
  expect(reasonOf(400, { message })).toBe('context-length')
  expect(reasonOf(500, { message })).toBe('context-length')
  expect(reasonOf(undefined, { message })).toBe('context-length')
})

test.each([
  'max_tokens is too large: 100000. This model supports at most 16384 completion tokens',
  '`max_tokens` must be at most 8192, which is less than the `context_window` of this model',
  'string too long in the name of a message',
  'temperature must be at most 2',
  'too many images in request',
  'function name too long',
])('"%s" is not about the context', (message) => {
  expect(reasonOf(400, { message })).toBe('bad-request')
})

test.each([
  [400, { code: 'context_length_exceeded', message: 'no' }, 'context-length'],
  [400, { type: 'exceed_context_size_error', code: 400, message: 'no' }, 'context-length'],
  [400, { code: 'string_above_max_length', message: 'prompt too long for the model' }, 'bad-request'],
  [400, { param: 'max_tokens', message: 'context window exceeded' }, 'bad-request'],
  [429, { message: 'too many tokens in the prompt for this minute' }, 'rate-limit'],
  [503, { message: 'model is loading' }, 'server-error'],
  [404, { message: 'No endpoints found that support tool use' }, 'unsupported-feature'],
  [500, { message: 'image input is not supported' }, 'unsupported-feature'],
  [400, { code: 'content_filter', message: 'filtered' }, 'refused'],
  [403, { message: 'your input was flagged' }, 'refused'],
  [402, { message: 'insufficient credits' }, 'rate-limit'],
  [408, { message: 'timeout' }, 'stalled'],
  [undefined, { message: 'Rate limit reached' }, 'rate-limit'],
  [undefined, { message: 'invalid api key' }, 'auth'],
  [undefined, { type: 'invalid_request_error', message: 'no' }, 'bad-request'],
  [undefined, { code: '503', message: 'no' }, 'server-error'],
  [undefined, 'out of memory', 'server-error'],
] as const)('status %s with %j is told as %s', (status, error, expected) => {
  expect(reasonOf(status, error)).toBe(expected)
})

test('a request above a whole allowance is not worth a retry', () => {
  const statement = readStatement(
    { error: { message: 'Request too large: limit 30000, requested 40000' } },
    429,
  )
  expect(judge(statement)).toEqual({ reason: 'rate-limit', retryable: false })
})
