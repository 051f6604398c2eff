// Finds fenced blocks by the rules of CommonMark (0.31, section 4.5), and mends what models do to fences.
import { isKnownLanguage } from '../contract/language-names.js'
import { looksLike } from '../language/looks-like.js'
import { hasOpenHeredoc, parses } from '../language/parses.js'
import { lexPython, OPEN_TEXT } from '../language/python-lexer.js'
import { CANDIDATES_AT_MOST, Containers, columns, type Fence, FenceLines } from './fence-lines.js'
import { type Info, parseInfo } from './info-string.js'
import { isStopMarker, STOP_MARKER } from './stop-markers.js'
import type { WorkBudget } from './work-budget.js'

/** A block with what is needed to judge it. */
export interface RawBlock {
  readonly info: Info
  readonly tag: string
  readonly text: string
  readonly closed: boolean
  /** 0-based index of the opening line. */
  readonly line: number
  readonly warnings: readonly string[]
}

interface Ending {
  /** Index of the closing line, or of the first line behind the block. */
  readonly line: number
  readonly closed: boolean
  readonly text: string
  readonly warnings: readonly string[]
}

const OPENER = /^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})(.*)$/
/** No opener to CommonMark: words stand before it. */
const OPENER_BEHIND_WORDS = /^([^`]*)(`{3,})([\w+#.-]+)[ \t]*$/

/** Finds the blocks of one text. An untagged block is tried as `language`, the one asked for. */
export class FenceScanner {
  readonly #lines: FenceLines
  readonly #language: string
  readonly #budget: WorkBudget

  constructor(text: string, language: string, budget: WorkBudget) {
    this.#lines = new FenceLines(text.split('\n'))
    this.#language = language
    this.#budget = budget
  }

  /** Every block, in order. */
  scan(): RawBlock[] {
    const blocks: RawBlock[] = []
    const containers = new Containers()
    for (let index = 0; index < this.#lines.count; index++) {
      const line = this.#lines.at(index)
      const opener = openingFence(line, index, containers)
      const fence = opener ?? fenceBehindWords(line, index)
      if (fence === undefined) continue
      // A reply may hold many of these, and each that is none is looked at for nothing.
      if (opener === undefined && !this.#lines.afford(fence, this.#lines.count, this.#budget)) continue
      const { line: last, ...ending } = this.#end(fence)
      if (opener === undefined && !isProgram(ending)) continue
      const reopened = ending.warnings.includes('fence-reopened')
      const isEmpty = ending.text.trim() === ''
      // A fence that opens nothing at the end is a closer too many; one right above another opener is a slip.
      const isStray = isEmpty && (reopened || (fence.info === '' && !ending.closed))
      const warnings = opener === undefined ? [...ending.warnings, 'fence-inline'] : ending.warnings
      if (!isStray)
        blocks.push({ info: parseInfo(fence.info), tag: fence.info, ...ending, warnings, line: index })
      index = ending.closed && !reopened ? last : last - 1
    }
    return blocks
  }

  #end(fence: Fence): Ending {
    const language = parseInfo(fence.info).language ?? this.#language
    const { proper, short, last } = this.#lines.closers(fence, this.#budget)
    if (language === 'markdown') {
      const outer = this.#lines.afford(fence, last, this.#budget)
        ? this.#lines.outerCloser(fence, last)
        : undefined
      if (outer !== undefined) return this.#closed(fence, outer)
    }
    const first = proper[0]
    if (first !== undefined) {
      const line = this.#choose(fence, proper, language)
      if (line !== first || this.#parses(fence, first, language) !== false) return this.#closed(fence, line)
      const early = short.find((end) => end < first && this.#parses(fence, end, language) === true)
      if (early !== undefined) return this.#closed(fence, early, ['fence-length-mismatch'])
      return this.#reopened(fence, first, language) ?? this.#closed(fence, first)
    }
    if (short.length > 0) {
      const line = this.#choose(fence, short, language)
      return this.#reopened(fence, line, language) ?? this.#closed(fence, line, ['fence-length-mismatch'])
    }
    return (
      this.#cutCloser(fence, last) ??
      this.#reopened(fence, last, language) ??
      this.#glued(fence, last, language) ?? {
        line: last,
        closed: false,
        text: this.#lines.content(fence, last),
        warnings: [],
      }
    )
  }

  /** The reply stopped within its closing fence: what stands there is no code, and the code is complete. */
  #cutCloser(fence: Fence, last: number): Ending | undefined {
    let line = last - 1
    while (line > fence.line && this.#lines.at(line).trim() === '') line -= 1
    const run = this.#lines.at(line).trim()
    const isCut = line > fence.line && run.length < fence.length && run === fence.mark.repeat(run.length)
    return isCut ? this.#closed(fence, line, ['closing-marker-cut']) : undefined
  }

  #closed(fence: Fence, line: number, warnings: readonly string[] = []): Ending {
    return { line, closed: true, text: this.#lines.content(fence, line), warnings }
  }

  /** The first candidate that does not lie inside a string, if the text up to it parses; else the first of all. */
  #choose(fence: Fence, candidates: readonly number[], language: string): number {
    const first = candidates[0] ?? 0
    for (const line of candidates) {
      if (!this.#lines.afford(fence, line, this.#budget)) return first
      const text = this.#lines.content(fence, line)
      if (endsInsideText(text, language)) continue
      return line === first || this.#parses(fence, line, language) === true ? line : first
    }
    return first
  }

  /** Whether the block up to `line` parses; undefined when that cannot be told or would cost too much. */
  #parses(fence: Fence, line: number, language: string): boolean | undefined {
    if (!this.#lines.afford(fence, line, this.#budget)) return undefined
    return parses(this.#lines.content(fence, line), language)
  }

  /** A block whose closing fence was forgotten: the next tagged opener ends it. */
  #reopened(fence: Fence, last: number, language: string): Ending | undefined {
    if (!this.#lines.afford(fence, last, this.#budget)) return undefined
    if (parses(this.#lines.content(fence, last), language) === true) return undefined
    for (let line = fence.line + 1; line < last; line++) {
      const opener = OPENER.exec(this.#lines.at(line).replace(/^(?: {0,3}> ?)+/, ''))
      const info = opener === null ? undefined : parseInfo(opener[3] ?? '')
      if (info?.language === undefined || !isKnownLanguage(info.language)) continue
      const text = this.#lines.content(fence, line)
      if (endsInsideText(text, language)) return undefined
      return { line, closed: false, text, warnings: ['fence-reopened'] }
    }
    return undefined
  }

  /** A closing fence at the end of a line of code. */
  #glued(fence: Fence, last: number, language: string): Ending | undefined {
    const run = new RegExp(`${fence.mark}{3,}[ \\t]*(?:${STOP_MARKER}[ \\t]*)?$`)
    let tries = 0
    for (let line = fence.line + 1; line < last && tries < CANDIDATES_AT_MOST; line++) {
      if (!run.test(this.#lines.at(line).slice(-40))) continue
      tries += 1
      if (!this.#lines.afford(fence, line + 1, this.#budget)) return undefined
      const text = `${this.#lines
        .content(fence, line + 1)
        .trimEnd()
        .replace(run, '')
        .trimEnd()}\n`
      if (parses(text, language) === true) return { line, closed: true, text, warnings: ['fence-glued'] }
    }
    return undefined
  }
}

/** Prose may name a fence at the end of a line: what follows tells. */
function isProgram({ text, closed }: Omit<Ending, 'line'>): boolean {
  const look = looksLike(text)
  return text.trim() !== '' && look !== 'prose' && (closed || look !== undefined)
}

/** True when a text stops within a string that spans lines, where a fence is only text. */
function endsInsideText(text: string, language: string): boolean {
  if (language === 'python') return lexPython(text).fault === OPEN_TEXT
  return language === 'shell' && hasOpenHeredoc(text)
}

/** The fence that `line` opens, if it does. */
function openingFence(line: string, index: number, containers: Containers): Fence | undefined {
  const { rest, column, quotes, base } = containers.enter(line)
  const opener = OPENER.exec(rest)
  if (opener === null) return undefined
  const indent = column + columns(opener[1] ?? '')
  if (indent - base > 3) return undefined
  const run = opener[2] ?? ''
  return {
    mark: run.charAt(0),
    length: run.length,
    info: isStopMarker(opener[3] ?? '') ? '' : (opener[3] ?? '').trim(),
    quotes,
    indent,
    line: index,
  }
}

/** The fence with the tag of a known language at the end of a line of words, if there is one. */
function fenceBehindWords(line: string, index: number): Fence | undefined {
  const [, words = '', run = '', info = ''] = OPENER_BEHIND_WORDS.exec(line) ?? []
  if (words.trim() === '' || !isKnownLanguage(info)) return undefined
  return { mark: '`', length: run.length, info, quotes: 0, indent: 0, line: index }
}
