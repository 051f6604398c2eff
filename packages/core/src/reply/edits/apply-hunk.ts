// One change made to one file in memory, or the reason why it cannot be made. Nothing is guessed: it fits once or not at all.
import type { WorkBudget } from '../work-budget.js'
import { type EditHunk, type EditLine, side } from './edit.js'
import { type FileLines, spliced } from './file-lines.js'
import { type Fits, findLines, standsOnce } from './find-lines.js'

/** Where earlier hunks of the same patch have left the file. */
export interface HunkContext {
  /** Index behind the hunk before. */
  readonly from: number
  /** Lines that the hunks before added, less those they took. */
  readonly drift: number
}

/** What became of a hunk. */
export type HunkOutcome =
  | {
      readonly kind: 'applied'
      readonly file: FileLines
      readonly context: HunkContext
      readonly step: Fits['step']
    }
  | { readonly kind: 'already-applied' }
  | { readonly kind: 'no-match'; readonly wanted: readonly string[] }
  | { readonly kind: 'ambiguous'; readonly starts: readonly number[] }
  | { readonly kind: 'ambiguous-separator' | 'identical' | 'too-much-work' }

/** Applies a hunk. */
export function applyHunk(
  file: FileLines,
  hunk: EditHunk,
  context: HunkContext,
  budget: WorkBudget,
): HunkOutcome {
  // The longest search text that fits once is the one that is meant.
  const readings = [...hunk.readings].sort((a, b) => side(b, 'old').length - side(a, 'old').length)
  const outcomes: HunkOutcome[] = []
  for (const reading of readings) {
    const outcome = applyReading(file, hunk, reading, context, budget)
    if (outcome.kind === 'applied') return outcome
    outcomes.push(outcome)
  }
  const [first = { kind: 'no-match', wanted: [] }] = outcomes
  if (outcomes.length < 2) return first
  if (outcomes.some(({ kind }) => kind === 'already-applied')) return { kind: 'already-applied' }
  const others = outcomes.filter(({ kind }) => kind !== 'no-match')
  const only = others.length === 1 ? others[0] : undefined
  return only?.kind === 'ambiguous' || only?.kind === 'too-much-work' ? only : { kind: 'ambiguous-separator' }
}

function applyReading(
  file: FileLines,
  hunk: EditHunk,
  lines: readonly EditLine[],
  context: HunkContext,
  budget: WorkBudget,
): HunkOutcome {
  const isNewlineOnly = hunk.oldNoNewline !== hunk.newNoNewline
  if (lines.every(({ mark }) => mark === ' ') && !isNewlineOnly) return { kind: 'identical' }
  const old = side(lines, 'old')
  const now = side(lines, 'new')
  if (isSame(old, now) && !isNewlineOnly) return { kind: 'identical' }
  if (old.length === 0) return insert(file, hunk, lines, context)
  const fits = findLines(file.lines, old, budget)
  if (fits === undefined) return { kind: 'too-much-work' }
  const adds = lines.some(({ mark, text }) => mark === '+' && text.trim() !== '')
  if (fits.starts.length === 0)
    return adds && tellsWhere(lines) && standsOnce(file.lines, now, budget)
      ? { kind: 'already-applied' }
      : { kind: 'no-match', wanted: old }
  const start = choose(file, fits.starts, hunk, old.length, context)
  if (start === undefined) return { kind: 'ambiguous', starts: fits.starts }
  if (adds && isThere(file, lines, start)) return { kind: 'already-applied' }
  const applied = replaced(file, lines, start, old.length, fits, hunk)
  if (applied === undefined) return { kind: 'no-match', wanted: old }
  return { kind: 'applied', file: applied, context: moved(context, start, old, now), step: fits.step }
}

/** Lines that many places of a file have. */
const COMMON =
  /^[^\p{L}\p{N}]*(?:(?:else|end|endif|try|finally|do|done|fi|then|esac|pass|break|continue|return|begin)[^\p{L}\p{N}]*)?$/iu

/** True when the new side of a change says enough to be known again: by a line that stays, or by two lines of its own. */
function tellsWhere(lines: readonly EditLine[]): boolean {
  const telling = lines.filter(({ mark, text }) => mark !== '-' && !COMMON.test(text))
  return telling.length > 1 || telling.some(({ mark }) => mark === ' ')
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, index) => line === other[index])

