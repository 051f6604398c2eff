// The lines of a reply as its fences see them: containers around, closing lines ahead, content without indent.
import { isStopMarker, STOP_MARKER } from './stop-markers.js'
import type { WorkBudget } from './work-budget.js'

/** An opening fence. */
export interface Fence {
  readonly mark: string
  readonly length: number
  readonly info: string
  /** Levels of block quotes around it. */
  readonly quotes: number
  /** Columns before it, list indentation included. */
  readonly indent: number
  readonly line: number
}

/** How many lines that might close a block are tried. */
export const CANDIDATES_AT_MOST = 24

// Also with a stop marker behind it, which is no info string.
const CLOSER = new RegExp(`^([ \\t]*)(\`{3,}|~{3,})[ \\t]*(?:${STOP_MARKER}[ \\t]*)?$`)
const QUOTE = /^ {0,3}> ?/
const LIST_MARKER = /^( *(?:[-*+]|\d{1,9}[.)]))( {1,4}|\t)(?=\S)/
const QUOTES_AT_MOST = 8

interface Closer {
  readonly line: number
  readonly mark: string
  readonly length: number
  readonly indent: number
}

/** Closing lines at one depth of quotes, found once for all fences. */
interface Depth {
  readonly closers: readonly Closer[]
  /** For each line, the next one that is not in the quote. */
  readonly end: readonly number[]
}

/** Random access to lines, closers and content, with linear work in all. */
export class FenceLines {
  readonly #lines: readonly string[]
  readonly #offsets: readonly number[]
  readonly #depths = new Map<number, Depth>()
  /** Shortest run of each mark and depth that is known to have no proper closer further on. */
  readonly #unclosable = new Map<string, number>()

  constructor(lines: readonly string[]) {
    this.#lines = lines
    const offsets = [0]
    for (const line of lines) offsets.push((offsets.at(-1) ?? 0) + line.length + 1)
    this.#offsets = offsets
  }

  get count(): number {
    return this.#lines.length
  }

  at(index: number): string {
    return this.#lines[index] ?? ''
  }

