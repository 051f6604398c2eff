// Which candidate is the best so far: most checks passed, then most tests passed, then how far it came, then the earliest.
import type { Attempt } from '../contract/loop.js'
import type { Failure, FailureKind, TestReport } from '../contract/verify.js'
import { saysNothing } from './verdicts.js'

/** The best attempt, or undefined when there is none. */
export function bestAttempt(attempts: readonly Attempt[]): Attempt | undefined {
  let best: Attempt | undefined
  for (const attempt of attempts) if (best === undefined || isBetter(attempt, best)) best = attempt
  return best
}

/** True when `one` is better than `other`, and not only as good. */
export function isBetter(one: Attempt, other: Attempt): boolean {
  const [a, b] = [rank(one), rank(other)]
  for (const [index, value] of a.entries()) {
    const against = b[index] ?? 0
    if (value !== against) return value > against
  }
  return false
}

const rank = ({ verdicts, failures }: Attempt): number[] => [
  verdicts.filter(({ status }) => status === 'pass').length,
  passing(verdicts.flatMap(({ tests = [] }) => tests)).length,
  reached(failures),
]

/** What a program that has not begun to do its work ends with, and one that has not come to the end of it. */
const NOT_BEGUN: readonly FailureKind[] = ['syntax', 'lint', 'type', 'import', 'edit', 'missing-entry']
const NOT_ENDED: readonly FailureKind[] = ['timeout', 'resource', 'denied', 'early-exit']

/** The number of failures says nothing of that: one that does not parse has a single one. */
function reached(failures: readonly Failure[]): number {
  if (failures.some(({ kind }) => NOT_BEGUN.includes(kind))) return 0
  return failures.some(({ kind }) => NOT_ENDED.includes(kind)) ? 1 : 2
}

/**
 * Equal for attempts that went wrong in the same way, as far as the visible checks tell; undefined where they do not tell
 * how. Of an assertion with another value than before it is not the same.
 */
export function outcomeSignature({ verdicts, failures }: Attempt): string | undefined {
  if (failures.every(saysNothing)) return undefined
  const checks = verdicts.map(({ name, status, tests = [] }) => `${name}:${status}:${passing(tests).length}`)
  const ways = failures.map(({ fingerprint, message, actual }) => `${fingerprint ?? message}=${actual ?? ''}`)
  return [...checks, ...new Set(ways.sort())].join('\0')
}

/** Names of the checks and tests that passed in `before` and do not in `after`. */
export function brokenBy(after: Attempt, before: Attempt): string[] {
  return before.verdicts.flatMap(({ name, visibility, status, tests = [] }) => {
    // What is held out is not told.
    if (visibility === 'held-out') return []
    const now = after.verdicts.find((one) => one.name === name)
    const stillPass = new Set(passing(now?.tests ?? []).map((test) => test.name))
    const broken = passing(tests)
      .map((test) => test.name)
      .filter((test) => !stillPass.has(test))
    if (broken.length > 0) return broken
    return status === 'pass' && now?.status !== 'pass' ? [name] : []
  })
}

const passing = (tests: readonly TestReport[]): readonly TestReport[] =>
  tests.filter(({ status }) => status === 'pass')
