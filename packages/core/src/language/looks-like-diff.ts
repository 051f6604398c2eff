// Whether a text is a patch, whatever it is tagged as: its lines say what to add and to take away.
import { parses } from './parses.js'
import { lexPython } from './python-lexer.js'

/** Languages in which lines may well begin with a hyphen or a plus sign. */
const LISTS = new Set(['markdown', 'yaml', 'text', 'diff', 'sql', 'lua', 'haskell', 'csv'])
const HEADER = /^(?:diff --git |Index: |\*\*\* (?:Begin Patch|Update File)|--- \S.*\n\+\+\+ \S|@@ )/u
const MARKED = /^(?:[-+ \\]|@@|diff |index |$)/u
const CHANGE = /^[-+]/u

/**
 * True for a patch: it begins like one, or every line bears a mark, or it makes a program only once it is applied.
 *
 * @param language - what the text should be in
 */
export function isDiff(text: string, language: string): boolean {
  if (LISTS.has(language)) return false
  if (HEADER.test(text.trimStart())) return true
  const code = withoutStrings(text, language)
  const lines = code.trimEnd().split('\n')
  const changes = lines.filter((line) => CHANGE.test(line))
  if (changes.length === 0) return false
  if (lines.every((line) => MARKED.test(line))) return true
  const whole = parses(text, language)
  // A line of a sound program may begin with a sign, within brackets; both signs, and sound without them, is no chance.
  if (whole !== false && !(changes.some(isAddition) && changes.some((line) => !isAddition(line))))
    return false
  const applied = text
    .split('\n')
    .filter((line) => !line.startsWith('-'))
    .map((line) => line.replace(/^[+]/u, ''))
  return parses(`${applied.join('\n')}\n`, language) === true
}

const isAddition = (line: string): boolean => line.startsWith('+')

/** A string may hold anything; its lines say nothing. */
function withoutStrings(text: string, language: string): string {
  if (language !== 'python') return text
  const { fault, masked } = lexPython(text)
  return fault === undefined ? masked : text
}