  /** Lines that may close `fence`: long enough ones, shorter ones, and where it ends at the latest. */
  closers(fence: Fence, budget: WorkBudget): { proper: number[]; short: number[]; last: number } {
    const { closers, end } = this.#depth(fence.quotes)
    const last = end[fence.line] ?? this.#lines.length
    const key = `${fence.mark}${fence.quotes}`
    const hopeless = (this.#unclosable.get(key) ?? Number.POSITIVE_INFINITY) <= fence.length
    const proper: number[] = []
    const short: number[] = []
    let complete = true
    for (let at = firstAfter(closers, fence.line); at < closers.length; at++) {
      const closer = closers[at]
      if (closer === undefined || closer.line >= last) break
      const done = proper.length >= CANDIDATES_AT_MOST || (hopeless && short.length >= CANDIDATES_AT_MOST)
      if (done || !budget.spend(1)) {
        complete = false
        break
      }
      if (closer.mark !== fence.mark || closer.indent > fence.indent + 3) continue
      if (closer.length >= fence.length) proper.push(closer.line)
      else if (short.length < CANDIDATES_AT_MOST) short.push(closer.line)
    }
    if (proper.length === 0 && complete && last === this.#lines.length)
      this.#unclosable.set(key, fence.length)
    return { proper, short, last }
  }

  /** The closer of a Markdown document in a fence, when the fences inside it are counted as pairs. */
  outerCloser(fence: Fence, last: number): number | undefined {
    let depth = 0
    for (let index = fence.line + 1; index < last; index++) {
      const run = /^ {0,3}(`{3,}|~{3,})[ \t]*(.*)$/.exec(unquote(this.at(index), fence.quotes) ?? '')
      if (run === null || !run[1]?.startsWith(fence.mark) || run[1].length < fence.length) continue
      if (run[2] !== '' && !isStopMarker(run[2] ?? '')) depth += 1
      else if (depth === 0) return index
      else depth -= 1
    }
    return undefined
  }

  /** True when a look at the content up to `line` is within the budget, which then pays for it. */
  afford(fence: Fence, line: number, budget: WorkBudget): boolean {
    return budget.spend((this.#offsets[line] ?? 0) - (this.#offsets[fence.line + 1] ?? 0) + 1)
  }

  /** The content of a block that ends before `line`, without quote marks and the fence's own indent. */
  content(fence: Fence, line: number): string {
    const lines: string[] = []
    for (let index = fence.line + 1; index < line; index++)
      lines.push(unquote(this.at(index), fence.quotes) ?? '')
    // Code that begins left of its fence was not indented with it: its own indentation must stay.
    const first = columns(/^[ \t]*/.exec(lines.find((one) => one.trim() !== '') ?? '')?.[0] ?? '')
    const width = Math.min(fence.indent, first)
    return lines.length === 0 ? '' : `${lines.map((one) => dedent(one, width)).join('\n')}\n`
  }

  #depth(quotes: number): Depth {
    const known = this.#depths.get(quotes)
    if (known !== undefined) return known
    const closers: Closer[] = []
    const end = new Array<number>(this.#lines.length).fill(this.#lines.length)
    let next = this.#lines.length
    for (let index = this.#lines.length - 1; index >= 0; index--) {
      end[index] = next
      const line = unquote(this.at(index), quotes)
      const run = line === undefined ? null : CLOSER.exec(line)
      if (line === undefined) next = index
      if (run === null) continue
      const marks = run[2] ?? ''
      closers.push({
        line: index,
        mark: marks.charAt(0),
        length: marks.length,
        indent: columns(run[1] ?? ''),
      })
    }
    const depth = { closers: closers.reverse(), end }
    this.#depths.set(quotes, depth)
    return depth
  }
}

/** Follows block quotes and list items from line to line. */
export class Containers {
  /** Columns at which the content of the open list items begins, outermost first. */
  #items: number[] = []
  #afterBlank = true

  /**
   * Reads one line outside of fences.
   *
   * @returns what is left of it behind quote marks and a list marker, the column where that begins, and the column
   * from which its indentation counts
   */
  enter(line: string): { rest: string; column: number; quotes: number; base: number } {
    let rest = line
    let quotes = 0
    for (let mark = QUOTE.exec(rest); mark !== null && quotes < QUOTES_AT_MOST; mark = QUOTE.exec(rest)) {
      rest = rest.slice(mark[0].length)
      quotes += 1
    }
    if (rest.trim() === '') {
      this.#afterBlank = true
      return { rest: '', column: 0, quotes, base: 0 }
    }
    const indent = columns(/^[ \t]*/.exec(rest)?.[0] ?? '')
    if (this.#afterBlank) this.#items = this.#items.filter((column) => column <= indent)
    this.#afterBlank = false
    const marker = LIST_MARKER.exec(rest)
    if (marker === null)
      return { rest, column: 0, quotes, base: this.#items.findLast((column) => column <= indent) ?? 0 }
    const column = columns(`${marker[1] ?? ''}${marker[2] ?? ''}`)
    this.#items = [...this.#items.filter((item) => item <= indent), column].slice(-QUOTES_AT_MOST)
    return { rest: rest.slice(marker[0].length), column, quotes, base: column }
  }
}

/** Width of leading characters; a tab reaches to the next multiple of four. */
export function columns(text: string): number {
  let width = 0
  for (const character of text) width += character === '\t' ? 4 - (width % 4) : 1
  return width
}

/** The line without its quote marks, or undefined when it is not that deep in a quote. */
function unquote(line: string, quotes: number): string | undefined {
  let rest = line
  for (let level = 0; level < quotes; level++) {
    const mark = QUOTE.exec(rest)
    if (mark === null) return undefined
    rest = rest.slice(mark[0].length)
  }
  return rest
}

/** Takes away at most `width` columns of white space. */
function dedent(line: string, width: number): string {
  if (width === 0) return line
  let at = 0
  let column = 0
  while (column < width && (line[at] === ' ' || line[at] === '\t')) {
    column += line[at] === '\t' ? 4 - (column % 4) : 1
    if (column <= width) at += 1
  }
  return line.slice(at)
}

function firstAfter(closers: readonly Closer[], line: number): number {
  let low = 0
  let high = closers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((closers[middle]?.line ?? 0) <= line) low = middle + 1
    else high = middle
  }
  return low
}
