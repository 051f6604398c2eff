// The lines that mark edits: heads, separators and tails of search/replace blocks, heads of patches.

const HEAD = /^([ \t]*)(?:(<{5,9})[ \t]?(?:SEARCH|ORIGINAL)\b[ \t:>]*(.*?)|(-{5,9}) SEARCH>?)[ \t]*$/
const SEPARATOR = /^([ \t]*)(={5,9})[ \t]*$/
const TAIL = /^([ \t]*)(?:(>{5,9})(?:[ \t]?(?:REPLACED?|UPDATED)\b)?|()(\+{5,9}) REPLACE\b)[ \t<]*$/
const PATCH_PATH = /^(?:---|\+\+\+) \S/
/** Quick test of a whole text: without such a line it holds no edit. */
const ANY =
  /^[ \t>]*(?:(?:<{5,9}|-{5,9})[ \t]?(?:SEARCH|ORIGINAL)\b|diff --git |Index: |[-+]|@@|\*\*\* Begin Patch|(?:`{3,}|~{3,})[ \t]*(?:diff|patch)\b)/m

/** A line that marks a part of a block. */
export interface Marker {
  /** White space before it. */
  readonly indent: string
  /** How many characters it has. */
  readonly length: number
  /** What stands behind the word, such as a path. */
  readonly rest: string
}

const markerOf = (found: RegExpExecArray | null): Marker | undefined =>
  found === null
    ? undefined
    : { indent: found[1] ?? '', length: (found[2] ?? found[4] ?? '').length, rest: (found[3] ?? '').trim() }

const short = (line: string | undefined): string => (line !== undefined && line.length <= 400 ? line : '')

/** The head of a search/replace block: `<<<<<<< SEARCH`, `<<<<<<< ORIGINAL`, five to nine characters. */
export const headMarker = (line: string | undefined): Marker | undefined => markerOf(HEAD.exec(short(line)))

/** Five to nine equals signs. */
export const separatorMarker = (line: string | undefined): Marker | undefined =>
  markerOf(SEPARATOR.exec(short(line)))

/** The tail of a block: `>>>>>>> REPLACE`, `>>>>>>> UPDATED`. */
export const tailMarker = (line: string | undefined): Marker | undefined => markerOf(TAIL.exec(short(line)))

/** False for a text that surely holds no edit. */
export const mayHoldEdits = (text: string): boolean => ANY.test(text)

/** True for a text that begins with a patch or a block. */
export function beginsWithEdit(text: string): boolean {
  const lines = text
    .replace(/^\s*\n/, '')
    .split('\n', 2)
    .map((line) => line.trimEnd())
  return isPatchEnvelope(lines[0]) || isPatchHead(lines, 0) || headMarker(lines[0]) !== undefined
}

/** True when a patch begins at this line: `diff --git`, `Index:`, or `---` above `+++`. */
export function isPatchHead(lines: readonly string[], at: number): boolean {
  const line = short(lines[at])
  if (/^diff --git \S/.test(line)) return true
  if (/^Index: \S/.test(line)) return /^={20,}$|^---/.test(short(lines[at + 1]))
  return isFileHead(lines, at)
}

/** True for the two lines that name the old and the new file. */
export function isFileHead(lines: readonly string[], at: number): boolean {
  const [old, now] = [short(lines[at]), short(lines[at + 1])]
  return old.startsWith('---') && PATCH_PATH.test(old) && now.startsWith('+++') && PATCH_PATH.test(now)
}

/** True for `*** Begin Patch`. */
export const isPatchEnvelope = (line: string | undefined): boolean =>
  /^\*\*\* Begin Patch[ \t]*$/.test(short(line))
