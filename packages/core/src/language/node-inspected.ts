// An error as Node's inspector prints it: message, calls, and in braces its cause, its members and what it carries.
import { matchLine, type ReportedPlace } from './reported.js'

/** What was printed of an error. */
export interface InspectedError {
  /** Everything before the calls. */
  readonly message: string
  /** The calls, outermost first. */
  readonly frames: readonly ReportedPlace[]
  readonly cause?: InspectedError
  /** Of an AggregateError. */
  readonly members: readonly InspectedError[]
  readonly expected?: string
  readonly actual?: string
}

const CALL = /^\s+at (?:async )?(?:(.+?) \()?(?:file:\/\/)?([^\s()].*?)(?::(\d+):(\d+))?\)?(?: \{|,)?$/u
const PROPERTY = /^ {2}(\[\w+\]|[\w$]+|'[^']*'): (.*)$/u
/** An error that was never thrown stands in brackets, without calls. */
const BRACKETED = /^\[([\s\S]+)\]( \{)?,?$/u
const DEEPEST = 10

/** Reads lines that begin with an error; undefined when they are blank. */
export function parseInspected(lines: readonly string[], depth = 0): InspectedError | undefined {
  const start = lines.findIndex((line) => line.trim() !== '')
  if (start === -1) return undefined
  const firstCall = lines.findIndex((line, index) => index > start && isCall(line))
  const bracketed = BRACKETED.exec(lines[start] ?? '')
  if (bracketed !== null) {
    const rest = bracketed[2] === undefined ? [] : lines.slice(start + 1)
    return { message: bracketed[1] ?? '', frames: [], ...read(rest, depth) }
  }
  const end = firstCall === -1 ? lines.length : firstCall
  const message = lines.slice(start, end).join('\n').trimEnd()
  const afterCalls = lines.findIndex((line, index) => index >= end && !isCall(line))
  const calls = lines.slice(end, afterCalls === -1 ? lines.length : afterCalls)
  const hasProperties = calls.at(-1)?.endsWith(' {') === true
  const properties = hasProperties && afterCalls !== -1 ? lines.slice(afterCalls) : []
  return { message, frames: calls.flatMap(frameOf).reverse(), ...read(properties, depth) }
}

/** Calls that an error has in common with its cause are told with the cause alone. */
const SHARED = /^\s+\.\.\. \d+ lines matching cause stack trace \.\.\.$/u

const isCall = (line: string): boolean => /^\s+at \S/u.test(line) || SHARED.test(line)

function frameOf(line: string): readonly ReportedPlace[] {
  if (SHARED.test(line)) return []
  const [, name, file = '<unknown>', row, column] = matchLine(CALL, line) ?? []
  const isNamed = name !== undefined && !/(?:^|\.)<anonymous>$/u.test(name)
  const place = { file: decodedPath(file), line: Number(row ?? 0), ...(isNamed && { function: name }) }
  return [column === undefined ? { ...place, file: '<native>' } : { ...place, column: Number(column) }]
}

/** The path in a file address. */
export function decodedPath(file: string): string {
  try {
    return decodeURIComponent(file)
  } catch {
    return file
  }
}

/** What stands in an error's braces. */
function read(lines: readonly string[], depth: number): Omit<InspectedError, 'message' | 'frames'> {
  const properties = new Map<string, string[]>()
  let open: string[] | undefined
  for (const line of lines) {
    if (line === '}') break
    const [, name, value] = PROPERTY.exec(line) ?? []
    if (name !== undefined && value !== undefined) {
      open = [value]
      properties.set(name, open)
    } else open?.push(line.replace(/^ {2}/u, ''))
  }
  if (depth >= DEEPEST) return { members: [] }
  const causeLines = properties.get('[cause]')
  const cause = causeLines === undefined ? undefined : parseInspected(causeLines, depth + 1)
  const [expected, actual] = [textOf(properties.get('expected')), textOf(properties.get('actual'))]
  return {
    members: membersOf(properties.get('[errors]') ?? [], depth),
    ...(cause !== undefined && { cause }),
    ...(expected !== undefined && { expected }),
    ...(actual !== undefined && { actual }),
  }
}

const textOf = (lines: readonly string[] | undefined): string | undefined =>
  lines?.join('\n').replace(/,$/u, '')

/** The errors in `[ … ]`, each at the same depth; further lines of a message have no calls before them yet. */
function membersOf(lines: readonly string[], depth: number): readonly InspectedError[] {
  const members: string[][] = []
  for (const line of lines.slice(1)) {
    if (/^\s*\],?$/u.test(line) && !/^ {4}/u.test(line)) break
    const inner = line.replace(/^ {2}/u, '')
    const last = members.at(-1)
    const isComplete = last === undefined || last.some(isCall) || BRACKETED.test(last[0] ?? '')
    if (/^[^\s}\]]/u.test(inner) && isComplete) members.push([inner])
    else last?.push(inner)
  }
  return members.flatMap((member) => parseInspected(member, depth + 1) ?? [])
}
