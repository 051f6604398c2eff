// What a comparison of times comes to.
import { namesByText } from './alike.js'
import { differentResults } from './different-results.js'
import { doubtThat, spreadOf } from './timing-statistics.js'

/** Which alternative is fastest, where that can be said. */
export type TimingVerdict =
  | {
      /** One stands out. */
      readonly kind: 'fastest'
      /** Its name. */
      readonly name: string
      /** How many times as long the next one takes. */
      readonly ratio: number
      /** What it rests on, as a sentence. */
      readonly why: string
    }
  | {
      /** None does. */
      readonly kind: 'inconclusive'
      /** `failed`: fewer than two ran. `different-results`: nothing was timed. `too-close`: chance may have decided. */
      readonly reason: 'failed' | 'different-results' | 'too-close'
      /** What stands in the way, as sentences; with the results that differ, or what the failed ones said. */
      readonly why: string
    }

/** What is known of an alternative. */
export interface Tried {
  readonly name: string
  readonly samples: readonly number[]
  readonly result: string | undefined
  /** What went wrong. */
  readonly failure?: string | undefined
}

interface Wanted {
  readonly sameResult: boolean
}

/** What can be said when each ran once and before any is timed; undefined when timing has a point. */
export function verdictBefore(tried: readonly Tried[], { sameResult }: Wanted): TimingVerdict | undefined {
  const [first, second] = ran(tried)
  const told = failuresOf(tried)
  if (first === undefined) return inconclusive('failed', `No alternative ran.${told}`)
  if (second === undefined)
    return inconclusive('failed', `Only "${first.name}" ran; there is nothing to compare.${told}`)
  const differing = sameResult ? differentResults(ran(tried)) : undefined
  if (differing === undefined) return undefined
  return inconclusive('different-results', `The results differ, so nothing was timed: ${differing}.${told}`)
}

/** The fastest has to stand out from each of the others: one that varies much may be slower by its median only. */
export function verdictOf(tried: readonly Tried[], wanted: Wanted): TimingVerdict {
  const early = verdictBefore(tried, wanted)
  if (early !== undefined) return early
  const [first, second, ...others] = ran(tried)
    .map((one) => ({ ...one, median: spreadOf(one.samples).medianMs }))
    .sort((a, b) => a.median - b.median)
  if (first === undefined || second === undefined) throw new Error('fewer than two ran')
  const told = failuresOf(tried)
  for (const other of [second, ...others]) {
    const doubt = doubtThat(first.samples, other.samples)
    if (doubt !== undefined)
      return inconclusive(
        'too-close',
        `"${first.name}" and "${other.name}" cannot be told apart: ${doubt}.${told}`,
      )
  }
  const ratio = second.median / first.median
  return {
    kind: 'fastest',
    name: first.name,
    ratio,
    why: `"${second.name}", the next, takes ${ratio.toPrecision(3)} times as long, in ${first.samples.length} processes each.${told}`,
  }
}

const ran = (tried: readonly Tried[]): readonly Tried[] =>
  tried.filter(({ failure }) => failure === undefined)

type Reason = Extract<TimingVerdict, { kind: 'inconclusive' }>['reason']

const inconclusive = (reason: Reason, why: string): TimingVerdict => ({ kind: 'inconclusive', reason, why })

/** Who failed and how; what all say alike, such as an error in the setup, is said once. */
const failuresOf = (tried: readonly Tried[]): string =>
  [...namesByText(tried, ({ failure }) => failure)]
    .map(([message, names]) => ` ${names} failed: ${message.replace(/\.$/, '')}.`)
    .join('')
