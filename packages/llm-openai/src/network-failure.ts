// What Node's network codes mean for a caller: which of them pass by themselves, and in which words they are told.
import type { Verdict } from './failure-reason.js'

/** A verdict with the predicate of its sentence. */
export type NetworkVerdict = Verdict & { readonly words: string }

const temporary = (words: string): NetworkVerdict => ({ reason: 'connection', retryable: true, words })
const lasting = (words: string): NetworkVerdict => ({ reason: 'connection', retryable: false, words })

const BY_CODE: Readonly<Record<string, NetworkVerdict>> = {
  ECONNREFUSED: temporary('takes no connections'),
  ECONNRESET: temporary('closed the connection before its answer was complete'),
  EPIPE: temporary('closed the connection before its answer was complete'),
  ETIMEDOUT: temporary('did not take the connection in time'),
  UND_ERR_BODY_TIMEOUT: {
    reason: 'stalled',
    retryable: true,
    words: 'fell silent in the middle of its answer',
  },
  EHOSTUNREACH: temporary('cannot be reached from this machine'),
  ENETUNREACH: temporary('cannot be reached from this machine'),
  EAI_AGAIN: temporary('could not be found, since names cannot be looked up at the moment'),
  // A name that is unknown now may be a network that is not up yet.
  ENOTFOUND: { reason: 'connection', retryable: null, words: 'has a name that nobody knows' },
}

/** @param code - the code of the innermost error; empty when there was none */
export function judgeNetwork(code: string): NetworkVerdict {
  const known = BY_CODE[code]
  if (known !== undefined) return known
  if (code.startsWith('HPE_')) return lasting('does not speak HTTP')
  if (code.startsWith('Z_')) return temporary('sent a body that cannot be unpacked')
  if (/EPROTO|CERT|SSL|TLS|UNABLE_TO|SELF_SIGNED/.test(code)) return lasting('could not be reached over TLS')
  return temporary('could not be reached')
}

/** The code of the innermost error that has one; of several addresses that were tried, that of the first. */
export function networkCode(error: unknown): string {
  // By its form: in a vm realm the errors of Node are no instances of Error.
  for (
    let current = error, depth = 0;
    depth < 6 && typeof current === 'object' && current !== null;
    depth++
  ) {
    const { code, cause, errors } = current as { code?: unknown; cause?: unknown; errors?: unknown }
    if (typeof code === 'string') return code
    current = cause ?? (Array.isArray(errors) ? errors[0] : undefined)
  }
  return ''
}
