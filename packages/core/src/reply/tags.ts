// Blocks between a pair of markers of the caller's own, such as `<code>` and `</code>`.
import { parses } from '../language/parses.js'
import { FenceScanner, type RawBlock } from './fences.js'
import type { WorkBudget } from './work-budget.js'

const CANDIDATES_AT_MOST = 24

/** What stands between markers, and beside them. */
export interface Tagged {
  readonly blocks: RawBlock[]
  /** The text with empty lines in place of what is marked. */
  readonly rest: string
  /** Where the marker stands whose closing one is missing; undefined when every block is closed. */
  readonly openAt: number | undefined
}

/** Every block between the markers. A fence inside them is opened; a marker that was cut at the very end is no code. */
export function scanTags(
  text: string,
  [open, close]: readonly [string, string],
  language: string,
  budget: WorkBudget,
): Tagged {
  const blocks: RawBlock[] = []
  let rest = ''
  let line = 0
  let counted = 0
  let behind = 0
  let openAt: number | undefined
  // The opening marker may have been part of the prompt.
  const prefilled = !text.includes(open) && text.includes(close)
  let from = prefilled ? 0 : text.indexOf(open)
  while (from !== -1) {
    const start = prefilled ? 0 : from + open.length
    line += lineBreaks(text, counted, from)
    rest += text.slice(behind, from)
    counted = from
    const { end, closed, warnings } = endOfBlock(text, start, close, language, budget)
    const content = text.slice(start, end).replace(/^[ \t]*\n/, '')
    const skipped = text.slice(start, end).length === content.length ? 0 : 1
    const inner = parses(content, language) === true ? [] : new FenceScanner(content, language, budget).scan()
    for (const block of inner) blocks.push({ ...block, line: line + skipped + block.line })
    if (inner.length === 0)
      blocks.push({ info: {}, tag: open, text: withFinalNewline(content), closed, line, warnings })
    if (!closed) openAt = from
    behind = Math.min(text.length, end + close.length)
    rest += text.slice(from, behind).replace(/[^\n]+/g, '')
    from = closed && !prefilled && end < text.length ? text.indexOf(open, end) : -1
  }
  return { blocks, rest: rest + text.slice(behind), openAt }
}

interface End {
  readonly end: number
  readonly closed: boolean
  readonly warnings: readonly string[]
}

function endOfBlock(text: string, start: number, close: string, language: string, budget: WorkBudget): End {
  const first = text.indexOf(close, start)
  if (first === -1) return cutEnd(text, start, close, language)
  let end = first
  for (let tries = 0; end !== -1 && tries < CANDIDATES_AT_MOST && budget.spend(end - start + 1); tries++) {
    const whole = parses(withFinalNewline(text.slice(start, end).replace(/^[ \t]*\n/, '')), language)
    if (whole !== false) return { end, closed: true, warnings: [] }
    end = text.indexOf(close, end + close.length)
  }
  return { end: first, closed: true, warnings: [] }
}

/** A proper prefix of the closing marker at the very end is where the server stopped, unless code may go on with it. */
function cutEnd(text: string, start: number, close: string, language: string): End {
  const body = text.trimEnd()
  for (let length = close.length - 1; length > 0; length--) {
    const end = body.length - length
    if (end < start || !body.endsWith(close.slice(0, length))) continue
    if (isCutMarker(text.slice(start, end), body.slice(end), language))
      return { end, closed: true, warnings: ['closing-marker-cut'] }
  }
  return { end: text.length, closed: false, warnings: [] }
}

/** `x = a <` is an expression that was cut; `</` is none, nor is `<` where a statement would begin. */
function isCutMarker(code: string, mark: string, language: string): boolean {
  if (mark.length > 1) return /^[^\w"'`]/.test(mark) || /(?:^|\n)[ \t]*$/.test(code)
  if (!/(?:^|\n)$/.test(code)) return false
  return (
    /(?:`{3}|~{3})\s*$/.test(code) || parses(withFinalNewline(code.replace(/^\s*\n/, '')), language) !== false
  )
}

function withFinalNewline(text: string): string {
  const trimmed = text.replace(/[ \t\n]+$/, '')
  return trimmed === '' ? '' : `${trimmed}\n`
}

function lineBreaks(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
