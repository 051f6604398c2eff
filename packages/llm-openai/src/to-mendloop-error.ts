// The one place that turns what servers, the network and the client throw at us into a MendloopError with a sentence and a remedy.
import { MendloopError, type ModelFailureReason } from '@mendloop/core'
import { retryAfterMs } from '@mendloop/core/adapter'
import { APIError } from 'openai'
import type { Expiry } from './call-clock.js'
import { judge, readStatement, type Statement, type Verdict } from './failure-reason.js'
import { isRecord, textOf } from './json.js'
import { judgeNetwork, networkCode } from './network-failure.js'
import type { Redactor } from './secrets.js'
import { TransportError } from './transport.js'

/** What every sentence needs to know. */
export interface FailureContext {
  /** Id of the adapter. */
  readonly adapterId: string
  /** Name of the model. */
  readonly model: string
  /** Base URL without credentials. */
  readonly baseURL: string
  /** What to look at when the key is refused. */
  readonly keySource: string
  /** Takes secrets out. */
  readonly redact: Redactor
}

type Failed = MendloopError<'MODEL_REQUEST_FAILED'>

const MAX_QUOTE_CHARACTERS = 300

/** An error that the server stated with its status, as the client throws it. */
export function statusFailure(context: FailureContext, error: APIError): Failed {
  const status = error.status ?? 0
  const location = error.headers?.get('location')
  if (status >= 300 && status < 400)
    return build(context, { reason: 'bad-request', retryable: false }, { status }, [
      `${context.baseURL} sends requests on to another address (HTTP ${status})`,
      `Set the base URL to where the API is${location ? `, perhaps below ${withoutQuery(location)}` : ''}.`,
    ])
  const statement = readStatement(error.error, status)
  const wait = retryAfterMs((name) => error.headers?.get(name))
  return stated(
    context,
    statement,
    { status, ...(wait !== undefined && { retryAfterMs: wait }) },
    `HTTP ${status}`,
  )
}

/** An error inside a reply that began with status 200. */
export function statedFailure(context: FailureContext, body: unknown, textSoFar: string): Failed {
  const details = { status: 200, ...(textSoFar !== '' && { textSoFar }) }
  return stated(context, readStatement(body), details, 'in a reply with HTTP 200')
}

/** The error that a chunk or a whole reply holds, if it holds one. */
export function errorIn(value: unknown): unknown {
  if (Array.isArray(value)) return errorIn(value[0])
  if (!isRecord(value)) return undefined
  if (isError(value['error'])) return value
  if (value['object'] === 'error' || value['type'] === 'error') return value
  const choice: unknown = Array.isArray(value['choices']) ? value['choices'][0] : undefined
  if (isRecord(choice) && (isError(choice['error']) || choice['finish_reason'] === 'error')) return choice
  const hasReply = 'choices' in value || 'usage' in value
  return !hasReply && (textOf(value['detail']) || textOf(value['message'])) !== '' ? value : undefined
}

/** A body under status 200 that is no reply: a page, nothing, half a reply, a reply without choices. */
export function malformed(
  context: FailureContext,
  problem: string,
  { contentType, body = '', textSoFar = '', retryable }: MalformedReply,
): Failed {
  const details = { status: 200, ...(textSoFar !== '' && { textSoFar }) }
  const quote = quoted(context, body)
  return build(context, { reason: 'malformed-response', retryable }, details, [
    `${context.baseURL} answered with HTTP 200 (${contentType || 'no content type'}) and ${problem}${quote}`,
    'Check that the base URL is that of an OpenAI-compatible API, not of a web page or a gateway before it.',
  ])
}

/** What {@link malformed} may quote. */
export interface MalformedReply {
  readonly contentType: string
  readonly body?: string
  readonly textSoFar?: string
  readonly retryable: boolean | null
}

/** A stream that ended before the reply did. */
export function truncated(
  context: FailureContext,
  started: boolean,
  textSoFar: string,
  cause?: unknown,
): Failed {
  const details = { status: 200, ...(textSoFar !== '' && { textSoFar }) }
  if (started)
    return build(
      context,
      { reason: 'truncated-stream', retryable: true },
      details,
      [
        `The stream from ${context.baseURL} ended in the middle of the reply, after ${textSoFar.length} characters`,
        'Ask again; if it happens each time, look at the log of the server or of the gateway before it.',
      ],
      cause,
    )
  return build(
    context,
    { reason: 'truncated-stream', retryable: cause === undefined ? null : true },
    details,
    [
      `The stream from ${context.baseURL} ended before anything came`,
      'Some servers do that when the prompt is too long for the model; otherwise ask again.',
    ],
    cause,
  )
}

/** A limit of ours was reached. */
export function stalled(context: FailureContext, { limit, limitMs }: Expiry, textSoFar: string): Failed {
  const what = {
    firstTokenMs: 'sent nothing of its reply',
    idleMs: 'fell silent in the middle of its reply',
    totalMs: 'did not finish its reply',
  }[limit]
  return build(context, { reason: 'stalled', retryable: true }, textSoFar === '' ? {} : { textSoFar }, [
    `${context.baseURL} ${what} within ${limitMs} ms`,
    `Raise timeouts.${limit} if the model needs longer.`,
  ])
}

