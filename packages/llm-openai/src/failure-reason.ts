// What kind of failure a server's error is: codes first, then the status, then words, since every server words it anew.
import type { ModelFailureReason } from '@mendloop/core'
import { isRecord, textOf } from './json.js'

/** A failure in words that do not depend on the server. */
export interface Verdict {
  readonly reason: ModelFailureReason
  readonly retryable: boolean | null
}

/** What a server stated about a failure. */
export interface Statement {
  /** HTTP status, or the one that the error itself names under status 200. */
  readonly status: number | undefined
  /** Codes and types, lower case, joined by blanks. */
  readonly codes: string
  /** Which field of the request it is about; empty when it does not say. */
  readonly field: string
  /** The sentence for people. */
  readonly words: string
}

/** Finds the error in a body, whatever wraps it. */
export function readStatement(body: unknown, status?: number): Statement {
  const outer: unknown = Array.isArray(body) ? body[0] : body
  if (!isRecord(outer)) return { status, codes: '', field: '', words: textOf(outer) }
  const inner = isRecord(outer['error']) ? outer['error'] : outer
  const codes = [inner['code'], inner['type'], inner['status']].filter((code) => typeof code === 'string')
  const metadata = isRecord(inner['metadata']) ? textOf(inner['metadata']['raw']) : ''
  return {
    status: status ?? statusIn(inner),
    codes: codes.join(' ').toLowerCase(),
    field: textOf(inner['param']),
    words: [wordsOf(inner), metadata].filter((text) => text !== '').join(': '),
  }
}

/** Decides the kind of a stated failure, and whether the same request may succeed later. */
export function judge(statement: Statement): Verdict {
  const { status, codes, field, words } = statement
  const says = (pattern: RegExp): boolean => pattern.test(words)
  if (/insufficient_(quota|credits|balance)|billing/.test(codes) || status === 402) return final('rate-limit')
  if (
    /moderation|content_(filter|policy)|safety/.test(codes) ||
    (status === 403 && says(/moderation|flagged/i))
  )
    return final('refused')
  if (status === 401 || status === 403 || status === 407 || /authentication|permission|api_key/.test(codes))
    return final('auth')
  if (status === 429 || /rate_limit|too_many_requests/.test(codes))
    // A request that is larger than a whole minute's allowance never passes.
    return { reason: 'rate-limit', retryable: !says(/request (is )?too large/i) }
  if (/context|prompt_too_long|request_too_large/.test(codes) || status === 413)
    return final('context-length')
  if (status === 529 || /overloaded|slow_down|unavailable_capacity/.test(codes)) return later('overloaded')
  if (/unsupported|not_supported|not_implemented/.test(codes) || status === 501)
    return final('unsupported-feature')
  if (/above_max_length|model_not_found/.test(codes) || isAboutOutputLimit(field, words))
    return final('bad-request')
  if (isAboutContext(words)) return final('context-length')
  if (says(UNSUPPORTED)) return final('unsupported-feature')
  if (status === 408) return later('stalled')
  if (status === 409 || status === 425) return later('server-error')
  if ((status === undefined || status >= 500) && says(/overload|at capacity|too busy|\bis busy\b/i))
    return later('overloaded')
  if (status !== undefined) return status >= 500 ? later('server-error') : final('bad-request')
  if (says(/rate.?limit|too many requests/i)) return later('rate-limit')
  if (says(/api.?key|unauthori[sz]ed/i)) return final('auth')
  if (/invalid|bad_request|validation|not_found/.test(codes)) return final('bad-request')
  return later('server-error')
}

const final = (reason: ModelFailureReason): Verdict => ({ reason, retryable: false })
const later = (reason: ModelFailureReason): Verdict => ({ reason, retryable: true })

const UNSUPPORTED =
  /\b(not|n't|cannot) (currently )?(be )?(support|enabled|implement|permitted|allowed with)|unsupported|no endpoints found that support|unrecogni[sz]ed (request )?argument|\brequires? -{1,2}\w|extra inputs/i

/** The bound of the reply is too high, which is another fault than a prompt that is too long. */
const isAboutOutputLimit = (field: string, words: string): boolean =>
  /^max_\w*tokens$/.test(field) || /^\W*(invalid \w+\W+)?max_\w*tokens\b/i.test(words)

/** True for the many ways to say that a prompt is longer than the model's context. */
function isAboutContext(words: string): boolean {
  // What follows the first sentences is traces and lists of fields, where any word may stand.
  const text = words.slice(0, 500).toLowerCase()
  const excess =
    /exceed|maximum|\bmax\b|too (long|large|many|big)|reduce|overflow|\bfits?\b|(more|longer|larger|greater|higher|bigger) |\bover\b|beyond|only|at most|<=/
  if (/context[ _-]?(length|window|size|limit)|context of/.test(text) && excess.test(text)) return true
  if (/reduce the length of (the |your )?(messages?|prompt|input|conversation)/.test(text)) return true
  const isPrompt = /\b(prompt|input|inputs|messages?|conversation|request|history)\b/.test(text)
  return isPrompt && /\btokens?\b|\bprompt\b|\bcontext\b|\bmodel\b/.test(text) && tooMuch.test(text)
}

// Verbs of excess that a complaint about a single field, such as a temperature, does not use together with a prompt.
const tooMuch =
  /too (long|large|many|big)|exceed(s|ed)? |more .*\bthan\b|(longer|larger|greater) than|over the (limit|maximum)|overflow|(not|n't|no longer) fit|maximum (prompt|input) length|tokens?.* must (be|have) (<=|less|at most)/

const statusIn = (error: Readonly<Record<string, unknown>>): number | undefined => {
  for (const value of [error['code'], error['status'], error['status_code']]) {
    const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
    if (typeof status === 'number' && status >= 400 && status < 600) return status
  }
  return undefined
}

function wordsOf(error: Readonly<Record<string, unknown>>): string {
  for (const name of ['message', 'error', 'detail', 'error_description', 'title', 'msg']) {
    const value = error[name]
    if (typeof value === 'string' && value !== '') return value
    if (isRecord(value) || (Array.isArray(value) && value.length > 0)) return JSON.stringify(value)
  }
  return ''
}
