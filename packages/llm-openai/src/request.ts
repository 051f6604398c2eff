// ModelRequest → body of the chat completions API. Defaults that every server takes: plain strings, `system`, no `n`.
import type { ContentPart, Message, ModelRequest } from '@mendloop/core'
import { invalidOption } from '@mendloop/core/adapter'
import { isRecord } from './json.js'

/** Things that some servers do not know and that are left out once they said so. */
export type OptionalFeature = 'tools' | 'stream-usage'

/** What decides the body besides the request. */
export interface BodySettings {
  readonly model: string
  readonly stream: boolean
  readonly maxOutputTokens: number | undefined
  readonly outputLimitField: 'max_tokens' | 'max_completion_tokens'
  readonly without: ReadonlySet<OptionalFeature>
}

// What reads the answer depends on these, so they are not for the caller to change.
const OWN_FIELDS = ['model', 'messages', 'stream', 'n'] as const

/** The body that is sent as JSON. `providerOptions` may add and override anything that the adapter does not depend on. */
export function toChatBody(request: ModelRequest, settings: BodySettings): Record<string, unknown> {
  const extra = isRecord(request.providerOptions) ? request.providerOptions : {}
  const limitGiven = 'max_tokens' in extra || 'max_completion_tokens' in extra
  const { maxOutputTokens, without } = settings
  const body: Record<string, unknown> = {
    model: settings.model,
    messages: request.messages.map(toApiMessage),
    ...(maxOutputTokens !== undefined && !limitGiven && { [settings.outputLimitField]: maxOutputTokens }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...((request.tools?.length ?? 0) > 0 && {
      tools: request.tools?.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
    }),
    ...(settings.stream && { stream: true, stream_options: { include_usage: true } }),
    ...extra,
  }
  if (without.has('stream-usage')) delete body['stream_options']
  if (without.has('tools'))
    for (const field of ['tools', 'tool_choice', 'parallel_tool_calls']) delete body[field]
  return body
}

/** @throws MendloopError INVALID_OPTION for a request that servers would read each in their own way */
export function checkRequest(request: ModelRequest): void {
  const bad = (option: string, problem: string, expected: string, received: string) =>
    invalidOption('generate()', option, problem, { expected, received })
  const { messages, maxOutputTokens, temperature, providerOptions } = request
  if (messages.length === 0) throw bad('messages', 'is empty', 'at least one message', 'none')
  for (const [index, { role, toolCallId }] of messages.entries())
    if (role === 'tool' && toolCallId === undefined)
      throw bad(`messages.${index}.toolCallId`, 'is missing', 'id of the call that is answered', 'nothing')
  if (maxOutputTokens !== undefined && !(Number.isSafeInteger(maxOutputTokens) && maxOutputTokens > 0))
    throw bad(
      'maxOutputTokens',
      'must be a whole number above 0',
      'a whole number above 0',
      String(maxOutputTokens),
    )
  if (temperature !== undefined && !Number.isFinite(temperature))
    throw bad('temperature', 'must be a number', 'a number', String(temperature))
  if (providerOptions === undefined || providerOptions === null) return
  if (!isRecord(providerOptions))
    throw bad('providerOptions', 'must be an object of API fields', 'an object', typeof providerOptions)
  try {
    JSON.stringify(providerOptions)
  } catch (error) {
    throw bad('providerOptions', `cannot be sent as JSON: ${String(error)}`, 'JSON data', 'another value')
  }
  for (const field of OWN_FIELDS)
    if (field in providerOptions)
      throw bad(`providerOptions.${field}`, 'is decided by the adapter; leave it out', 'no such field', field)
}

function toApiMessage({ role, content, toolCalls, toolCallId }: Message): Record<string, unknown> {
  const calls = toolCalls ?? []
  const body = toApiContent(content)
  return {
    role,
    // Servers refuse an empty string beside tool calls.
    content: calls.length > 0 && body === '' ? null : body,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: args }) => ({
        id,
        type: 'function',
        function: { name, arguments: args },
      })),
    }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
  }
}

function toApiContent(content: string | readonly ContentPart[]): unknown {
  if (typeof content === 'string') return content
  // Text alone goes as a plain string: some servers fail on parts.
  if (content.every((part) => part.type === 'text')) return content.map((part) => part.text).join('\n')
  return content.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : {
          type: 'image_url',
          image_url: { url: `data:${part.mediaType};base64,${Buffer.from(part.data).toString('base64')}` },
        },
  )
}
