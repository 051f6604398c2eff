// Code as a tool call hands it over → code as it was meant: LF line ends, no fence round it, decoded once more if need be.
import { isCurly, maskStrings, parses } from '../../language/parses.js'
import { FenceScanner } from '../fences.js'
import { WorkBudget } from '../work-budget.js'

/** A text, and what was done to it. */
export interface CleanCode {
  readonly text: string
  readonly warnings: readonly string[]
}

/** Languages whose texts may begin with a fence or hold visible escapes by right. */
const LEAVE_ALONE = new Set([
  'markdown',
  'text',
  'console',
  'diff',
  'json',
  'jsonl',
  'csv',
  'yaml',
  'toml',
  'ini',
])

/** The code of one file in `language`. */
export function cleanCode(written: string, language: string): CleanCode {
  const text = written.replace(/^\ufeff/, '').replace(/\r\r\n|\r\n|\r/g, '\n')
  if (LEAVE_ALONE.has(language)) return { text, warnings: [] }
  const bare = withoutFence(text, language)
  const decoded = unescapedTwice(bare ?? text, language)
  const warnings = [
    ...(bare === undefined ? [] : ['fence-removed']),
    ...(decoded === undefined ? [] : ['unescaped-twice']),
  ]
  return { text: decoded ?? bare ?? text, warnings }
}

/** What one fence holds that encloses everything; undefined where there is no such fence. */
function withoutFence(text: string, language: string): string | undefined {
  const trimmed = text.trim()
  if (!/^(?:```|~~~)/.test(trimmed)) return undefined
  const blocks = new FenceScanner(trimmed, language, new WorkBudget(trimmed.length)).scan()
  const [only, ...more] = blocks
  const lines = trimmed.split('\n').length
  const isWhole = only?.closed === true && only.text.split('\n').length - 1 + 2 === lines
  return isWhole && more.length === 0 ? only.text : undefined
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/g
const PLAIN: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
}

/**
 * A program on one line with visible line ends, decoded once more, when only that makes it a program that parses. Undefined where it
 * parses as it is, where nothing can tell, and where it holds an escape that no encoder writes.
 */
function unescapedTwice(text: string, language: string): string | undefined {
  const line = text.trim()
  if (line.includes('\n') || !line.includes('\\n') || isWhole(line, language) !== false) return undefined
  let isKnown = true
  const decoded = line.replace(ESCAPE, (_, hex: string | undefined, letter: string | undefined) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
    const meant = PLAIN[letter ?? '']
    isKnown &&= meant !== undefined
    return meant ?? ''
  })
  const code = decoded.replace(/\r\n?/g, '\n')
  return isKnown && isWhole(code, language) === true ? code : undefined
}

/**
 * Besides what `parses` can tell: one line that is a comment is no program, and outside of strings and comments no curly
 * language has backslashes within a line.
 */
function isWhole(text: string, language: string): boolean | undefined {
  const comment = isCurly(language) ? '//' : '#'
  if (text.startsWith(comment) && !text.includes('\n')) return false
  if (isCurly(language) && /\\[^\n]/.test(maskStrings(text))) return false
  return parses(text, language)
}
