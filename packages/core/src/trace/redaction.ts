// What is taken out of a record before it is written or handed on: texts only; names, and words of closed sets, stay.
import { z } from 'zod'
import { MendloopError } from '../contract/errors.js'
import { redactSecrets } from '../feedback/redact-secrets.js'
import { plainCopy, type TextMap } from '../internal/plain-copy.js'

/** `true`: what {@link redactSecrets} knows of. A function: whatever it makes of each text. */
export type Redact = boolean | ((text: string) => string)

/** Schema of {@link Redact}. */
export const redactSchema: z.ZodType<Redact> = z.union(
  [z.boolean(), z.custom<(text: string) => string>((value) => typeof value === 'function')],
  'must be true, false, or a function of a text',
)

/** Fields that programs tell things apart by, and every word that may stand there. */
const WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  role: new Set(['system', 'user', 'assistant', 'tool']),
  status: new Set([
    ...['pass', 'fail', 'not-run', 'verified', 'exhausted', 'stalled', 'needs-human', 'environment-lost'],
    ...['aborted', 'failed', 'unfinished'],
  ]),
  type: new Set(['text', 'image']),
  visibility: new Set(['visible', 'held-out']),
  purpose: new Set(['program', 'verification', 'diagnosis']),
  integrity: new Set(['separate', 'shared']),
  finish: new Set(['stop', 'length', 'tool', 'filter', 'other']),
  kind: new Set(['exit', 'signal', 'timeout', 'resource', 'denied', 'aborted', 'lost']),
  step: new Set(['compile']),
  why: new Set(['question', 'approval', 'escalation']),
  by: new Set(['person', 'default']),
  hook: new Set(['beforeModelCall', 'beforeExecute', 'afterAttempt']),
}

/**
 * A copy as JSON data, redacted.
 *
 * @throws MendloopError INVALID_OPTION when the function gives something else than a text; what it throws itself
 */
export function redactedCopy<T>(value: T, redact: Redact | undefined): T {
  return plainCopy(value, textMap(redact)) as T
}

function textMap(redact: Redact | undefined): TextMap {
  if (redact === undefined || redact === false) return (text) => text
  const apply = redact === true ? redactSecrets : redact
  return (text, key) => {
    if (Object.hasOwn(WORDS, key) && WORDS[key]?.has(text) === true) return text
    const made: unknown = apply(text)
    if (typeof made === 'string') return made
    throw new MendloopError('INVALID_OPTION', 'option "redact": the function must return a text.', {
      details: { option: 'redact', expected: 'a function that returns a text', received: typeof made },
    })
  }
}
