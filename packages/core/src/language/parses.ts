// Whether a text is complete in its language, as far as that can be told without running anything.
import { parsesAsPython } from './python-syntax.js'

const CURLY_LANGUAGES = new Set(
  'javascript typescript jsx tsx java c cpp csharp go rust kotlin swift scala css'.split(' '),
)
// A slash begins a regular expression only where no value can stand before it.
const CURLY_TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?|`[^`\\]*(?:\\[\s\S][^`\\]*)*`?|(?<=(?:^|[=(,:[!&|?{};\n]|return)[ \t]{0,8})\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\]){1,500}\/[a-z]*|[\s\S]/g

/**
 * True or false where a grammar, or at least brackets and strings, can tell; undefined for a language of which nothing
 * is known here.
 */
export function parses(text: string, language: string): boolean | undefined {
  if (language === 'python') return parsesAsPython(text)
  if (language === 'json') return isJsonText(text)
  if (CURLY_LANGUAGES.has(language)) return isBalanced(maskStrings(text))
  if (language === 'shell') return !hasOpenHeredoc(text)
  return undefined
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** True when braces belong to the language's syntax, with strings and comments as in C. */
export function isCurly(language: string): boolean {
  return CURLY_LANGUAGES.has(language)
}

/** A curly language's text without the content of strings, comments and regular expressions; an open one leaves `(`. */
export function maskStrings(text: string): string {
  return text.replace(CURLY_TOKEN, (token) => {
    if (token.length === 1) return /["'`]/.test(token) ? '(' : token
    if (token.startsWith('//')) return ''
    if (token.startsWith('/*')) return token.length > 3 && token.endsWith('*/') ? '' : '('
    if (token.startsWith('/')) return '0'
    return token.endsWith(token.charAt(0)) ? '""' : `(`
  })
}

function isBalanced(masked: string): boolean {
  const closers: string[] = []
  for (const [bracket] of masked.matchAll(/[()[\]{}]/g)) {
    if (bracket === '(') closers.push(')')
    else if (bracket === '[') closers.push(']')
    else if (bracket === '{') closers.push('}')
    else if (closers.pop() !== bracket) return false
  }
  return closers.length === 0
}

/** True when a here-document of a shell text has not ended yet. */
export function hasOpenHeredoc(text: string): boolean {
  let delimiter: string | undefined
  for (const line of text.split('\n')) {
    if (delimiter === undefined) delimiter = /<<[-~]?\s*\\?(["']?)(\w+)\1/.exec(line.slice(0, 1000))?.[2]
    else if (line.trim() === delimiter) delimiter = undefined
  }
  return delimiter !== undefined
}
