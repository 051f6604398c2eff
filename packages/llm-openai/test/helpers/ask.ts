// What most tests do: a model on a scripted server, asked once.
import { MendloopError, type ModelReply, type ModelRequest } from '@mendloop/core'
import { type OpenAIOptions, openai } from '../../src/index.js'

/** A request that says hello. */
export const hello = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: 'user', content: 'hello' }],
  signal: new AbortController().signal,
  ...more,
})

/** A model without key and retries, unless the options say otherwise. */
export const modelAt = (baseURL: string, more: Partial<OpenAIOptions> = {}) =>
  openai({ model: 'tiny', baseURL, apiKey: '', retry: { retries: 0 }, ...more })

/** The error that a promise rejects with; anything else fails the test. */
export async function failureOf(reply: Promise<ModelReply>): Promise<MendloopError<'MODEL_REQUEST_FAILED'>> {
  const error: unknown = await reply.then(
    (value) => new Error(`it was answered: ${value.text}`),
    (reason: unknown) => reason,
  )
  if (MendloopError.is(error, 'MODEL_REQUEST_FAILED')) return error
  throw error
}
