// The text of a tool call's arguments → the value it stands for. Repaired only where there is one reading.
import { parses } from '../../language/parses.js'
import { type LiteralProblem, placeOf, readLiteral } from './literal-reader.js'

/** What the text of arguments turned out to be. */
export type DecodedArguments =
  /** Data. `closed` is false when brackets at the end had to be added. */
  | {
      readonly kind: 'data'
      readonly value: object
      readonly closed: boolean
      readonly warnings: readonly string[]
    }
  /** Plain text, as a tool of free form takes it. */
  | { readonly kind: 'text'; readonly text: string; readonly warnings: readonly string[] }
  /** Neither: a sentence without a full stop says what is wrong and where. */
  | { readonly kind: 'unreadable'; readonly problem: string; readonly isCut: boolean }

/** JSON in JSON in JSON is somebody's mistake; more of it is nobody's. */
const LEVELS_AT_MOST = 3

/**
 * Reads the text of arguments.
 *
 * @param cut - the reply was stopped before its end, so that nothing may be added to it
 */
export function decodeArguments(written: string, cut: boolean): DecodedArguments {
  return decode(written, cut, [])
}

function decode(written: string, cut: boolean, warnings: readonly string[]): DecodedArguments {
  const text = written.replace(/^\ufeff/, '').trim()
  if (text === '') return { kind: 'unreadable', problem: 'they are empty', isCut: cut }
  if (warnings.filter((one) => one === 'encoded-twice').length > LEVELS_AT_MOST)
    return { kind: 'unreadable', problem: 'they are encoded again and again', isCut: false }
  const inside = insideFence(text)
  if (inside !== undefined && isStructured(inside)) return decode(inside, cut, [...warnings, 'fence-removed'])
  if (!isStructured(text) && !/^["']/.test(text)) return { kind: 'text', text: written, warnings }
  const read = readValue(text, !cut)
  if ('problem' in read) return unreadable(read.problem, { text, written, cut, warnings })
  const { value, repairs } = read
  const all = [...warnings, ...repairs]
  if (typeof value === 'string') return encodedAgain(value, cut, all)
  if (typeof value === 'object' && value !== null)
    return { kind: 'data', value, closed: !repairs.includes('bracket-added'), warnings: all }
  return { kind: 'text', text: written, warnings }
}

/** A string: of JSON once more, or of a free form. */
function encodedAgain(value: string, cut: boolean, warnings: readonly string[]): DecodedArguments {
  const text = value.trim()
  if (isStructured(text) || isStructured(insideFence(text) ?? '') || parses(text, 'json') === true)
    return decode(text, cut, [...warnings, 'encoded-twice'])
  return { kind: 'text', text: value, warnings }
}

/** As JSON; else as JSON mended; else as a literal of Python; else as JSON whose quotes are all escaped. */
function readValue(
  text: string,
  mayClose: boolean,
): { value: unknown; repairs: readonly string[] } | { problem: LiteralProblem } {
  try {
    return { value: JSON.parse(text) as unknown, repairs: [] }
  } catch {
    // Read with more patience below.
  }
  const json = readLiteral(text, 'json', mayClose)
  if (json.ok) return json
  const python = readLiteral(text, 'python', mayClose)
  if (python.ok) return { value: python.value, repairs: [...python.repairs, 'python-literal'] }
  const escaped = /^[{[]\s*(?:\{\s*)?\\"/.test(text) ? readLiteral(`"${text}"`, 'json', false) : undefined
  if (escaped?.ok === true) return escaped
  // The one that came further is the one that was meant.
  return { problem: json.problem.offset >= python.problem.offset ? json.problem : python.problem }
}

function unreadable(
  { what, offset, sort }: LiteralProblem,
  {
    text,
    written,
    cut,
    warnings,
  }: { text: string; written: string; cut: boolean; warnings: readonly string[] },
): DecodedArguments {
  // A program may begin with a string: `"use strict"`, a docstring.
  if (/^["']/.test(text) && (sort === 'more' || /^("""|''')/.test(text)))
    return { kind: 'text', text: written, warnings }
  const near = text.slice(offset, offset + 30)
  const shown = near === '' ? '' : `, before ${JSON.stringify(near)}`
  return {
    kind: 'unreadable',
    problem: `${what} (${placeOf(text, offset)}${shown})`,
    isCut: cut || sort === 'cut',
  }
}

/** True for what begins as data does, and as hardly any program. */
const isStructured = (text: string): boolean =>
  /^\s*[{[]\s*(?:$|["'{[\]}]|\\"|\w+\s*:|\d|-\d|true\b|null\b|None\b|True\b)/.test(text)

/** What stands within a fence round everything. */
function insideFence(text: string): string | undefined {
  const opener = /^(`{3,}|~{3,})[^\n`]*\n/.exec(text)
  const mark = opener?.[1] ?? ''
  if (opener === null || !text.endsWith(mark) || text.length < opener[0].length + mark.length)
    return undefined
  return text.slice(opener[0].length, -mark.length).trim()
}
