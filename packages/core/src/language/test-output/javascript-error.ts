// An error as vitest and jest print it: message, sides of a comparison, calls → an error that reports can be made of.
import type { FailureKind } from '../../contract/verify.js'
import { matchLine, type ReportedError, type ReportedPlace } from '../reported.js'

/** What was printed of an error. */
export interface PrintedError {
  /** The message with all that was printed before the calls. */
  readonly message: string
  /** The calls, innermost first, as both runners print them. */
  readonly calls: readonly ReportedPlace[]
  readonly cause?: ReportedError
  /** Where a compiler says it is. */
  readonly place?: ReportedPlace
}

const DIFF_HEAD = /^ *- (?:Expected|Snapshot)(?: +- \d+|:)?$/u
const DIFF_SECOND = /^ *\+ Received(?: +\+ \d+|:)?$/u
const EXPECTED = /^(?:Expected(?: [a-z]+)?|Snapshot): +(.+)$/u
const RECEIVED = /^Received(?: [a-z]+)?: +(.+)$/u
const TIMEOUT = /\b(?:Test|Hook) timed out in \d|Exceeded timeout of \d|^test timed out after \d/u
const IMPORT =
  /^(?:\w*Error: )?(?:Cannot find (?:module|package) |Failed to resolve import |Failed to load url |No such built-in module)|does not provide an export named/u
const SYNTAX =
  /\bSyntaxError: |\[PARSE_ERROR\]|^Error: Transform failed|Jest encountered an unexpected token/u
const CHECK = /^(?:AssertionError\b|expect\(|Error: (?:expect\(|Snapshot `)|Snapshot name: )/u
/** Where a compiler says it is: `╭─[ file:6:7 ]`, `file:6:7: ERROR: …`, `file:6` above the line itself. */
const COMPILED = /╭─\[ (\S+):(\d+):(\d+) \]|^(\S+):(\d+):(\d+): ERROR: |^(\/\S+|[A-Za-z]:[\\/]\S+):(\d+)$/mu

/** The kind of an error by its message; `ran`: the file had been loaded, so that a syntax error is not its own. */
function kindOf(message: string, ran: boolean): FailureKind {
  if (TIMEOUT.test(message)) return 'timeout'
  if (CHECK.test(message)) return 'assertion'
  if (IMPORT.test(message)) return 'import'
  return SYNTAX.test(message) && !ran ? 'syntax' : 'exception'
}

/** @param ran - the file had been loaded before it failed */
export function toReportedError({ message, calls, cause, place }: PrintedError, ran: boolean): ReportedError {
  const { text, expected, actual } = compared(message.split('\n'))
  const kind = kindOf(text, ran)
  const compiled = kind === 'syntax' ? (place ?? compiledPlace(text)) : undefined
  return {
    kind,
    message: text || 'No message was printed.',
    frames: [...calls].reverse(),
    ...(compiled !== undefined && { place: compiled }),
    ...(expected !== undefined && { expected }),
    ...(actual !== undefined && { actual }),
    ...(cause !== undefined && { cause }),
  }
}

function compiledPlace(text: string): ReportedPlace | undefined {
  const match = COMPILED.exec(text)
  if (match === null) return undefined
  const [file, line, column] = match.slice(1).filter((one) => one !== undefined)
  if (file === undefined) return undefined
  return { file, line: Number(line), ...(column !== undefined && { column: Number(column) }) }
}

/** The two sides of a comparison: each in full, put together again from the lines of a diff, or told by its name. */
function compared(lines: readonly string[]): { text: string; expected?: string; actual?: string } {
  const text = lines.join('\n').trim()
  const head = lines.findIndex((line) => DIFF_HEAD.test(line))
  if (head !== -1) return { text, ...sidesOfDiff(lines.slice(head)) }
  const expected = lines.map((line) => matchLine(EXPECTED, line)?.[1]).find((one) => one !== undefined)
  const actual = lines.map((line) => matchLine(RECEIVED, line)?.[1]).find((one) => one !== undefined)
  return { text, ...(expected !== undefined && { expected }), ...(actual !== undefined && { actual }) }
}

function sidesOfDiff(lines: readonly string[]): { expected?: string; actual?: string } {
  const second = lines.findIndex((line) => DIFF_SECOND.test(line))
  if (second === -1) return {}
  // Values too unlike for a diff stand below their headings.
  if (second > 1)
    return {
      expected: lines.slice(1, second).join('\n').trim(),
      actual: lines
        .slice(second + 1)
        .join('\n')
        .trim(),
    }
  const body = lines
    .slice(2)
    .join('\n')
    .replace(/^\n+|\s+$/gu, '')
    .split('\n')
  const side = (other: string): string =>
    body
      .filter((line) => !line.startsWith(other))
      .map((line) => line.slice(2))
      .join('\n')
  return { expected: side('+'), actual: side('-') }
}

const SOURCE_LINE = /^ *>? *(?:\d+ ?)?\|(?: |$)/u

/** True for a line of the piece of source that both runners show. */
export const isSourceLine = (line: string): boolean => SOURCE_LINE.test(line)
