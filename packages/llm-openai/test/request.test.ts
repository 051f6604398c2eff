import { expect, test } from 'vitest'
import { hello, modelAt } from './helpers/ask.js'
import { completion, startServer } from './helpers/scripted-server.js'

test('every kind of message is sent in the form that every server takes', async () => {
  await using server = await startServer(completion('ok'))
  const toolCalls = [{ id: 'call_1', name: 'run', arguments: '{"code":"1"}' }]
  await modelAt(server.baseURL).generate(
    hello({
      messages: [
        { role: 'system', content: 'be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'one' },
            { type: 'text', text: 'two' },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image', mediaType: 'image/png', data: Uint8Array.of(1, 2, 3) },
          ],
        },
        { role: 'assistant', content: '', toolCalls },
        { role: 'tool', content: '1', toolCallId: 'call_1' },
      ],
    }),
  )
  expect(server.requests[0]?.body['messages']).toEqual([
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'one\ntwo' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'see' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'run', arguments: '{"code":"1"}' } }],
    },
    { role: 'tool', content: '1', tool_call_id: 'call_1' },
  ])
})

test('limit, temperature, tools and provider options reach the server', async () => {
  await using server = await startServer(completion('ok'))
  const tools = [{ name: 'run', description: 'Runs code.', parameters: { type: 'object' } }]
  await modelAt(server.baseURL, { maxOutputTokens: 500 }).generate(
    hello({ maxOutputTokens: 50, temperature: 0, tools, providerOptions: { seed: 7, stop: ['END'] } }),
  )
  expect(server.requests[0]?.body).toMatchObject({
    max_tokens: 50,
    temperature: 0,
    tools: [{ type: 'function', function: tools[0] }],
    seed: 7,
    stop: ['END'],
  })
})

test('the limit of the options holds for requests without one, in the field that was chosen', async () => {
  await using server = await startServer(completion('ok'))
  const options = { maxOutputTokens: 500, outputLimitField: 'max_completion_tokens' } as const
  await modelAt(server.baseURL, options).generate(hello())
  expect(server.requests[0]?.body).toMatchObject({ max_completion_tokens: 500 })
  expect(server.requests[0]?.body).not.toHaveProperty('max_tokens')
})

test('a limit among the provider options takes the place of ours', async () => {
  await using server = await startServer(completion('ok'))
  const model = modelAt(server.baseURL)
  await model.generate(hello({ maxOutputTokens: 5, providerOptions: { max_completion_tokens: 9 } }))
  expect(server.requests[0]?.body).toMatchObject({ max_completion_tokens: 9 })
  expect(server.requests[0]?.body).not.toHaveProperty('max_tokens')
})

test.each([
  ['maxOutputTokens', { maxOutputTokens: 0 }],
  ['maxOutputTokens', { maxOutputTokens: 2.5 }],
  ['temperature', { temperature: Number.NaN }],
  ['messages', { messages: [] }],
  ['messages.0.toolCallId', { messages: [{ role: 'tool' as const, content: '1' }] }],
  ['providerOptions', { providerOptions: 'fast' }],
  ['providerOptions.stream', { providerOptions: { stream: true } }],
  ['providerOptions', { providerOptions: { seed: 1n } }],
])('a request whose %s cannot work is refused before any call', async (option, more) => {
  await using server = await startServer(completion('ok'))
  const reply = modelAt(server.baseURL).generate(hello(more))
  await expect(reply).rejects.toMatchObject({ code: 'INVALID_OPTION', details: { option } })
  expect(server.requests).toHaveLength(0)
})
