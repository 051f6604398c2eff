// What vitest printed → tests and failures.
import { matchLine, type ReportedError, type ReportedPlace } from '../reported.js'
import { isSourceLine, toReportedError } from './javascript-error.js'
import { nextLine } from './line-search.js'
import type { PrintedFailure, PrintedReport, TestOutcome } from './test-output.js'

const RUN = /^ (?:RUN|DEV) {2}v\d+\.\d+\.\S+ (\/.+|[A-Za-z]:[\\/].+)$/u
const FAIL = /^ FAIL {2}(\S.*)$/u
const RULE = /^⎯{3,}/u
const NUMBERED = /^⎯+\[\d+\/\d+\]⎯+$/u
const HEADING = /^⎯+ ([A-Z][\w ]+) ⎯+$/u
const UNCAUGHT =
  /^(?:Uncaught Exception|Unhandled Rejection|Unhandled Error|Vitest .+|Typecheck Error|Startup Error)$/u
const CALL = /^ ❯ (?:(.+) )?(\S+):(\d+):(\d+)$/u
const CAUSE = /^Caused by: (.*)$/u
const ORIGIN = /^This error originated in "(.+)" test file\./u
const TOTAL = /^ {6}Tests {2}(?:\d+ \w+|no tests)/u
const NONE = /^No test files found, exiting with code \d/u
const FILES = /^ Test Files {2}(?:\d+ |no tests)/u
const DURATION = / \d+(?:\.\d+)?m?s$/u
const MARKED = /^( +)([✓×↓□❯]) (\S.*)$/u
const FILE_LINE = /^(?:\|.+?\| )?(\S.*?) \(\d+ tests?(?: \| .+)?\)(?: \d+ms)?$/u
const STATUS: Readonly<Record<string, TestOutcome['status']>> = {
  '✓': 'pass',
  '×': 'fail',
  '↓': 'skip',
  '□': 'skip',
}

/** Reads the default, verbose and dot reporters. */
export function readVitest(lines: readonly string[]): PrintedReport | undefined {
  const root = lines.map((line) => matchLine(RUN, line)?.[1]).find((one) => one !== undefined)
  const headings = failHeadings(lines)
  const hasRule = lines.some((line) => NUMBERED.test(line) || HEADING.test(line))
  const complete = lines.some((line) => TOTAL.test(line) || NONE.test(line)) && root !== undefined
  const isVitest =
    root !== undefined || (headings.length > 0 && hasRule) || lines.some((line) => FILES.test(line))
  if (!isVitest) return undefined
  const failed = headings.map(({ start, inSuites }) => failedTest(lines, start, inSuites))
  // Without the verbose reporter the groups of a test are not told.
  const told = new Set(
    failed.flatMap(({ test: { file, name } }) => tailsOf(name).map((tail) => `${file}\n${tail}`)),
  )
  const listed = listedTests(lines).filter(
    ({ file, name, status }) => status !== 'fail' || !told.has(`${file}\n${name}`),
  )
  return {
    runner: 'vitest',
    tests: [...listed, ...failed.map(({ test }) => test)].filter(({ name }) => name !== ''),
    failures: [...failed.map(({ failure }) => failure), ...uncaught(lines)],
    complete: complete || lines.some((line) => TOTAL.test(line)),
    ...(root !== undefined && { root }),
  }
}

/** A name with all of its groups, with fewer, and alone. */
const tailsOf = (name: string): string[] => {
  const parts = name.split(' > ')
  return parts.map((_, index) => parts.slice(index).join(' > '))
}

/** Where failures begin, and whether they stand among those of suites. */
function failHeadings(lines: readonly string[]): { start: number; inSuites: boolean }[] {
  const headings: { start: number; inSuites: boolean }[] = []
  let inSuites = false
  for (const [start, line] of lines.entries()) {
    if (HEADING.test(line)) inSuites = line.includes(' Failed Suites ')
    else if (FAIL.test(line)) headings.push({ start, inSuites })
  }
  return headings
}

