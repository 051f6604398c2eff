// What a comparison of times comes to.
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
      /** What stands in the way, as a sentence. */
      readonly why: string
    }

interface Timed {
  readonly name: string
  readonly samples: readonly number[]
  readonly result: string | undefined
}

/** The fastest has to stand out from each of the others: one that varies much may be slower by its median only. */
export function verdictOf(
  timed: readonly Timed[],
  { sameResult }: { readonly sameResult: boolean },
): TimingVerdict {
  const [first, ...others] = timed
    .map((one) => ({ ...one, median: spreadOf(one.samples).medianMs }))
    .sort((a, b) => a.median - b.median)
  const [second] = others
  if (first === undefined) return inconclusive('No alternative ran.')
  if (second === undefined) return inconclusive(`Only "${first.name}" ran; there is nothing to compare.`)
  const differing = sameResult ? differentResults(timed) : undefined
  if (differing !== undefined) return inconclusive(differing)
  for (const other of others) {
    const doubt = doubtThat(first.samples, other.samples)
    if (doubt !== undefined)
      return inconclusive(`"${first.name}" and "${other.name}" cannot be told apart: ${doubt}.`)
  }
  const ratio = second.median / first.median
  return {
    kind: 'fastest',
    name: first.name,
    ratio,
    why: `"${second.name}", the next, takes ${ratio.toPrecision(3)} times as long, in ${first.samples.length} processes each.`,
  }
}

const inconclusive = (why: string): TimingVerdict => ({ kind: 'inconclusive', why })

const SHOWN_CHARACTERS = 80

function differentResults(timed: readonly Timed[]): string | undefined {
  const [first, ...others] = timed.filter(({ result }) => result !== undefined)
  const other = others.find(({ result }) => result !== first?.result)
  if (first === undefined || other === undefined) return undefined
  const [one = '', another = ''] = [first.result, other.result]
  const from = partsAt(one, another)
  const shown = ({ name, result = '' }: Timed): string => `"${name}" gives ${clipped(result, from)}`
  return `The results differ, so the times say little: ${shown(first)}, ${shown(other)}.`
}

/** How much of what both have in common is shown before they part. */
const SHOWN_BEFORE = 30

/** Where to begin, so that the first difference is seen: at the start when it lies near it. */
function partsAt(one: string, another: string): number {
  let same = 0
  while (same < one.length && one[same] === another[same]) same++
  return same < SHOWN_CHARACTERS - SHOWN_BEFORE ? 0 : same - SHOWN_BEFORE
}

function clipped(text: string, from: number): string {
  const shown = text.slice(from, from + SHOWN_CHARACTERS).toWellFormed()
  return `${from > 0 ? '…' : ''}${shown}${from + SHOWN_CHARACTERS < text.length ? '…' : ''}`
}
