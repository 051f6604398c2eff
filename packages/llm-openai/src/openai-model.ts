// The adapter: contract in, contract out; retries, fallbacks and estimates round the exchange on the wire.
import { MendloopError, type ModelAdapter, type ModelReply, type ModelRequest } from '@mendloop/core'
import {
  completeUsage,
  costUsd,
  estimatePromptTokens,
  estimateTokens,
  retryModelRequest,
} from '@mendloop/core/adapter'
import { CallClock } from './call-clock.js'
import { createEndpoint } from './endpoint.js'
import { type Answer, exchange } from './exchange.js'
import { type OpenAIOptions, parseOpenAIOptions, resolveTimeouts } from './options.js'
import { checkRequest, type OptionalFeature, toChatBody } from './request.js'
import { aborted, type FailureContext } from './to-mendloop-error.js'

/**
 * A model behind an OpenAI-compatible server, asked through the chat completions API.
 *
 * Failed requests are sent again as `retry` says, but not once `onDelta` has been given text, which cannot be taken back;
 * such an error is thrown with `retryable: true` and `textSoFar`.
 *
 * @throws MendloopError INVALID_OPTION, also when OpenAI's own host is to be asked without a key; no request is made
 */
export function openai(options: OpenAIOptions): ModelAdapter {
  const settings = parseOpenAIOptions(options)
  const { model, price, retry } = settings
  const endpoint = createEndpoint(settings, process.env)
  const timeouts = resolveTimeouts(settings.timeouts)
  const id = `openai:${model}`
  const { baseURL, keySource, redact } = endpoint
  const failure: FailureContext = { adapterId: id, model, baseURL, keySource, redact }
  const outputLimitField =
    settings.outputLimitField ?? (endpoint.isOpenAI ? 'max_completion_tokens' : 'max_tokens')
  // What this server has refused to know, for as long as the adapter lives.
  const without = new Set<OptionalFeature>()

  async function generate(request: ModelRequest): Promise<ModelReply> {
    checkRequest(request)
    const { signal } = request
    if (signal.aborted) throw aborted(failure, signal)
    const endsAt = performance.now() + timeouts.totalMs
    const remainingMs = (): number => endsAt - performance.now()
    const delta = deltaOf(request)
    const stream = settings.stream ?? request.onDelta !== undefined
    const maxOutputTokens = request.maxOutputTokens ?? settings.maxOutputTokens

    const askOnce = async (): Promise<Answer> => {
      for (;;) {
        const body = toChatBody(request, { model, stream, maxOutputTokens, outputLimitField, without })
        const clock = new CallClock(signal, timeouts, stream, Math.max(1, remainingMs()))
        try {
          return await exchange(body, { endpoint, failure, clock, caller: signal, onText: delta.push })
        } catch (error) {
          const feature = refusedFeature(error)
          const wasSent = body[feature === 'tools' ? 'tools' : 'stream_options'] !== undefined
          if (feature === undefined || !wasSent) throw error
          without.add(feature)
        }
      }
    }
    const answer = await retryModelRequest(askOnce, {
      ...(retry !== undefined && { policy: retry }),
      signal,
      remainingMs,
      mayRetry: () => !delta.given,
    })
    return toModelReply(request, answer, without)
  }

  return {
    id,
    specVersion: 'model-v1',
    generate,
    ...(price !== undefined && { price: (usage) => costUsd(usage, price) }),
  }
}

/** The caller's `onDelta`, which can neither break nor delay a reply. */
function deltaOf(request: ModelRequest): { readonly given: boolean; push(text: string): void } {
  let given = false
  return {
    get given() {
      return given
    },
    push(text) {
      if (request.onDelta === undefined) return
      given = true
      try {
        // Should it be asynchronous, against its type.
        Promise.resolve(request.onDelta(text)).catch(() => undefined)
      } catch {
        // The contract: what it throws is ignored.
      }
    },
  }
}

// Below this, what a chat template adds outweighs the text.
const MIN_TOKENS_TO_COMPARE = 256

function toModelReply(
  request: ModelRequest,
  { reply, raw }: Answer,
  without: ReadonlySet<OptionalFeature>,
): ModelReply {
  const { text, reasoning, refusal, toolCalls, finish } = reply
  const estimate = {
    inputTokens: estimatePromptTokens(request.messages, without.has('tools') ? [] : request.tools),
    outputTokens: estimateTokens([text, reasoning, ...toolCalls.map((call) => call.arguments)].join('')),
  }
  const warnings: string[] = []
  const counted = reply.usage.inputTokens
  if (counted !== undefined && isCut(request, counted, estimate.inputTokens))
    warnings.push(
      `prompt-probably-truncated: the server counted ${counted} tokens of a prompt of about ${estimate.inputTokens}`,
    )
  if (without.has('tools') && (request.tools?.length ?? 0) > 0)
    warnings.push('tools-not-supported: the server refuses tools, so they were left out')
  return {
    text,
    ...(reasoning !== '' && { reasoning }),
    toolCalls,
    finish,
    ...(refusal !== '' && { refusal }),
    usage: completeUsage(reply.usage, estimate),
    ...(warnings.length > 0 && { warnings }),
    ...(raw !== undefined && { raw }),
  }
}

/** True when a server counted less than half of what was sent; with pictures nobody can say. */
function isCut({ messages }: ModelRequest, counted: number, estimated: number): boolean {
  const isTextOnly = messages.every(
    ({ content }) => typeof content === 'string' || content.every((part) => part.type === 'text'),
  )
  return isTextOnly && estimated >= MIN_TOKENS_TO_COMPARE && counted * 2 < estimated
}

/** What the server does not know of the request's optional parts, if that is what it complains of. */
function refusedFeature(error: unknown): OptionalFeature | undefined {
  if (!MendloopError.is(error, 'MODEL_REQUEST_FAILED')) return undefined
  const { reason } = error.details
  if (reason !== 'unsupported-feature' && reason !== 'bad-request') return undefined
  if (/stream_options|include_usage/.test(error.message)) return 'stream-usage'
  const namesTools = /\btool(s|[ _-]?(choice|call|use))?\b|\bfunctions?\b/i.test(error.message)
  return reason === 'unsupported-feature' && namesTools ? 'tools' : undefined
}