interface Failed {
  readonly test: TestOutcome
  readonly failure: PrintedFailure
}

/** `file > group > test`, or `file [ file ]` for one that could not be loaded. */
function failedTest(lines: readonly string[], start: number, inSuites: boolean): Failed {
  const title = (FAIL.exec(lines[start] ?? '')?.[1] ?? '').replace(/^\|.+?\| /u, '')
  const notLoaded = / \[ .+ \]$/u.test(title)
  const [file = '', ...names] = title.replace(/ \[ .+ \]$/u, '').split(' > ')
  const name = names.join(' > ')
  // Tests that failed in the same way share what is told below the last of them.
  const body = nextLine(lines, start, (line) => !FAIL.test(line))
  const end = nextLine(lines, body, (line) => RULE.test(line) || FAIL.test(line))
  const error = readError(lines.slice(body, end), !notLoaded)
  // A suite fails by its hooks, or because it could not be loaded.
  const status = notLoaded || inSuites ? 'error' : 'fail'
  return { test: { name, file, status }, failure: { test: name === '' ? file : name, error } }
}

function readError(lines: readonly string[], ran: boolean): ReportedError {
  const caused = lines.findIndex((line) => CAUSE.test(line))
  const own = caused === -1 ? lines : lines.slice(0, caused)
  const end = own.findIndex((line) => matchLine(CALL, line) !== null)
  const serialized = own.findIndex((line) => /^Serialized Error: /u.test(line))
  const stop = [end, serialized].filter((one) => one !== -1)
  const message = own.slice(0, Math.min(own.length, ...stop)).join('\n')
  const cause =
    caused === -1
      ? undefined
      : readError([CAUSE.exec(lines[caused] ?? '')?.[1] ?? '', ...lines.slice(caused + 1)], ran)
  return toReportedError({ message, calls: own.flatMap(callOf), ...(cause !== undefined && { cause }) }, ran)
}

function callOf(line: string): readonly ReportedPlace[] {
  if (isSourceLine(line)) return []
  const [, name, file, row, column] = matchLine(CALL, line) ?? []
  if (file === undefined) return []
  return [{ file, line: Number(row), column: Number(column), ...(name !== undefined && { function: name }) }]
}

/** Errors outside of any test. */
function uncaught(lines: readonly string[]): readonly PrintedFailure[] {
  return lines.flatMap((line, start) => {
    if (!UNCAUGHT.test(matchLine(HEADING, line)?.[1] ?? '')) return []
    const end = nextLine(lines, start + 1, (one) => RULE.test(one) || ORIGIN.test(one))
    const origin = ORIGIN.exec(lines[end] ?? '')?.[1]
    const error = readError(lines.slice(start + 1, end), true)
    return [{ error, ...(origin !== undefined && { test: origin }) }]
  })
}

/** The lists of tests: whole names in the verbose reporter, names alone below their file in the default one. */
function listedTests(lines: readonly string[]): readonly TestOutcome[] {
  const tests: TestOutcome[] = []
  let file: string | undefined
  for (const line of lines) {
    const [, indent = '', mark = '', rest = ''] = matchLine(MARKED, line) ?? []
    if (mark === '') {
      if (line === '') file = undefined
      continue
    }
    const named = indent.length === 1 ? matchLine(FILE_LINE, rest)?.[1] : undefined
    const status = STATUS[mark]
    if (named !== undefined) file = named
    if (named !== undefined || status === undefined) continue
    const text = rest.replace(DURATION, '')
    const parts = text.split(' > ')
    if (indent.length === 1 && parts.length > 1)
      tests.push({
        name: parts.slice(1).join(' > '),
        file: (parts[0] ?? '').replace(/^\|.+?\| /u, ''),
        status,
      })
    else if (file !== undefined && indent.length > 1) tests.push({ name: text, file, status })
  }
  return tests
}