/** The server could not be reached, or the connection broke. */
export function connectionFailure(context: FailureContext, error: unknown): Failed {
  const thrown = unwrapped(error)
  const code = networkCode(thrown)
  const { reason, retryable, words } = judgeNetwork(code)
  const remedy =
    'Check that the server runs and that the base URL (option baseURL or OPENAI_BASE_URL) is right.'
  return build(
    context,
    { reason, retryable },
    {},
    [`${context.baseURL} ${words}${code && ` (${code})`}`, remedy],
    thrown,
  )
}

/** The caller aborted. */
export function aborted(context: FailureContext, signal: AbortSignal): MendloopError<'ABORTED'> {
  return new MendloopError('ABORTED', `The request to ${context.baseURL} was aborted.`, {
    details: { during: 'model' },
    cause: context.redact.cause(signal.reason),
  })
}

function stated(context: FailureContext, statement: Statement, details: Facts, where: string): Failed {
  const verdict = judge(statement)
  const quote = quoted(context, statement.words)
  const wait = details.retryAfterMs === undefined ? '' : ` It asks to wait ${details.retryAfterMs} ms.`
  const { baseURL, model, keySource } = context
  const sentences: Record<ModelFailureReason, readonly [string, string]> = {
    auth: [`${baseURL} refused access (${where})${quote}`, `Check ${keySource}.`],
    'rate-limit': verdict.retryable
      ? [`${baseURL} takes no more requests for now (${where})${quote}`, `Ask again later.${wait}`]
      : [
          `${baseURL} refused the request for its quota (${where})${quote}`,
          'Check the limits and the credit of the account.',
        ],
    overloaded: [`${baseURL} is overloaded (${where})${quote}`, `Ask again later.${wait}`],
    'context-length': [
      `The prompt does not fit into the context of model "${model}" (${where})${quote}`,
      'Shorten the prompt or use a model with a larger context.',
    ],
    'bad-request':
      statement.status === 404
        ? [
            `${baseURL} knows no model "${model}", or has no API there (${where})${quote}`,
            'Check the model and the base URL, which usually ends in /v1.',
          ]
        : [
            `${baseURL} refused the request to model "${model}" (${where})${quote}`,
            'Mend the request as it says.',
          ],
    'unsupported-feature': [
      `${baseURL} cannot do what the request asks of model "${model}" (${where})${quote}`,
      'Leave that out or use another model.',
    ],
    refused: [`${baseURL} refused to answer (${where})${quote}`, 'Change what is asked.'],
    stalled: [`${baseURL} gave up waiting (${where})${quote}`, 'Ask again.'],
    'server-error': [`${baseURL} failed (${where})${quote}`, `Ask again later.${wait}`],
    'truncated-stream': [`${baseURL} broke off (${where})${quote}`, 'Ask again.'],
    'malformed-response': [`${baseURL} failed (${where})${quote}`, 'Ask again.'],
    connection: [`${baseURL} could not be reached (${where})${quote}`, 'Ask again.'],
  }
  return build(context, verdict, details, sentences[verdict.reason])
}

interface Facts {
  status?: number
  retryAfterMs?: number
  textSoFar?: string
}

function build(
  { adapterId, redact }: FailureContext,
  { reason, retryable }: Verdict,
  { textSoFar, ...facts }: Facts,
  [sentence, remedy]: readonly [string, string],
  cause?: unknown,
): Failed {
  const details = {
    model: adapterId,
    reason,
    ...facts,
    ...(textSoFar !== undefined && { textSoFar: redact.text(textSoFar) }),
  }
  const message = redact.text(`${/[.!?]"?$/.test(sentence) ? sentence : `${sentence}.`} ${remedy}`)
  return new MendloopError('MODEL_REQUEST_FAILED', message, {
    details,
    retryable,
    cause: redact.cause(cause),
  })
}

/** The server's words, after a colon: one line, without markup, short. Redacted first, so that a cut leaves no half of a key. */
function quoted({ redact }: FailureContext, words: string): string {
  const plain = /^\s*<(!doctype|html|\?xml)/i.test(words) ? words.replace(/<[^>]*>/g, ' ') : words
  const line = redact.text(plain).replace(/\s+/g, ' ').trim()
  if (line === '') return ''
  const characters = [...line.slice(0, MAX_QUOTE_CHARACTERS * 2)]
  const short = characters.slice(0, MAX_QUOTE_CHARACTERS).join('')
  return `: "${short}${short.length < line.length ? ' …' : ''}"`
}

/** What the network said, without the wrappings of the client. */
function unwrapped(error: unknown): unknown {
  const inner = error instanceof APIError ? error.cause : error
  return inner instanceof TransportError ? inner.thrown : inner
}

const isError = (value: unknown): boolean => isRecord(value) || textOf(value) !== '' || Array.isArray(value)

const withoutQuery = (location: string): string =>
  location.replace(/[?#].*$/, '').replace(/\/\/[^/@]*@/, '//')