const moved = (
  { drift }: HunkContext,
  start: number,
  old: readonly string[],
  now: readonly string[],
): HunkContext => ({
  from: start + now.length,
  drift: drift + now.length - old.length,
})

/** The one place; of several the one that the numbers of the patch, its order or its anchor single out. */
function choose(
  file: FileLines,
  starts: readonly number[],
  { startLine, anchor, oldNoNewline }: EditHunk,
  size: number,
  { from, drift }: HunkContext,
): number | undefined {
  if (starts.length === 1) return starts[0]
  const last = starts.at(-1)
  if (oldNoNewline === true && last !== undefined && last + size === file.lines.length) return last
  if (startLine !== undefined && starts.includes(startLine - 1 + drift)) return startLine - 1 + drift
  const below = anchor === undefined ? [] : belowAnchor(file.lines, anchor, starts)
  if (below.length > 0) return below[0]
  const later = from === 0 ? [] : starts.filter((start) => start >= from)
  return later.length === 1 ? later[0] : undefined
}

function belowAnchor(lines: readonly string[], anchor: string, starts: readonly number[]): readonly number[] {
  const places = lines.flatMap((line, index) => (line.trim().startsWith(anchor) ? [index] : []))
  const [only, ...others] = places
  return only === undefined || others.length > 0 ? [] : starts.filter((start) => start >= only)
}

/** True when lines that would be added between others stand there already. */
function isThere(file: FileLines, lines: readonly EditLine[], start: number): boolean {
  if (lines.some(({ mark }) => mark === '-')) return false
  const added = lines.findIndex(({ mark }) => mark === '+')
  const count = lines.filter(({ mark }) => mark === '+').length
  const now = side(lines, 'new').map((line) => line.trimEnd())
  const standsAt = (at: number): boolean =>
    at >= 0 && now.every((line, index) => line === file.lines[at + index]?.trimEnd())
  // The old lines fit above what was added, or, when it was added above all of them, below it.
  return standsAt(start) || (added === 0 && standsAt(start - count))
}

/** Lines without old ones: at the place that the patch numbers, or in an empty file. */
function insert(
  file: FileLines,
  hunk: EditHunk,
  lines: readonly EditLine[],
  context: HunkContext,
): HunkOutcome {
  const isEmpty = file.lines.every((line) => line.trim() === '')
  const at = isEmpty ? 0 : hunk.startLine === undefined ? undefined : hunk.startLine - 1 + context.drift
  const now = side(lines, 'new')
  if (at === undefined || at < 0 || at > file.lines.length) return { kind: 'no-match', wanted: now }
  const isTelling = now.some((line) => !COMMON.test(line))
  if (!isEmpty && isTelling && isThere(file, lines, at)) return { kind: 'already-applied' }
  const size = isEmpty ? file.lines.length : 0
  const applied = replaced(file, lines, at, size, UNCHANGED, hunk)
  if (applied === undefined) return { kind: 'no-match', wanted: now }
  return { kind: 'applied', file: applied, context: moved(context, at, [], now), step: 'exact' }
}

const UNCHANGED: Pick<Fits, 'adapt'> = { adapt: (line) => line }

/** The file with the change made; lines that stay are the file's own, and new ones end as those around them. */
function replaced(
  file: FileLines,
  reading: readonly EditLine[],
  start: number,
  size: number,
  { adapt }: Pick<Fits, 'adapt'>,
  { oldNoNewline = false, newNoNewline = false }: EditHunk,
): FileLines | undefined {
  const lines: string[] = []
  const ends: string[] = []
  let at = start
  for (const { mark, text } of reading) {
    const end = file.ends[mark === '+' ? Math.max(0, at - 1) : at] ?? '\n'
    if (mark !== '+') at += 1
    if (mark === '-') continue
    const line = mark === ' ' ? file.lines[at - 1] : adapt(text, start)
    if (line === undefined) return undefined
    lines.push(line)
    ends.push(end)
  }
  const result = spliced(file, start, size, lines, ends)
  const isAtEnd = start + size === file.lines.length
  return isAtEnd && oldNoNewline !== newNoNewline ? { ...result, hasFinalNewline: oldNoNewline } : result
}
