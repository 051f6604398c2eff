// An error as node:test prints it → the errors that it holds.
import { readNodeErrors, withMembers } from '../node-errors.js'
import { parseInspected } from '../node-inspected.js'
import type { ReportedError } from '../reported.js'
import type { PrintedFailure } from './test-output.js'

const TIMEOUT = /\btest timed out after \d/u
/** Node told of what came after the end of a test. */
const LATE =
  /^(?:Error|Warning): .+ created the error "(.*)" and would have |^(?:Error|Warning): .+ created the error "(.*)" which triggered/u
/** What only says that something below it failed. */
const FOLLOWS = /^'?(?:\d+ subtests? failed|test did not finish before its parent and was cancelled)'?$/u
const FILE_FAILED = /^'?test failed'?$/u

/** True for the words of a test whose own subtests failed, or whose suite did. */
export const followsFromOthers = (text: string): boolean => FOLLOWS.test(text.trim())

/** True for the words of a file that could not be run to its end. */
export const isFailedFile = (text: string): boolean => FILE_FAILED.test(text.trim())

/** The failure of a test, from the lines that Node's inspector printed of its error. */
export function inspectedFailure(lines: readonly string[], test: string): PrintedFailure {
  const inspected = parseInspected(lines)
  const [error] = inspected === undefined ? [] : withMembers(inspected, undefined)
  return {
    test,
    error: error === undefined ? { kind: 'exception', message: 'The test failed.' } : cleaned(error),
  }
}

/** Node wraps what a test threw, and says so in its name. */
function cleaned(error: ReportedError): ReportedError {
  const message = error.message
    .replace(/^(\w+) \[Error\](?=: |$)/u, '$1')
    .replace(/^Error \[(\w+Error)\](?=: |$)/u, '$1')
    .replace(/^'([^\n]*)'$/u, '$1')
  const { cause, kind } = error
  return {
    ...error,
    message,
    kind: TIMEOUT.test(message) ? 'timeout' : kind,
    ...(cause !== undefined && { cause: cleaned(cause) }),
  }
}

/** Why a file could not be run to its end, from what it printed before that was said. */
export function fileFailure(printed: readonly string[], test: string): PrintedFailure {
  const read = readNodeErrors(printed.join('\n'), { kind: 'exit', code: 1 }, '')
  const [error] = read.explains ? read.errors : []
  if (error !== undefined) return { test, error }
  const late = printed.map((line) => LATE.exec(line.replace(/^ℹ /u, ''))).find((match) => match !== null)
  const message = late?.[1] ?? late?.[2] ?? `${test} ended before its tests were done.`
  return { test, error: { kind: late === undefined ? 'early-exit' : 'exception', message } }
}
