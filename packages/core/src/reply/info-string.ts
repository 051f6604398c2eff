// What an opening fence says about its block: language, perhaps a path.
import { isKnownLanguage, languageId, languageOfPath } from '../contract/language-names.js'

/** An info string, read. */
export interface Info {
  /** Canonical id of the language, when one is named. */
  readonly language?: string
  /** A path as written, not checked. */
  readonly path?: string
}

const PATH_ATTRIBUTE =
  /\b(?:title|file|filename|file_name|path|name|src)\s*[=:]\s*(?:"([^"]*)"|'([^']*)'|([^\s"',}]+))/i

/**
 * Reads the info string of a fence: `python`, `Python3`, `py title="a.py" {1,3}`, `{.python .numberLines}`,
 * `python:src/a.py`, `src/a.py`, `12:30:src/a.py`.
 */
export function parseInfo(info: string): Info {
  const text = info.trim().slice(0, 1000)
  if (text === '') return {}
  const attribute = PATH_ATTRIBUTE.exec(text)
  const named = attribute?.[1] ?? attribute?.[2] ?? attribute?.[3]
  const attributePath = named !== undefined && isPathLike(named) ? named : undefined
  const braces = /^\{\s*[.=]?([\w+#.-]*)/.exec(text)
  if (braces !== null) return withPath(languageId(braces[1] ?? ''), attributePath)
  const [first = '', second = ''] = text.split(/[\s{]+/, 2)
  const colon = /^(?:\d+:\d+:)?(?:([\w+#.-]+):)?(.*)$/.exec(first)
  const [, prefix, rest = ''] = colon ?? []
  if (prefix !== undefined && rest !== '' && isPathLike(rest)) return withPath(languageId(prefix), rest)
  if (isPathLike(rest) && !isKnownLanguage(rest)) return withPath(languageOfPath(rest), rest)
  const tag = first.replace(/[,;:(].*$/, '')
  const path = attributePath ?? (isPathLike(second) ? second : undefined)
  return withPath(languageId(tag), path)
}

function withPath(language: string | undefined, path: string | undefined): Info {
  return {
    ...(language === undefined ? {} : { language }),
    ...(path === undefined ? {} : { path }),
  }
}

/** True for what has the shape of a file's path: a known extension, or folders and an extension. */
export function isPathLike(text: string): boolean {
  if (text.length > 300 || /[\s"'`<>|*?=(){}]/.test(text) || /^\w+:\/\//.test(text)) return false
  return (
    languageOfPath(text.replaceAll('\\', '/')) !== undefined ||
    /[\w-][\\/](?:[^\\/]*\.)?[\w-]+\.\w{1,12}$/.test(text)
  )
}
