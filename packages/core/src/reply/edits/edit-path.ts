// Which file an edit is for: what the lines around it say.
import { languageOfPath } from '../../contract/language-names.js'
import { parseInfo } from '../info-string.js'
import { labelInComment, labelInLine, safePath } from '../path-label.js'

/** A path as a reply gives it; `path` is absent when it is unsafe. */
export interface WrittenPath {
  readonly written: string
  readonly path?: string
}

/** Files that are known, by path. */
export type Known = Readonly<Record<string, string>>

/** Checks a path that a reply wrote. */
export function writtenPath(written: string): WrittenPath {
  const path = safePath(written)
  return path === undefined ? { written } : { written, path }
}

/** The path that a line names: a label, a comment, or a word that is a known file. */
export function pathInLine(line: string | undefined, known: Known): WrittenPath | undefined {
  if (line === undefined || line.length > 300) return undefined
  const words = new Set(line.split(/[\s`*"'()[\]:,]+/))
  // A name without a dot may also be a word of a sentence.
  const bare = line.replace(/[\s`*#:"'>]/g, '')
  const isName = (word: string): boolean => /[./]/.test(word) || bare === word || line.includes(`\`${word}\``)
  const named = [...words].filter((word) => word !== '' && Object.hasOwn(known, word) && isName(word))
  if (named.length === 1) return writtenPath(named[0] ?? '')
  const label = labelInLine(line, undefined) ?? labelInComment(line.trim())
  return label === undefined ? undefined : writtenPath(label)
}

/** The path in a fence's info string, else in the line above it. */
export function pathOfFence(
  lines: readonly string[],
  at: number,
  info: string,
  known: Known,
): WrittenPath | undefined {
  const { path } = parseInfo(info)
  if (path !== undefined) return writtenPath(path)
  const named = info.split(/\s+/).find((word) => Object.hasOwn(known, word))
  if (named !== undefined) return writtenPath(named)
  const above = (lines[at - 1] ?? '').trim() === '' ? lines[at - 2] : lines[at - 1]
  return pathInLine(above, known)
}

/** The path of a patch's head: without quotes and time; undefined for `/dev/null`. */
export function pathInHead(text: string, known: Known): WrittenPath | undefined {
  const bare =
    text
      .split('\t', 1)[0]
      ?.trim()
      .replace(/^"(.*)"$/, '$1') ?? ''
  if (bare === '/dev/null' || bare === '') return undefined
  return writtenPath(Object.hasOwn(known, bare) ? bare : bare.replace(/^[abiwco]\//, ''))
}

/** True for files in which the marks of edits may stand as text. */
export function isTextFile(path: string | undefined): boolean {
  const language = path === undefined ? undefined : languageOfPath(path)
  return language !== undefined && ['markdown', 'text', 'diff'].includes(language)
}
