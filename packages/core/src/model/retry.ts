// When to ask a model's server again: only for errors that may pass, after a wait that the server or a backoff decides.
import pRetry from 'p-retry'
import { z } from 'zod'
import { MendloopError } from '../contract/errors.js'
import { onAbort } from '../internal/on-abort.js'
import { startTimer } from '../internal/timer.js'

/** How often, and after which waits, a failed request is sent again. */
export interface RetryPolicy {
  /** Further requests after the first; 0 turns retries off. Default 2. */
  retries: number
  /** Wait before the first retry, in milliseconds; doubled each time, less up to half of it at random. Default 500. */
  minDelayMs: number
  /** Upper bound of one wait, in milliseconds; it also caps what the server asks for. Default 30 000. */
  maxDelayMs: number
}

/** The retry policy for which nothing was asked. */
export const DEFAULT_RETRY_POLICY: Readonly<RetryPolicy> = Object.freeze({
  retries: 2,
  minDelayMs: 500,
  maxDelayMs: 30_000,
})

/** Schema of a full or partial {@link RetryPolicy}. */
export const retryPolicySchema: z.ZodType<Partial<RetryPolicy>> = z.strictObject({
  retries: z.int().nonnegative().optional(),
  minDelayMs: z.int().nonnegative().optional(),
  maxDelayMs: z.int().nonnegative().optional(),
})

/** What {@link retryModelRequest} works with. */
export interface RetryContext {
  /** Overrides of {@link DEFAULT_RETRY_POLICY}. */
  policy?: Partial<RetryPolicy>
  /** Aborting ends a wait at once. */
  signal: AbortSignal
  /** Milliseconds left for everything; a wait that would outlast them is not begun. Default: no bound. */
  remainingMs?(): number
  /** Asked before each wait; false gives up although the error may pass. */
  mayRetry?(error: MendloopError): boolean
  /** Source of the jitter, from 0 to below 1. Default `Math.random`. */
  random?(): number
}

/**
 * Sends a request until it succeeds, fails for good, or the policy is used up.
 *
 * @param request - one try, given how many were made before it; what it throws decides, by `retryable: true` alone
 * @throws what the last try threw; MendloopError ABORTED when the signal was aborted during a wait
 */
export async function retryModelRequest<T>(
  request: (retriesBefore: number) => Promise<T>,
  { policy, signal, remainingMs, mayRetry, random = Math.random }: RetryContext,
): Promise<T> {
  const {
    retries = DEFAULT_RETRY_POLICY.retries,
    minDelayMs = DEFAULT_RETRY_POLICY.minDelayMs,
    maxDelayMs = DEFAULT_RETRY_POLICY.maxDelayMs,
  } = policy ?? {}
  return pRetry((tryNumber) => request(tryNumber - 1), {
    retries,
    // The wait is our own, since p-retry knows neither Retry-After nor how to name an abort.
    minTimeout: 0,
    shouldRetry: async ({ error, retriesConsumed }) => {
      if (!MendloopError.is(error) || error.retryable !== true) return false
      if (mayRetry !== undefined && !mayRetry(error)) return false
      const backoffMs = minDelayMs * 2 ** retriesConsumed * (1 - random() / 2)
      const delayMs = Math.min(askedMs(error) ?? backoffMs, maxDelayMs)
      if (remainingMs !== undefined && delayMs >= remainingMs()) return false
      await pause(delayMs, signal)
      return true
    },
  })
}

const askedMs = (error: MendloopError): number | undefined =>
  MendloopError.is(error, 'MODEL_REQUEST_FAILED') ? error.details.retryAfterMs : undefined

function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopTimer = startTimer(delayMs, () => {
      stopListening()
      resolve()
    })
    const stopListening = onAbort(signal, () => {
      stopTimer()
      const message = 'The request was aborted while it waited to be sent again.'
      reject(new MendloopError('ABORTED', message, { details: { during: 'backoff' }, cause: signal.reason }))
    })
  })
}

/**
 * How long a server asks to wait: `retry-after-ms`, or `Retry-After` as seconds or as an HTTP date.
 *
 * @param now - milliseconds since 1970, for dates
 * @returns milliseconds, 0 for a moment that has passed; undefined when nothing readable was asked
 */
export function retryAfterMs(
  header: (name: string) => string | null | undefined,
  now: number = Date.now(),
): number | undefined {
  const exact = decimal(header('retry-after-ms'))
  if (exact !== undefined) return exact
  const text = header('retry-after')
  const seconds = decimal(text)
  if (seconds !== undefined) return Math.round(seconds * 1000)
  const date = httpDate(text ?? '')
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

// `Date.parse` takes nearly everything for a date, `-5` and `1, 2` too; an HTTP date begins with the day of the week.
const httpDate = (text: string): number =>
  /^\s*(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(text)
    ? Date.parse(/\bGMT\s*$/.test(text) ? text : `${text} GMT`)
    : Number.NaN

const decimal = (text: string | null | undefined): number | undefined =>
  typeof text === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined
