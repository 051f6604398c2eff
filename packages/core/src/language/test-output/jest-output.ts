// What jest printed → tests and failures.
import { matchLine, type ReportedError, type ReportedPlace } from '../reported.js'
import { isSourceLine, toReportedError } from './javascript-error.js'
import type { PrintedFailure, PrintedReport, TestOutcome } from './test-output.js'

const FILE = /^ ?(PASS|FAIL) {1,2}(\S.*?)(?: \(\d[\d.]* m?s\))?$/u
const TITLE = /^ {2}● (\S.*)$/u
const NOT_RUN = 'Test suite failed to run'
const TOTAL = /^Tests: +\d+ .*\btotal$/u
const SUITES = /^Test Suites: +\d+ .*\btotal$/u
const NONE = /^No tests found, exiting with code \d/u
/** What ends the failures of a file. */
const END =
  /^(?: › \d+ |Snapshot Summary$|Summary of all failing tests$|Test Suites: |A worker process has failed)/u
const CALL = /^ +at (?:(?:async |new )*(.+?) \()?([^\s()]+):(\d+):(\d+)\)?$/u
const CALLED = /^ +at \S/u
const CAUSE = /^ *Cause:$/u
const MARKED = /^( +)([✓✕○✎]) (?:(?:skipped|todo) )?(\S.*?)(?: \(\d[\d.]* m?s\))?$/u
const GROUP = /^( {2,})([^\s●✓✕○✎].*)$/u
const STATUS: Readonly<Record<string, TestOutcome['status']>> = {
  '✓': 'pass',
  '✕': 'fail',
  '○': 'skip',
  '✎': 'skip',
}

interface Failed {
  readonly test: TestOutcome
  readonly failure: PrintedFailure
}

/** Reads the default and the verbose reporter. */
export function readJest(lines: readonly string[]): PrintedReport | undefined {
  const files = lines.flatMap((line, index) => (matchLine(FILE, line) === null ? [] : [index]))
  const complete = lines.some((line) => TOTAL.test(line) || NONE.test(line))
  const isJest =
    lines.some((line) => SUITES.test(line) || NONE.test(line)) ||
    (files.length > 0 && lines.some((line) => TITLE.test(line) || matchLine(MARKED, line) !== null))
  if (!isJest) return undefined
  // Many failures are told again at the end.
  const starts = lines.slice(0, files[0]).some((line) => TITLE.test(line)) ? [-1, ...files] : files
  const failed = new Map<string, Failed>()
  const tests = new Map<string, TestOutcome>()
  for (const [at, start] of starts.entries()) {
    const file = matchLine(FILE, lines[start] ?? '')?.[2]?.replace(/^\.\//u, '')
    const part = lines.slice(start + 1, starts[at + 1])
    for (const test of listedTests(part, file)) tests.set(`${test.file}\n${test.name}`, test)
    for (const one of failedTests(part, file)) {
      const key = `${one.test.file}\n${one.test.name}`
      failed.set(key, failed.get(key) ?? one)
      if (one.test.name !== '') tests.set(key, one.test)
    }
  }
  return {
    runner: 'jest',
    tests: [...tests.values()],
    failures: [...failed.values()].map(({ failure }) => failure),
    complete,
  }
}

function failedTests(lines: readonly string[], file: string | undefined): readonly Failed[] {
  const starts = lines.flatMap((line, index) => (TITLE.test(line) ? [index] : []))
  return starts.flatMap((start, at) => {
    const title = TITLE.exec(lines[start] ?? '')?.[1] ?? ''
    if (title === 'Console') return []
    const rest = lines.slice(start + 1, starts[at + 1])
    const end = rest.findIndex((line) => END.test(line))
    const isSuite = title === NOT_RUN
    const name = isSuite ? '' : title.split(' › ').join(' > ')
    const body = (end === -1 ? rest : rest.slice(0, end)).map((line) => line.replace(/^ {4}/u, ''))
    const test = { name, ...(file !== undefined && { file }), status: isSuite ? 'error' : 'fail' } as const
    const shown = name === '' ? file : name
    return [
      { test, failure: { error: readError(body, !isSuite), ...(shown !== undefined && { test: shown }) } },
    ]
  })
}

function readError(lines: readonly string[], ran: boolean): ReportedError {
  const caused = lines.findIndex((line) => CAUSE.test(line))
  const own = caused === -1 ? lines : lines.slice(0, caused)
  const cause =
    caused === -1
      ? undefined
      : readError(
          lines.slice(caused + 1).map((line) => line.replace(/^ {4}/u, '')),
          ran,
        )
  const details = own.indexOf('Details:')
  const said = details === -1 ? own : own.slice(details + 1)
  const end = said.findIndex((line) => isFrameOrSource(line))
  const text = said.slice(0, end === -1 ? said.length : end)
  const message = (details === -1 ? text : syntaxFirst(said)).join('\n').trim()
  const calls = own.flatMap(callOf)
  // What is not an Error is told twice, the second time with its place.
  if (calls.every(({ file }) => file.includes('node_modules')) && cause?.message === message) return cause
  return toReportedError({ message, calls, ...(cause !== undefined && { cause }) }, ran)
}

const isFrameOrSource = (line: string): boolean => CALLED.test(line) || isSourceLine(line)

/** Of a file that could not be read, the error's own line first, then the place and the line. */
function syntaxFirst(lines: readonly string[]): readonly string[] {
  const kept = lines.filter((line) => !CALLED.test(line))
  const at = kept.findIndex((line) => /^\w*Error: /u.test(line))
  return at === -1 ? kept : [kept[at] ?? '', ...kept.slice(0, at)]
}

function callOf(line: string): readonly ReportedPlace[] {
  const [, name, file, row, column] = matchLine(CALL, line) ?? []
  if (file === undefined) return []
  const isNamed = name !== undefined && !/(?:^|\.)<anonymous>$/u.test(name)
  return [{ file, line: Number(row), column: Number(column), ...(isNamed && { function: name }) }]
}

/** The list of the verbose reporter: groups by their indentation, tests with a mark. */
function listedTests(lines: readonly string[], file: string | undefined): readonly TestOutcome[] {
  const tests: TestOutcome[] = []
  const groups: { readonly column: number; readonly name: string }[] = []
  for (const line of lines) {
    if (line.trim() === '') break
    const [, indent = '', mark = '', name = ''] = matchLine(MARKED, line) ?? []
    const [, groupIndent = '', group = ''] = mark === '' ? (matchLine(GROUP, line) ?? []) : []
    if (mark === '' && group === '') break
    const column = mark === '' ? groupIndent.length : indent.length
    while ((groups.at(-1)?.column ?? -1) >= column) groups.pop()
    if (mark === '') groups.push({ column, name: group })
    else {
      const whole = [...groups.map((one) => one.name), name].join(' > ')
      tests.push({ name: whole, ...(file !== undefined && { file }), status: STATUS[mark] ?? 'skip' })
    }
  }
  return tests
}
