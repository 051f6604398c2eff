// Alternatives that do not compute the same: told with their values, cut where these part.
import { namesByText } from './alike.js'

const SHOWN_CHARACTERS = 80
/** How much of what both have in common is shown before they part. */
const SHOWN_BEFORE = 30
/** So many different results are shown; there may be as many as alternatives. */
const SHOWN_RESULTS = 4

interface Ran {
  readonly name: string
  readonly result: string | undefined
}

/** Who gives what, as half a sentence; undefined when all that have a result have the same. */
export function differentResults(ran: readonly Ran[]): string | undefined {
  const groups = [...namesByText(ran, ({ result }) => result)]
  const [[first = ''] = [], ...others] = groups
  if (others.length === 0) return undefined
  const from = Math.min(...others.map(([result]) => partsAt(first, result)))
  const shown = groups
    .slice(0, SHOWN_RESULTS)
    .map(
      ([result, names]) =>
        `${names} ${names.includes('" and "') ? 'give' : 'gives'} ${clipped(result, from)}`,
    )
  const more = groups.length - shown.length
  return `${shown.join(', ')}${more > 0 ? `, and ${more} more differ` : ''}`
}

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
