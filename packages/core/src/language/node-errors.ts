// Node's stderr → the errors it holds.
import type { FailureKind } from '../contract/verify.js'
import { decodedPath, type InspectedError, parseInspected } from './node-inspected.js'
import type { ReportedError, ReportedPlace, ReportReader } from './reported.js'

/** The line under which Node ends because nobody caught an error. */
const END = /^Node\.js v\d+\.\d+\.\d+\S*$/u
const PLACE = /^(?:file:\/\/)?(\/.+|[A-Za-z]:[\\/].+|node:.+|<anonymous_script>|\[eval\d*\]):(\d+)$/u
const MARKS = /^\s*\^+\s*$/u
const FATAL = /^FATAL ERROR: (.+)$/mu
/** The module that TypeScript was turned into is not the program's; the file it came from is. */
const MADE = /\.mendloop\.([^/\s'"]{1,250})\.mjs/gu
const TRACE_HINT = /^\(Use `node --trace-uncaught/u
const IMPORTED_FROM = /Cannot find (?:package|module) '([^'\n]+)' imported from (\S+)/u
const REQUIRED_BY = /Cannot find module '([^'\n]+)'\nRequire stack:\n- (.+)/u
const NOT_FOUND =
  /\b(?:ERR_)?MODULE_NOT_FOUND\b|\bERR_PACKAGE_PATH_NOT_EXPORTED\b|^Error: Cannot find module '/u
const NO_EXPORT = /^SyntaxError: (?:The requested module '.+' does not provide|Named export '.+' not found)/u
const NO_MEMORY =
  /heap out of memory|Array buffer allocation failed|^RangeError: Invalid (?:array|string) length/u
const SHOWN_MEMBERS = 20
/** The code with which Node ends while a top-level await has nothing left to wait for. */
const UNSETTLED_CODE = 13

/** Reads what Node printed: the error that ended it, or else the last one that was printed. */
export const readNodeErrors: ReportReader = (text, outcome) => {
  const fatal = FATAL.exec(text)?.[1]
  if (fatal !== undefined && outcome.kind === 'signal')
    return {
      errors: [{ kind: NO_MEMORY.test(fatal) ? 'resource' : 'exception', message: fatal }],
      explains: true,
    }
  const lines = text.replace(MADE, '$1').split('\n')
  const uncaught = readUncaught(lines)
  const code = outcome.kind === 'exit' ? outcome.code : undefined
  if (uncaught !== undefined) return { errors: uncaught, explains: code === 1 || code === 7 }
  if (code === UNSETTLED_CODE)
    return {
      errors: [
        { kind: 'exception', message: 'The program ended while a top-level await was still waiting.' },
      ],
      explains: true,
    }
  return { errors: readPrinted(lines), explains: false }
}

/** The error under which Node ended, and its members. */
function readUncaught(lines: readonly string[]): readonly ReportedError[] | undefined {
  const end = lines.findLastIndex((line) => END.test(line))
  if (end === -1) return undefined
  const start = lines.findLastIndex((_, index) => index < end && isHead(lines, index))
  const [, file = '', line = '0'] = PLACE.exec(lines[start] ?? '') ?? []
  const head = start === -1 ? undefined : headPlace(file, Number(line), lines.slice(start + 1, start + 4))
  const body = lines.slice(start === -1 ? 0 : start + (head?.lines ?? 0) + 1, end)
  const error = parseInspected(body.filter((one) => !TRACE_HINT.test(one)))
  return error === undefined ? undefined : withMembers(error, head?.place)
}

/** Node shows the place, the line and marks below it before the error. */
function isHead(lines: readonly string[], index: number): boolean {
  if (!PLACE.test(lines[index] ?? '')) return false
  return [2, 3].some((ahead) => MARKS.test(lines[index + ahead] ?? '')) || lines[index + 2] === ''
}

function headPlace(
  file: string,
  line: number,
  below: readonly string[],
): { place: ReportedPlace; lines: number } {
  const marks = below.findIndex((one) => MARKS.test(one))
  if (marks === -1) return { place: { file: decodedPath(file), line }, lines: 1 }
  const column = (below[marks] ?? '').indexOf('^') + 1
  return {
    place: { file: decodedPath(file), line, column, carets: (below[marks] ?? '').trim() },
    lines: marks + 1,
  }
}

/** Errors that were logged: the last one may be what made the program give up. */
function readPrinted(lines: readonly string[]): readonly ReportedError[] {
  const lastCall = lines.findLastIndex((line) => /^ {4}at /u.test(line))
  if (lastCall === -1) return []
  const firstCall = lines.findLastIndex((line, index) => index < lastCall && !/^ {4}at /u.test(line)) + 1
  const start = lines.findLastIndex(
    (line, index) => index < firstCall && /^\w*(?:Error|Exception)\b/u.test(line),
  )
  const error = start === -1 ? undefined : parseInspected(lines.slice(start))
  return error === undefined ? [] : withMembers(error, undefined)
}

/** The error with its members told in its message, and each member behind it; `head` is where Node said it is. */
export function withMembers(
  error: InspectedError,
  head: ReportedPlace | undefined,
): readonly ReportedError[] {
  const members = error.members.map((member) => reported(member, undefined))
  const shown = members
    .slice(0, SHOWN_MEMBERS)
    .map(({ message }, index) => `  ${index + 1}. ${message.split('\n').join('\n     ')}`)
  const rest = members.length - shown.length
  const whole = reported(error, head)
  return [
    {
      ...whole,
      message: [whole.message, ...shown, ...(rest > 0 ? [`  … and ${rest} more`] : [])].join('\n'),
    },
    ...members,
  ]
}

function reported(error: InspectedError, head: ReportedPlace | undefined): ReportedError {
  const { message, frames, cause, expected, actual } = error
  const isInternal = frames.every(({ file }) => file.startsWith('node:') || file.startsWith('<'))
  const kind = kindOf(message, isInternal && head !== undefined && !head.file.startsWith('node:'))
  const place = importPlace(message) ?? (isInternal ? head : undefined)
  return {
    kind,
    message,
    frames,
    ...(place !== undefined && { place }),
    ...(cause !== undefined && { cause: reported(cause, undefined) }),
    ...(kind === 'assertion' && {
      ...(expected !== undefined && { expected }),
      ...(actual !== undefined && { actual }),
    }),
  }
}

function kindOf(message: string, wasNotRun: boolean): FailureKind {
  if (NOT_FOUND.test(message) || NO_EXPORT.test(message)) return 'import'
  if (/^AssertionError\b/u.test(message)) return 'assertion'
  if (NO_MEMORY.test(message)) return 'resource'
  return /^SyntaxError\b/u.test(message) && wasNotRun ? 'syntax' : 'exception'
}

/** The line that asks for what is not there. */
function importPlace(message: string): ReportedPlace | undefined {
  const [, wanted, file] = IMPORTED_FROM.exec(message) ?? REQUIRED_BY.exec(message) ?? []
  if (wanted === undefined || file === undefined) return undefined
  // A file is named by its whole path, of which the import holds the end.
  const find = /^[/\\]|^[A-Za-z]:/u.test(wanted)
    ? wanted.slice(wanted.lastIndexOf('/') + 1).replace(/\.\w+$/u, '')
    : wanted
  return { file, line: 0, find }
}
