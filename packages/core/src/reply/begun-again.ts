// Whether an answer that breaks off is one that stood whole before.
import { parses } from '../language/parses.js'
import { shownDefinitions } from './shown-definitions.js'

/** So many lines at the end of a text, of one definition, tell which place of another text they are. */
const LINES_OF_A_PLACE = 3
/** A line that belongs to a body, or begins another definition: the text goes on with it. */
const GOES_ON = /^(?:\s|@|\}|(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:def|class|function)\b)/

/** What may stand before the first definition. */
const PREAMBLE = /^(?:import\b|from\b|#|@|\/\/)/

/**
 * True when `cut`, a text without its end, defines only what `whole` texts define, and has lost a part that they have:
 * none of it has come yet, it does not parse, or its last lines stand in them with more behind.
 */
export function isBegunAgain(cut: string, whole: readonly string[], language: string): boolean {
  const lines = linesOf(cut)
  const known = [...new Set(whole.flatMap(shownDefinitions))]
  const defined = shownDefinitions(lines.slice(0, -1).join('\n'))
  // The last line may be a part of one.
  const begun = shownDefinitions(lines.at(-1) ?? '')
  const isKnown =
    defined.every((name) => known.includes(name)) &&
    begun.every((start) => known.some((name) => name.startsWith(start)))
  if (known.length === 0 || !isKnown) return false
  if (begun.length > 0) return true
  if (defined.length === 0) return lines.every((line) => PREAMBLE.test(line))
  return parses(cut, language) === false || breaksOffWithin(lines, linesOf(whole.join('\n')))
}

function breaksOffWithin(cut: readonly string[], whole: readonly string[]): boolean {
  const head = cut.findLastIndex((line) => /^\S/.test(line))
  const end = cut.slice(Math.max(head, cut.length - LINES_OF_A_PLACE, 0))
  return whole.some((_, start) => {
    const isThere = end.every((line, index) =>
      index === end.length - 1 ? whole[start + index]?.startsWith(line) : whole[start + index] === line,
    )
    if (!isThere) return false
    const last = start + end.length - 1
    return whole[last] !== end.at(-1) || GOES_ON.test(whole[last + 1] ?? '')
  })
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
