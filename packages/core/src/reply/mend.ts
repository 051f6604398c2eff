// Repairs of code that was damaged on its way. Each is made only when the code does not parse as received and does after.
import { isCurly, maskStrings, parses } from '../language/parses.js'

/** Code, and what was done to it. */
export interface Mended {
  readonly text: string
  readonly warnings: readonly string[]
}

interface Repair {
  readonly warning: string
  apply(text: string): string
}

const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(lt|gt|amp|quot|apos|nbsp));/g
const NAMED: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}
const KEEP_ENTITIES = new Set(['html', 'xml', 'jsx', 'tsx', 'markdown', 'php'])

/** In the order they are tried: the likeliest first, each alone and then on top of those before. */
const REPAIRS: readonly Repair[] = [
  { warning: 'entities-decoded', apply: decodeEntities },
  { warning: 'spaces-normalized', apply: plainSpaces },
  // Before the indent, since `1: x = 1` without it reads as an annotation.
  { warning: 'line-numbers-removed', apply: removeLineNumbers },
  { warning: 'indent-removed', apply: removeCommonIndent },
  { warning: 'prompts-removed', apply: removePrompts },
  { warning: 'quotes-straightened', apply: (text) => text.replace(/[“”„]/g, '"').replace(/[‘’]/g, "'") },
  { warning: 'unescaped-twice', apply: unescapeOneLine },
]

/** `text`, repaired when that makes it parse; otherwise as it is. */
export function mend(text: string, language: string): Mended {
  const unchanged = { text, warnings: [] }
  if (language === 'shell') return text.includes('$ ') ? mendShell(text) : unchanged
  if (isCurly(language) && !KEEP_ENTITIES.has(language)) return mendCurly(text)
  if (language !== 'python' || (parses(text, language) === true && !isNumbered(text))) return unchanged
  for (const { warning, apply } of REPAIRS) {
    const changed = apply(text)
    if (changed !== text && parses(changed, language) === true) return { text: changed, warnings: [warning] }
  }
  const warnings: string[] = []
  let current = text
  for (const { warning, apply } of REPAIRS) {
    const changed = apply(current)
    if (changed === current) continue
    current = changed
    warnings.push(warning)
    if (warnings.length > 1 && parses(current, language) === true) return { text: current, warnings }
  }
  return unchanged
}

/** No grammar here for these languages; but an entity outside of strings and comments is none of theirs. */
function mendCurly(text: string): Mended {
  const code = text.includes('&') ? maskStrings(text) : ''
  ENTITY.lastIndex = 0
  const markup = /<\/|\/>/.test(code)
  return ENTITY.test(code) && !markup
    ? { text: decodeEntities(text), warnings: ['entities-decoded'] }
    : { text, warnings: [] }
}

/** A transcript of nothing but prompts is a script. */
function mendShell(text: string): Mended {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.every((line) => line.startsWith('$ '))
    ? { text: text.replace(/^\$ /gm, ''), warnings: ['prompts-removed'] }
    : { text, warnings: [] }
}

function decodeEntities(text: string): string {
  const once = decodeOnce(text)
  // "&amp;lt;" was escaped twice.
  return once !== text && /&amp;(?:lt|gt|quot|apos|#)/.test(text) ? decodeOnce(once) : once
}

function decodeOnce(text: string): string {
  return text.replace(ENTITY, (entity, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? entity
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(decimal, 10)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity
  })
}

/** No-break and other odd spaces become plain ones, invisible characters go. */
function plainSpaces(text: string): string {
  return text
    .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
}

function removeCommonIndent(text: string): string {
  const lines = text.split('\n')
  const first = /^[ \t]*(?=\S)/.exec(lines.find((line) => line.trim() !== '') ?? '')?.[0] ?? ''
  if (first === '') return text
  return lines.every((line) => line.startsWith(first) || line.trim() === '')
    ? lines.map((line) => line.slice(first.length)).join('\n')
    : text
}

/** Keeps what was typed at `>>>` and `...` and drops what the interpreter answered. */
function removePrompts(text: string): string {
  if (!/^\s*>>> /m.test(text)) return text
  const typed = text.split('\n').filter((line) => /^\s*(?:>>>|\.\.\.)(?: |$)/.test(line))
  return `${typed.map((line) => line.replace(/^\s*(?:>>>|\.\.\.) ?/, '')).join('\n')}\n`
}

const NUMBER_AND_MARK = /^\s{0,6}\d{1,6}\s?[|│:)]/

/** Line numbers that a grammar lets pass: `1: x` is an annotation to it, and `1| x` a sum of bits. */
const isNumbered = (text: string): boolean => NUMBER_AND_MARK.test(text) && removeLineNumbers(text) !== text

/** Line numbers in front of every line, counting up by one. */
function removeLineNumbers(text: string): string {
  const lines = text.split('\n')
  const numbered = lines.map((line) => /^\s{0,6}(\d{1,6})(?:\s?[|│:.)]\s?|\s{1,2}|\t|$)/.exec(line))
  const first = Number(numbered[0]?.[1] ?? Number.NaN)
  // ` 5 + 3` is a sum.
  if (numbered.filter((found) => found !== null).length < 2 && !NUMBER_AND_MARK.test(text)) return text
  const counts = lines.every((line, index) => line === '' || Number(numbered[index]?.[1]) === first + index)
  return counts ? lines.map((line, index) => line.slice(numbered[index]?.[0].length ?? 0)).join('\n') : text
}

/** A whole program on one line with visible `\n` was escaped once too often. */
function unescapeOneLine(text: string): string {
  const line = text.trim()
  if (line.includes('\n') || !line.includes('\\n')) return text
  const plain: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '', '"': '"', "'": "'", '\\': '\\' }
  return `${line.replace(/\\([ntr"'\\])/g, (_, letter: string) => plain[letter] ?? letter).trimEnd()}\n`
}
