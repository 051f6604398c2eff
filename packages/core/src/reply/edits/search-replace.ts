// One search/replace block → an edit with every reading that its separators allow.
import type { EditLine } from './edit.js'
import { headMarker, type Marker, separatorMarker, tailMarker } from './marker-lines.js'

/** A block, or what is missing of one. */
export type BlockFound =
  | { readonly kind: 'block'; readonly readings: readonly (readonly EditLine[])[]; readonly end: number }
  | { readonly kind: 'malformed' | 'unclosed'; readonly end: number }

/** Readings tried at most; a block with more separators is a table or a text, and refused as ambiguous. */
const READINGS_AT_MOST = 60

/**
 * Reads the block whose head is at `at`.
 *
 * @returns `end` is the index behind the block; for one that is not closed, the index behind its head
 */
export function readBlock(lines: readonly string[], at: number, head: Marker): BlockFound {
  const tail = tailOf(lines, at, head)
  if (tail === undefined) return { kind: 'unclosed', end: at + 1 }
  const body = lines.slice(at + 1, tail).map((line) => withoutIndent(line, head.indent))
  const separators = separatorsOf(body, head.length)
  if (separators.length === 0 || separators.length > READINGS_AT_MOST)
    return { kind: 'malformed', end: tail + 1 }
  const readings = separators.map((index) => readingOf(body.slice(0, index), body.slice(index + 1)))
  return { kind: 'block', readings, end: tail + 1 }
}

/** The tail of the head's own length; else the first of any length. A further head ends the search. */
function tailOf(lines: readonly string[], at: number, head: Marker): number | undefined {
  let other: number | undefined
  for (let index = at + 1; index < lines.length; index++) {
    const line = lines[index]
    if (headMarker(line)?.length === head.length) break
    const tail = tailMarker(line)
    if (tail === undefined || tail.indent.length > head.indent.length) continue
    if (tail.length === head.length) return index
    other ??= index
  }
  return other
}

/** Lines that may be the separator: of the head's length, if there are such. */
function separatorsOf(body: readonly string[], length: number): readonly number[] {
  const all = body.flatMap((line, index) => {
    const marker = separatorMarker(line)
    return marker === undefined || marker.indent !== '' ? [] : [{ index, length: marker.length }]
  })
  const own = all.filter((one) => one.length === length)
  return (own.length > 0 ? own : all).map(({ index }) => index)
}

/** Lines that both texts begin or end with stay as the file has them. */
export function readingOf(search: readonly string[], replace: readonly string[]): readonly EditLine[] {
  const shorter = Math.min(search.length, replace.length)
  let first = 0
  while (first < shorter && search[first] === replace[first]) first += 1
  let last = 0
  while (last < shorter - first && search.at(-1 - last) === replace.at(-1 - last)) last += 1
  const marked = (lines: readonly string[], mark: EditLine['mark']): EditLine[] =>
    lines.map((text) => ({ mark, text }))
  return [
    ...marked(search.slice(0, first), ' '),
    ...marked(search.slice(first, search.length - last), '-'),
    ...marked(replace.slice(first, replace.length - last), '+'),
    ...marked(search.slice(search.length - last), ' '),
  ]
}

const withoutIndent = (line: string, indent: string): string =>
  indent !== '' && line.startsWith(indent) ? line.slice(indent.length) : line
