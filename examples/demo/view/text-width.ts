// Text for a terminal of a given width: made harmless, measured, cut and wrapped by what is seen, not by code units.
import { stripVTControlCharacters } from 'node:util'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff01-\uff60\uffe0-\uffe6])/u

// biome and terminals agree: these move the cursor, or turn the text round.
const UNSEEN = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** One line without escape sequences and control characters, so that no program's output can steer the terminal. */
export const plainLine = (text: string): string =>
  stripVTControlCharacters(text).replace(/\t/g, '    ').replace(UNSEEN, '')

/** Lines of a text, each made plain; a last line end is no further line. */
export function plainLines(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines.map(plainLine)
}

/** Columns that `text`, which may carry colours, takes. */
export function textWidth(text: string): number {
  let width = 0
  for (const { segment } of segmenter.segment(stripVTControlCharacters(text))) width += segmentWidth(segment)
  return width
}

const segmentWidth = (segment: string): number =>
  /^\p{Mn}/u.test(segment) ? 0 : WIDE.test(segment) || segment.includes('\ufe0f') ? 2 : 1

/** `text`, without colours, in at most `width` columns; what is cut ends in `…`. */
export function cutToWidth(text: string, width: number): string {
  if (text.length <= width && /^[\x20-\x7e]*$/.test(text)) return text
  if (textWidth(text) <= width) return text
  let cut = ''
  let used = 1
  for (const { segment } of segmenter.segment(text)) {
    used += segmentWidth(segment)
    if (used > width) break
    cut += segment
  }
  return `${cut.trimEnd()}…`
}

/** `text`, without colours, in lines of at most `width` columns, broken at blanks where there are any. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/ +/)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (textWidth(longer) <= width) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = word
    while (textWidth(line) > width) {
      const [head, rest] = breakAt(line, width)
      lines.push(head)
      line = rest
    }
  }
  if (line !== '' || lines.length === 0) lines.push(line)
  return lines
}

function breakAt(text: string, width: number): [head: string, rest: string] {
  let used = 0
  let at = 0
  for (const { segment, index } of segmenter.segment(text)) {
    used += segmentWidth(segment)
    // At least one character, or a narrow terminal would never get to the end.
    if (used > width && index > 0) break
    at = index + segment.length
  }
  return [text.slice(0, at), text.slice(at)]
}
