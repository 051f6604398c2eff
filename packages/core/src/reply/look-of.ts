// What a block looks like, with its grammar asked where words outweigh code.
import { looksLike } from '../language/looks-like.js'
import { outlineOf } from '../language/outline.js'
import { parses } from '../language/parses.js'

/** The look of `code`; what reads like prose, but parses and defines something, is a program with a long docstring. */
export function lookOf(code: string, language: string): string | undefined {
  const look = looksLike(code)
  if (look !== 'prose' || parses(code, language) !== true) return look
  return (outlineOf(code, language)?.defines.size ?? 0) > 0 ? language : look
}
