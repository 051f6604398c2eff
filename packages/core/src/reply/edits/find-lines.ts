// Where lines stand in a file: exactly, else but for trailing white space, else shifted, else with tabs for spaces.
import type { WorkBudget } from '../work-budget.js'

/** All places where lines fit, found in the first step that finds any. */
export interface Fits {
  /** 0-based, in order; overlapping ones too. */
  readonly starts: readonly number[]
  /** How a new line is written at a place; undefined for one that cannot be moved as the old ones are. */
  adapt(line: string, start: number): string | undefined
  readonly step: 'exact' | 'trailing-space' | 'indentation' | 'tabs'
}

const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? ''
const same = (line: string): string => line
/** Lines that are compared one by one, over all places. */
const VERIFIED_LINES = 2_000_000
/** A look that trims costs more than one that compares. */
const TRIM_COST = 4

/** Finds `wanted` in `file`; undefined when the budget is spent, no starts when it is nowhere. */
export function findLines(
  file: readonly string[],
  wanted: readonly string[],
  budget: WorkBudget,
): Fits | undefined {
  const size = file.length + wanted.length
  if (!budget.spend(size)) return undefined
  const exact = allStarts(file, wanted)
  if (exact.length > 0) return { starts: exact, adapt: same, step: 'exact' }
  const anchor = wanted.findIndex((line) => line.trim() !== '')
  if (anchor === -1 || !standsTrimmed(file, wanted)) return NOWHERE
  if (!budget.spend(3 * TRIM_COST * size)) return undefined
  const trimmedFile = file.map((line) => line.trimEnd())
  const trimmed = wanted.map((line) => line.trimEnd())
  const trailing = allStarts(trimmedFile, trimmed)
  if (trailing.length > 0) return { starts: trailing, adapt: same, step: 'trailing-space' }
  const shifted = findShifted(trimmedFile, trimmed, anchor, same)
  if (shifted.starts.length > 0) return shifted
  for (const convert of conversions(trimmed)) {
    if (!budget.spend(TRIM_COST * size)) return undefined
    const found = findShifted(trimmedFile, trimmed.map(convert), anchor, convert)
    if (found.starts.length > 0) return { ...found, step: 'tabs' }
  }
  return NOWHERE
}

/** True when the lines stand somewhere but for white space at both ends: without that no further step can find them. */
function standsTrimmed(file: readonly string[], wanted: readonly string[]): boolean {
  const ids = new Map<string, number>()
  const own = wanted.map((line) => {
    const text = line.trim()
    const id = ids.get(text) ?? ids.size + 1
    ids.set(text, id)
    return id
  })
  const all = new Int32Array(file.length)
  for (let index = 0; index < file.length; index++) all[index] = ids.get((file[index] ?? '').trim()) ?? 0
  return allStarts(all, own).length > 0
}

const NOWHERE: Fits = { starts: [], adapt: same, step: 'exact' }

/** Tabs to spaces or spaces to tabs, by the usual widths. */
function conversions(wanted: readonly string[]): ((line: string) => string)[] {
  const indents = wanted.map(indentOf)
  const widths = [4, 2, 8]
  const toSpaces = (width: number) => (line: string) => {
    const indent = indentOf(line)
    return indent.replaceAll('\t', ' '.repeat(width)) + line.slice(indent.length)
  }
  const toTabs = (width: number) => (line: string) => {
    const indent = toSpaces(width)(indentOf(line))
    return (
      '\t'.repeat(Math.floor(indent.length / width)) + ' '.repeat(indent.length % width) + line.trimStart()
    )
  }
  return [
    ...(indents.some((indent) => indent.includes(' ')) ? widths.map(toTabs) : []),
    ...(indents.some((indent) => indent.includes('\t')) ? widths.map(toSpaces) : []),
  ]
}

/** Places where every line is further in, or further out, by the same white space. */
function findShifted(
  file: readonly string[],
  wanted: readonly string[],
  anchor: number,
  convert: (line: string) => string,
): Fits {
  const keys = indentKeys(file)
  const own = indentKeys(wanted)
  // How far the first line is in does not matter, only how the others stand to it.
  const rest = own.slice(anchor + 1)
  const head = (wanted[anchor] ?? '').trimStart()
  const found =
    rest.length === 0
      ? file.flatMap((_, index) => (index >= anchor ? [index + 1] : []))
      : allStarts(keys, rest)
  const places = found
    .map((after) => after - 1 - anchor)
    .filter((start) => start >= 0 && (file[start + anchor] ?? '').trimStart() === head)
    .slice(0, Math.ceil(VERIFIED_LINES / wanted.length))
  return {
    starts: places.filter((start) => isShifted(file, wanted, start, anchor)),
    adapt: (line, start) => shift(convert(line), file[start + anchor] ?? '', wanted[anchor] ?? ''),
    step: 'indentation',
  }
}

/** Each line by its text and by how far it is in, compared with the line before it that is not empty. */
function indentKeys(lines: readonly string[]): string[] {
  let before = 0
  return lines.map((line) => {
    const text = line.trimStart()
    if (text === '') return ''
    const indent = line.length - text.length
    const key = `${indent - before}|${text}`
    before = indent
    return key
  })
}

function isShifted(
  file: readonly string[],
  wanted: readonly string[],
  start: number,
  anchor: number,
): boolean {
  const to = file[start + anchor] ?? ''
  const from = wanted[anchor] ?? ''
  return wanted.every((line, index) => shift(line, to, from) === file[start + index])
}

/** `line` moved as `from` has to be moved to become `to`; undefined when it is not that far in. */
function shift(line: string, to: string, from: string): string | undefined {
  if (line.trim() === '') return line
  const [target, own] = [indentOf(to), indentOf(from)]
  if (target.length >= own.length) return target.slice(0, target.length - own.length) + line
  const less = own.length - target.length
  return indentOf(line).length >= less ? line.slice(less) : undefined
}

/** Every place where `wanted` stands in `lines`, in linear time (Knuth, Morris and Pratt 1977). */
function allStarts<Key>(lines: ArrayLike<Key>, wanted: ArrayLike<Key>): number[] {
  const size = wanted.length
  if (size === 0 || size > lines.length) return []
  const back = new Int32Array(size)
  for (let index = 1, matched = 0; index < size; index++) {
    while (matched > 0 && wanted[index] !== wanted[matched]) matched = back[matched - 1] ?? 0
    if (wanted[index] === wanted[matched]) matched += 1
    back[index] = matched
  }
  const starts: number[] = []
  for (let index = 0, matched = 0; index < lines.length; index++) {
    while (matched > 0 && lines[index] !== wanted[matched]) matched = back[matched - 1] ?? 0
    if (lines[index] === wanted[matched]) matched += 1
    if (matched < size) continue
    starts.push(index - size + 1)
    matched = back[matched - 1] ?? 0
  }
  return starts
}

/** True when `wanted` stands in `lines` in one place and no other, exactly. */
export function standsOnce(lines: readonly string[], wanted: readonly string[], budget: WorkBudget): boolean {
  return budget.spend(lines.length) && allStarts(lines, wanted).length === 1
}
