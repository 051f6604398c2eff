// Finds the path a reply gives to a block. A path from a model is a wish: an unsafe one is refused and never used.
import { languageOfPath, runsAs } from '../contract/language-names.js'
import { toWorkspacePath } from '../sandbox/workspace-path.js'
import { isPathLike } from './info-string.js'

const LABEL_WORDS =
  /^(?:(?:new |updated |modified |full |complete )?(?:file ?name|file ?path|file|path|module|in|create|update|save as)\s*[:=]?\s+|(?:file ?name|file|path)[:=])/i
const FIRST_LINE_COMMENT =
  /^(?:#|\/\/|--|;|\/\*+|<!--)\s*(?:(?:file ?name|file ?path|file|path)\s*[:=]\s*)?(\S+?)\s*(?:\*\/|-->)?$/i

/** The path in the line before a fence: `path`, **path**, `### path`, `File: path`, or a sentence that ends in a colon. */
export function labelInLine(line: string, language: string | undefined): string | undefined {
  if (line.length > 300) return undefined
  const bare = stripDecoration(line)
  const path = stripDecoration(bare.replace(LABEL_WORDS, ''))
  if (isPathLike(path)) return path
  if (/^(?:file ?name|file|path)\s*[:=]/i.test(bare) && path !== '' && !/\s/.test(path)) return path
  // "Here is the new `lib.py`:" names the block when nothing else in the line could.
  if (!/:[*_\s]*$/.test(line)) return undefined
  const quoted = [...line.matchAll(/[`*]{1,2}([^`*\s]+)[`*]{1,2}/g)]
    .map((match) => match[1] ?? '')
    .filter(isPathLike)
  const only = quoted.length === 1 ? quoted[0] : undefined
  return only !== undefined && fitsLanguage(only, language) ? only : undefined
}

/** The path in a comment on the first line of the code. */
export function labelInComment(text: string): string | undefined {
  const first = (text.split('\n', 1)[0] ?? '').slice(0, 300)
  const path = FIRST_LINE_COMMENT.exec(first.trim())?.[1]
  return path !== undefined && (isPathLike(path) || /file ?name\s*[:=]/i.test(first)) ? path : undefined
}

/** False when the file's extension says another language than the block's tag. */
export function fitsLanguage(path: string, language: string | undefined): boolean {
  const byPath = languageOfPath(path)
  return (
    language === undefined ||
    byPath === undefined ||
    language === 'text' ||
    runsAs(language, byPath) ||
    runsAs(byPath, language)
  )
}

/** Names that every object has already: a file under one of them would be lost in a record of files. */
const isReserved = (path: string): boolean => path in Object.prototype

/** The text of a file; undefined where there is none, also for a name that every object has. */
export function textAt(files: Readonly<Record<string, string>>, path: string): string | undefined {
  return Object.hasOwn(files, path) ? files[path] : undefined
}

/** The canonical form of a path that stays within the workspace and that a record can hold; undefined for any other. */
export function safePath(written: string): string | undefined {
  if (written.split(/[\\/]/).includes('..') || /[\p{Cc}]/u.test(written) || written.endsWith('/'))
    return undefined
  try {
    const path = toWorkspacePath(written)
    return isReserved(path) ? undefined : path
  } catch {
    return undefined
  }
}

/** Takes away list markers, heading marks, emphasis, code marks, and a final colon. */
function stripDecoration(line: string): string {
  return line
    .trim()
    .replace(/^(?:>\s*)*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?:#{1,6}\s+)?/, '')
    .replace(/^[*_`"'[(]+/, '')
    .replace(/(?:[*_`"'\]):]|\s*\((?:new|updated|modified|unchanged)\))+$/i, '')
    .trim()
}
