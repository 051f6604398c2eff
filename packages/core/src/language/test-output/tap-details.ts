// The block below a point of TAP: the little YAML that node:test and vitest write there.

import { nextLine } from './line-search.js'

/** What is said of a point; every value as text. */
export interface Details {
  readonly error?: string
  readonly name?: string
  readonly stack?: string
  readonly expected?: string
  readonly actual?: string
  readonly location?: string
  readonly at?: string
  readonly type?: string
  readonly failureType?: string
}

const KEYS: ReadonlySet<string> = new Set([
  'error',
  'name',
  'stack',
  'expected',
  'actual',
  'location',
  'at',
  'type',
  'failureType',
])
const LONGEST_BLOCK = 100_000

/**
 * Reads the block whose `---` stands at `start`.
 *
 * @returns also the index of its last line
 */
export function readDetails(lines: readonly string[], start: number): { details: Details; end: number } {
  const indent = (lines[start] ?? '').search(/\S/u)
  const closing = `${' '.repeat(indent)}...`
  const limit = Math.min(lines.length, start + LONGEST_BLOCK)
  let end = start + 1
  while (end < limit && lines[end] !== closing) end++
  const details: Record<string, string> = {}
  for (let index = start + 1; index < end; ) index = readEntry(lines, index, { end, indent, details })
  return { details, end: Math.min(end, lines.length - 1) }
}

interface Place {
  readonly end: number
  readonly indent: number
  readonly details: Record<string, string>
}

/** Reads one key with what belongs to it, and answers where the next begins. */
function readEntry(lines: readonly string[], index: number, { end, indent, details }: Place): number {
  const [, space = '', key = '', value = ''] =
    /^( *)(\w+):(?: (.*))?$/u.exec((lines[index] ?? '').slice(0, 4000)) ?? []
  if (key === '' || space.length < indent) return index + 1
  const isKnown = KEYS.has(key) && details[key] === undefined
  if (value.startsWith('"') && !isClosed(value)) {
    const stop = Math.min(nextLine(lines, index + 1, isClosed), end - 1)
    if (isKnown) details[key] = unquoted([value, ...lines.slice(index + 1, stop + 1)].join('\n'))
    return stop + 1
  }
  let next = index + 1
  while (next < end && ((lines[next] ?? '') === '' || (lines[next] ?? '').search(/\S|$/u) > space.length))
    next++
  const below = lines.slice(index + 1, next).map((line) => line.slice(space.length + 2))
  const isBlock = value === '|-' || value === '|'
  const isMap = value === '' && below.length > 0
  // vitest tells of an error in a map of its own.
  if (isMap && key === 'error') {
    while (next < end && !/^ *(?:at|actual|expected): "/u.test((lines[next] ?? '').slice(0, 4000))) next++
    readDetailsOf(lines.slice(index + 1, next), details)
    return next
  }
  const text = isBlock || isMap ? below.join('\n') : unquoted(value)
  if (isKnown && (isBlock || isMap || value !== '')) details[key] = text
  return next
}

function readDetailsOf(lines: readonly string[], details: Record<string, string>): void {
  const inner: Record<string, string> = {}
  for (let index = 0; index < lines.length; ) {
    const [, key = '', value = ''] =
      /^ *(name|message): (.*)$/u.exec((lines[index] ?? '').slice(0, 4000)) ?? []
    const start = index
    index += 1
    if (key === '') continue
    while (
      value.startsWith('"') &&
      index < lines.length &&
      !/^ *(?:name|message): "/u.test(lines[index] ?? '')
    )
      index++
    inner[key] = unquoted([value, ...lines.slice(start + 1, index)].join('\n'))
  }
  if (inner['message'] !== undefined) details['error'] = inner['message']
  if (inner['name'] !== undefined) details['name'] = inner['name']
}

const isClosed = (text: string): boolean => /(?:^|[^\\])(?:\\\\)*"$/u.test(text) && text !== '"'

/** A value without its quotes. */
function unquoted(text: string): string {
  const quote = text[0]
  if ((quote !== '"' && quote !== "'") || !text.endsWith(quote) || text.length < 2) return text
  const inner = text.slice(1, -1)
  return quote === "'" ? inner.replaceAll("''", "'") : inner.replace(/\\(["\\])/gu, '$1')
}
