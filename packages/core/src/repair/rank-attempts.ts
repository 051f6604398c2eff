// Which candidate is the best so far: most checks passed, then most tests passed, then fewest failures, then the earliest.
import type { Attempt } from '../contract/loop.js'

/** The best attempt, or undefined when there is none. */
export function bestAttempt(attempts: readonly Attempt[]): Attempt | undefined {
  let best: Attempt | undefined
  for (const attempt of attempts) if (best === undefined || isBetter(attempt, best)) best = attempt
  return best
}

function isBetter(one: Attempt, other: Attempt): boolean {
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
