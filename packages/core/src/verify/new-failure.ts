// Makes failures: without empty parts, and with their fingerprint.
import type { Failure, Verdict } from '../contract/verify.js'
import { fingerprintOf } from '../language/fingerprint.js'

/** A failure before it has a fingerprint, with parts that may be missing. */
export type FailureParts = {
  [K in keyof Omit<Failure, 'fingerprint'>]: Failure[K] | undefined
} & Pick<Failure, 'kind' | 'message'>

/** A failure of these parts. */
export function newFailure(parts: FailureParts): Failure {
  const present = Object.fromEntries(
    Object.entries(parts).filter(([, value]) => value !== undefined),
  ) as unknown as Omit<Failure, 'fingerprint'>
  return { ...present, fingerprint: fingerprintOf(present) }
}

/** The verdict of a check that could not decide. */
export function notRun(
  integrity: Verdict['integrity'],
  message: string,
  more: Partial<Pick<Verdict, 'lost' | 'misuse' | 'tests'>> = {},
): Verdict {
  return { status: 'not-run', integrity, failures: [newFailure({ kind: 'custom', message })], ...more }
}
