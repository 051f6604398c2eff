// A short stable name for a failure, so that the same mistake is recognised when it comes back.
import { createHash } from 'node:crypto'
import type { Failure, FailureKind } from '../contract/verify.js'

// Below the first line of these stands what the program last printed, which differs from run to run.
const FIRST_LINE_ONLY: ReadonlySet<FailureKind> = new Set(['timeout', 'resource', 'denied'])
const MESSAGE_LINES = 10

/**
 * Names a failure by its kind, its message and where it happened; numbers, addresses, paths, ids and times are masked,
 * and the line is left out, since it moves with every edit.
 *
 * @returns such as `exception-3f0c8a51b2d4`; equal for equal failures, on every machine
 */
export function fingerprintOf(failure: Omit<Failure, 'fingerprint'>): string {
  const { kind, message, location, frames, test } = failure
  const lines = message.split('\n').slice(0, FIRST_LINE_ONLY.has(kind) ? 1 : MESSAGE_LINES)
  const innermost = frames?.at(-1)?.function
  const parts = [kind, maskVolatile(lines.join('\n')), location?.path ?? '', innermost ?? '', test ?? '']
  return `${kind}-${createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 12)}`
}

const MASKS: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/giu, '<id>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/gu, '<time>'],
  [/\b\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?\b/gu, '<time>'],
  [/\b0x[0-9a-f]+\b/giu, '<address>'],
  [/(?<![\w./\\-])(?:[a-z]:)?(?:[\\/][^\s"'\\/:,;()<>]+){2,}[\\/]?/giu, '<path>'],
  [/\b(?=[a-f]*\d)[0-9a-f]{12,}\b/giu, '<id>'],
  [/(?<![\p{L}_])[-+]?\d[\d_]*(?:\.\d+)?(?:e[-+]?\d+)?/giu, '#'],
]

/** Replaces what differs from run to run. */
function maskVolatile(text: string): string {
  return MASKS.reduce((masked, [pattern, mask]) => masked.replace(pattern, mask), text)
}
