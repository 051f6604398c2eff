// Middle, spread and the question whether one alternative really is faster than another.

/** Median and quartiles of measured times. */
export interface TimeSpread {
  /** The middle. */
  readonly medianMs: number
  /** A quarter of the times lie below. */
  readonly lowMs: number
  /** A quarter of the times lie above. */
  readonly highMs: number
}

/** Quartiles by linear interpolation, as most tools have them. */
export function spreadOf(times: readonly number[]): TimeSpread {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number): number => {
    const position = share * (sorted.length - 1)
    const [below = Number.NaN, above = below] = sorted.slice(Math.floor(position), Math.floor(position) + 2)
    return below + (above - below) * (position % 1)
  }
  return { medianMs: at(0.5), lowMs: at(0.25), highMs: at(0.75) }
}

/** Below this, where code happens to lie in memory decides (Mytkowicz and others, ASPLOS 2009). */
const LEAST_DIFFERENCE = 1.02
/** Chance of calling two equal alternatives different. */
const ALPHA = 0.001

/**
 * Why `faster` cannot be said to be faster than `slower`, or undefined when it can: the medians must lie further apart
 * than the quartiles of either, and by more than 2 %; and the ranks must be unlikely by chance (exact two-sided test of
 * Mann and Whitney, 1947, at 0.1 %; Go's benchstat compares with the same test). Distances are factors, since what
 * disturbs a program disturbs a long time by more milliseconds than a short one.
 */
export function doubtThat(faster: readonly number[], slower: readonly number[]): string | undefined {
  const [fast, slow] = [spreadOf(faster), spreadOf(slower)]
  const difference = slow.medianMs / fast.medianMs
  const spread = Math.max(fast.highMs / fast.lowMs, slow.highMs / slow.lowMs)
  if (!(difference > spread))
    return `their times spread by ${factor(spread)} and differ by ${factor(difference)}`
  if (difference < LEAST_DIFFERENCE) return `they differ by ${factor(difference)}, which chance can make`
  const chance = chanceOfRanks(faster, slower)
  return chance > ALPHA
    ? `with so few samples chance alone does this in ${percent(chance)} of cases`
    : undefined
}

const factor = (ratio: number): string => `a factor of ${ratio.toPrecision(3)}`
const percent = (share: number): string => `${(share * 100).toPrecision(2)} %`

/** Two-sided p-value of Mann and Whitney's U, counted exactly; ties count half, rounded towards doubt. */
function chanceOfRanks(one: readonly number[], other: readonly number[]): number {
  const wins = one.reduce(
    (sum, a) => sum + other.reduce((inner, b) => inner + (a < b ? 1 : a === b ? 0.5 : 0), 0),
    0,
  )
  const fewest = Math.ceil(Math.min(wins, one.length * other.length - wins))
  const counts = countsOfU(one.length, other.length)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const tail = counts.slice(0, fewest + 1).reduce((sum, count) => sum + count, 0)
  return Math.min(1, (2 * tail) / total)
}

/** In how many orders of m and n samples U has each value: coefficients of the Gaussian binomial, by Pascal's rule. */
function countsOfU(m: number, n: number): readonly number[] {
  let row: number[][] = Array.from({ length: n + 1 }, () => [1])
  for (let i = 1; i <= m; i++) {
    const next: number[][] = [[1]]
    for (let j = 1; j <= n; j++) {
      const counts = Array.from({ length: i * j + 1 }, (_, u) => {
        const greatestFirst = u >= j ? (row[j]?.[u - j] ?? 0) : 0
        return greatestFirst + (next[j - 1]?.[u] ?? 0)
      })
      next.push(counts)
    }
    row = next
  }
  return row[n] ?? [1]
}
