// The fences of a reply that hold edits, told apart from those that hold the whole text of a file.
import { languageOfPath } from '../../contract/language-names.js'
import { isDiff } from '../../language/looks-like-diff.js'
import { parses } from '../../language/parses.js'
import { FenceLines } from '../fence-lines.js'
import { parseInfo } from '../info-string.js'
import type { WorkBudget } from '../work-budget.js'
import { isTextFile, type Known, pathInHead, pathInLine, pathOfFence, type WrittenPath } from './edit-path.js'
import { headMarker, isPatchEnvelope, isPatchHead } from './marker-lines.js'
import { isHunkHead } from './patch-hunk.js'
import { readBlock } from './search-replace.js'

/** A fence as the scanner sees it. */
export interface OpenFence {
  readonly line: number
  readonly tag: string
  /** Index of the closing line, or the number of lines. */
  readonly end: number
  readonly label: WrittenPath | undefined
}

const FENCE = /^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})(.*)$/
const isPatchFile = (path: string | undefined): boolean => languageOfPath(path ?? '') === 'diff'

/** Finds fences and says what they hold. */
export class EditFences {
  readonly #lines: readonly string[]
  readonly #known: Known
  readonly #budget: WorkBudget
  readonly #lineFences: FenceLines

  constructor(lines: readonly string[], known: Known, budget: WorkBudget) {
    this.#lines = lines
    this.#known = known
    this.#budget = budget
    this.#lineFences = new FenceLines(lines)
  }

  /** The line that closes a fence, looked for from `at` on; a further block ends it before that. */
  closer(at: number, fence: OpenFence): number {
    const run = /^[ \t]*(`{3,}|~{3,})/.exec(this.#lines[fence.line] ?? '')?.[1] ?? '```'
    for (let index = at; index < this.#lines.length; index++) {
      const line = (this.#lines[index] ?? '').trim()
      if (line.startsWith(run) && line === run.charAt(0).repeat(line.length)) return index
      if (headMarker(this.#lines[index]) !== undefined) return index - 1
    }
    return this.#lines.length
  }

  /** The fence that a line opens, if it does. */
  openedAt(at: number): OpenFence | undefined {
    const [, indent = '', run = '', info = ''] = FENCE.exec((this.#lines[at] ?? '').slice(0, 1000)) ?? []
    if (run === '') return undefined
    const tag = info.trim()
    const mark = {
      mark: run.charAt(0),
      length: run.length,
      info: tag,
      quotes: 0,
      indent: indent.length,
      line: at,
    }
    const { proper, last } = this.#lineFences.closers(mark, this.#budget)
    const language = parseInfo(tag).language
    const label = pathOfFence(this.#lines, at, tag, this.#known)
    let end = proper[0] ?? last
    // Fences within a document, or within a string of a program.
    if (language === 'markdown' || isTextFile(label?.path))
      end = this.#lineFences.outerCloser(mark, last) ?? end
    else if (language === 'python' && proper.length > 1)
      end = proper.find((line) => this.#parses(at, line)) ?? end
    return { line: at, tag, end, label }
  }

  #parses(from: number, to: number): boolean {
    const text = this.#lines.slice(from + 1, to).join('\n')
    return this.#budget.spend(text.length) && parses(text, 'python') === true
  }

  /** True for a fence that holds edits, and not the whole text of a file that merely looks so in places. */
  holdsEdits({ line, end, tag, label }: OpenFence): boolean {
    const language = parseInfo(tag).language
    let first = line + 1
    while (first < end && ((this.#lines[first] ?? '').trim() === '' || this.#isPath(first))) first += 1
    const begins = this.#begins(first)
    const named = label?.path
    if (isPatchFile(named) && !this.#namesKnown(line, end)) return false
    if (isTextFile(named) && (!begins || this.#hasOther(first, end))) return false
    if (begins) return true
    if (language === 'diff') return this.#lines.slice(first, end).some((one) => /^[-+]/.test(one))
    if (this.#isBarePatch(language, line, end)) return true
    if (language !== 'python' || !this.#lines.slice(first, end).some((one) => headMarker(one) !== undefined))
      return false
    return !this.#parses(line, end)
  }

  /** True for lines with marks under the tag of a program: no program until they are applied. */
  #isBarePatch(language: string | undefined, line: number, end: number): boolean {
    if (language === undefined || Object.keys(this.#known).length === 0) return false
    const lines = this.#lines.slice(line + 1, end)
    if (!lines.some((one) => /^[-+]/.test(one)) || lines.some((one) => headMarker(one) !== undefined))
      return false
    const text = `${lines.join('\n')}\n`
    return this.#budget.spend(2 * text.length) && isDiff(text, language)
  }

  #begins(at: number): boolean {
    const line = this.#lines[at]
    if (headMarker(line) !== undefined || isPatchEnvelope(line) || isPatchHead(this.#lines, at)) return true
    return isHunkHead(line) && /^@@(?:[ \t@.…]|$)/.test(line ?? '')
  }

  #isPath(at: number): boolean {
    const line = this.#lines[at] ?? ''
    return !/^(?:---|\+\+\+|diff|Index:)/.test(line) && pathInLine(line, this.#known) !== undefined
  }

  /** True when something stands beside the blocks of a fence: then it is a text about them. */
  #hasOther(first: number, end: number): boolean {
    if (headMarker(this.#lines[first]) === undefined) return false
    let at = first
    while (at < end) {
      const head = headMarker(this.#lines[at])
      if (head !== undefined) {
        const block = readBlock(this.#lines, at, head)
        if (block.kind !== 'block') return true
        at = block.end
      } else if ((this.#lines[at] ?? '').trim() !== '' && !this.#isPath(at)) return true
      else at += 1
    }
    return false
  }

  /** True when a patch in these lines is for a file that is there. */
  #namesKnown(from: number, to: number): boolean {
    return this.#lines
      .slice(from + 1, to)
      .some(
        (line) =>
          /^(?:---|\+\+\+) /.test(line) &&
          Object.hasOwn(this.#known, pathInHead(line.slice(4, 2000), this.#known)?.path ?? ''),
      )
  }
}
