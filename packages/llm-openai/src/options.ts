// What `openai()` takes, and the one sentence that refuses each thing it does not take.
import {
  invalidOption,
  parseOptions,
  type RetryPolicy,
  retryPolicySchema,
  type TokenPrice,
  tokenPriceSchema,
  z,
} from '@mendloop/core/adapter'

/** Options of {@link openai}. */
export interface OpenAIOptions {
  /** Name of the model, as the server knows it. */
  model: string
  /**
   * Where the API begins, usually ending in `/v1`. Default: `OPENAI_BASE_URL`, else OpenAI's own. Credentials in it are sent
   * as basic authorization and never shown.
   */
  baseURL?: string
  /** Default: `OPENAI_API_KEY`. The empty string sends none. Only OpenAI's own host insists on a key. */
  apiKey?: string
  /** Sent with every request; one named `Authorization` takes the key's place. Their values are never shown. */
  headers?: Record<string, string>
  /** Added to the URL of every request, such as `api-version`. The values are never shown. */
  query?: Record<string, string>
  /** Organization to charge. Default: `OPENAI_ORG_ID`, on OpenAI's own host only. */
  organization?: string
  /** Project to charge. Default: `OPENAI_PROJECT_ID`, on OpenAI's own host only. */
  project?: string
  /** What tokens cost; without it the adapter knows no price. */
  price?: TokenPrice
  /** How long to wait for what. */
  timeouts?: Partial<Timeouts>
  /** When to ask again. */
  retry?: Partial<RetryPolicy>
  /** Bound of a reply, in tokens, for requests that bring none. Default: the server's own. */
  maxOutputTokens?: number
  /** Field in which the bound is sent. Default: `max_completion_tokens` on OpenAI's own host, `max_tokens` elsewhere. */
  outputLimitField?: 'max_tokens' | 'max_completion_tokens'
  /** True: always stream; false: never, `onDelta` gets the whole text at once. Default: stream when there is an `onDelta`. */
  stream?: boolean
}

/** Time limits of a call, in milliseconds. */
export interface Timeouts {
  /** Until the first event of a stream. Pings do not count. Default 180 000. */
  firstTokenMs: number
  /** Between two events of a stream, or two pieces of a body. Pings do not count. Default 120 000. */
  idleMs: number
  /** For the whole call with its retries and waits. Default 600 000. */
  totalMs: number
}

const DEFAULT_TIMEOUTS: Readonly<Timeouts> = Object.freeze({
  firstTokenMs: 180_000,
  idleMs: 120_000,
  totalMs: 600_000,
})

const duration = z.int().positive().optional()

// Keys, headers and the query are checked below and not here, since a schema's refusal shows what it was given.
const optionsSchema: z.ZodType<OpenAIOptions> = z.strictObject({
  model: z.string().min(1),
  baseURL: z.custom<string>().optional(),
  apiKey: z.custom<string>().optional(),
  headers: z.custom<Record<string, string>>().optional(),
  query: z.custom<Record<string, string>>().optional(),
  organization: z.string().optional(),
  project: z.string().optional(),
  price: tokenPriceSchema.optional(),
  timeouts: z
    .strictObject({ firstTokenMs: duration, idleMs: duration, totalMs: duration })
    .optional() as z.ZodType<Partial<Timeouts> | undefined>,
  retry: retryPolicySchema.optional(),
  maxOutputTokens: z.int().positive().optional(),
  outputLimitField: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  stream: z.boolean().optional(),
})

/** @throws MendloopError INVALID_OPTION, without the value when it may be a secret */
export function parseOpenAIOptions(value: unknown): OpenAIOptions {
  const options = parseOptions(optionsSchema, value, 'openai()')
  for (const name of ['baseURL', 'apiKey'] as const)
    if (options[name] !== undefined && typeof options[name] !== 'string')
      throw refused(name, 'must be a string', 'a string', typeof options[name])
  const query: unknown = options.query ?? {}
  if (typeof query !== 'object' || query === null || Array.isArray(query))
    throw refused('query', 'must be an object of strings', 'an object of strings', typeof query)
  for (const [name, value] of Object.entries(query))
    if (typeof value !== 'string')
      throw refused(`query.${name}`, 'must be a string', 'a string', typeof value)
  const headers: unknown = options.headers ?? {}
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    throw refused('headers', 'must be an object of strings', 'an object of strings', typeof headers)
  for (const [name, header] of Object.entries(headers)) {
    if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name))
      throw refused('headers', `"${name}" is no name of an HTTP header`, 'a name without blanks', name)
    if (typeof header !== 'string' || !isHeaderValue(header))
      throw refused(
        `headers.${name}`,
        'must be a string of one line',
        'one line of Latin characters',
        typeof header,
      )
  }
  return options
}

/** Fills in the time limits that were not given. */
export const resolveTimeouts = (given: Partial<Timeouts> = {}): Timeouts => ({
  firstTokenMs: given.firstTokenMs ?? DEFAULT_TIMEOUTS.firstTokenMs,
  idleMs: given.idleMs ?? DEFAULT_TIMEOUTS.idleMs,
  totalMs: given.totalMs ?? DEFAULT_TIMEOUTS.totalMs,
})

/** The refusal of one option; `received` is a description that holds no secret. */
export const refused = (option: string, problem: string, expected: string, received: string) =>
  invalidOption('openai()', option, problem, { expected, received })

/** True for what can stand in a header: visible Latin-1 characters, blanks and tabs. */
export const isHeaderValue = (text: string): boolean => /^[\t\x20-\x7e\xa0-\xff]*$/.test(text)
