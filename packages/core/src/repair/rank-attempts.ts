// Which candidate is the best so far: most checks passed, then most tests passed, then fewest failures, then the earliest.
import type { Attempt } from '../contract/loop.js'
import type { TestReport } from '../contract/verify.js'

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
  verdicts.flatMap(({ tests = [] }) => tests).filter(({ status }) => status === 'pass').length,
  -failures.length,
]

/** Equal for attempts that went wrong in the same way, as far as the checks tell. */
export function outcomeSignature({ verdicts, failures }: Attempt): string {
  const checks = verdicts.map(({ name, status, tests = [] }) => `${name}:${status}:${passing(tests).length}`)
  return [...checks, ...new Set(failures.map(({ fingerprint }) => fingerprint).sort())].join('\0')
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
