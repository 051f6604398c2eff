// TAP as node:test and vitest print it → tests and failures.

import { withMembers } from '../node-errors.js'
import { parseInspected } from '../node-inspected.js'
import { matchLine, type ReportedError } from '../reported.js'
import { toReportedError } from './javascript-error.js'
import { fileFailure, followsFromOthers, isFailedFile } from './node-error.js'
import { type Details, readDetails } from './tap-details.js'
import type { PrintedFailure, PrintedReport, TestOutcome } from './test-output.js'

const POINT = /^((?: {4})*)(not ok|ok) \d+(?: - (.*?))?(?: # (SKIP|TODO)\b.*)?( \{)?$/u
const TIME = / # time=[\d.]+m?s$/u
const SUBTEST = /^((?: {4})*)# Subtest: (.*)$/u
const PLAN = /^1\.\.\d+$/u
const TOTAL = /^# (?:fail|pass) \d+$/u
const COMMENT = /^# (.*)$/u
const MARK = /^ *---$/u

interface Point {
  readonly ok: boolean
  readonly name: string
  readonly note: string | undefined
  readonly depth: number
  /** The groups around it, as comments named them. */
  readonly groups: readonly string[]
  readonly opens: boolean
  readonly details: Details
  /** Comments since the point before: what a file printed. */
  readonly before: readonly string[]
}

/** Reads TAP with the details that these two runners add; other TAP is not known. */
export function readTap(lines: readonly string[]): PrintedReport | undefined {
  const isVitest = lines.some((line) => /^ *(?:not )?ok \d+ - .* # time=/u.test(line.slice(0, 500)))
  const isNode = lines.some((line) => SUBTEST.test(line.slice(0, 500)))
  if (!isVitest && !isNode) return undefined
  const points = pointsOf(lines)
  const { tests, failures } = isVitest ? readVitestPoints(points) : readNodePoints(points)
  const complete = isVitest ? lines.some((line) => PLAN.test(line)) : lines.some((line) => TOTAL.test(line))
  return { runner: isVitest ? 'vitest' : 'node:test', tests, failures, complete }
}

function pointsOf(lines: readonly string[]): readonly Point[] {
  const points: Point[] = []
  const groups: string[] = []
  let before: string[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = (lines[index] ?? '').replace(TIME, '').replace(/ # time=[\d.]+m?s \{$/u, ' {')
    const [, indent = '', ok, name = '', note, brace] = matchLine(POINT, line) ?? []
    if (ok === undefined) {
      const comment = matchLine(COMMENT, line)?.[1]
      const [, space, group] = matchLine(SUBTEST, line) ?? []
      if (space !== undefined && group !== undefined) begin(groups, space.length / 4, unescaped(group))
      else if (comment !== undefined) before.push(unescaped(comment))
      continue
    }
    const details = MARK.test(lines[index + 1] ?? '') ? readDetails(lines, index + 1) : undefined
    points.push({
      ok: ok === 'ok',
      name: unescaped(name),
      note,
      depth: indent.length / 4,
      groups: groups.slice(0, indent.length / 4),
      opens: brace !== undefined,
      details: details?.details ?? {},
      before,
    })
    before = []
    if (details !== undefined) index = details.end
  }
  return points
}

function begin(groups: string[], depth: number, name: string): void {
  groups.length = Math.min(groups.length, depth)
  groups.push(name)
}

const unescaped = (text: string): string => text.replace(/\\([\\#])/gu, '$1')

interface Read {
  readonly tests: readonly TestOutcome[]
  readonly failures: readonly PrintedFailure[]
}

/** In Node's TAP the points of a group stand before that of the group; what begins one is a comment. */
function readNodePoints(points: readonly Point[]): Read {
  const tests: TestOutcome[] = []
  const failures: PrintedFailure[] = []
  for (const point of points) {
    const name = [...point.groups, point.name].join(' > ')
    const { details } = point
    const isGroup = details.type === 'suite' || details.failureType === 'subtestsFailed'
    const file = details.location?.replace(/:\d+:\d+$/u, '')
    if (!isGroup) tests.push({ name, ...(file !== undefined && { file }), status: statusOf(point) })
    const said = details.error ?? ''
    if (point.ok || point.note !== undefined || followsFromOthers(said)) continue
    failures.push(
      isFailedFile(said) ? fileFailure(point.before, name) : { test: name, error: nodeError(details) },
    )
  }
  return { tests, failures }
}

function statusOf({ ok, note, details }: Point): TestOutcome['status'] {
  if (note !== undefined) return 'skip'
  if (ok) return 'pass'
  const said = details.error ?? ''
  return isFailedFile(said) || (followsFromOthers(said) && details.failureType !== 'subtestsFailed')
    ? 'error'
    : 'fail'
}

/** The error put together again as Node's inspector would print it. */
function nodeError({
  error = 'The test failed.',
  name,
  stack,
  expected,
  actual,
  failureType,
}: Details): ReportedError {
  const isTimeout = failureType === 'testTimeoutFailure'
  const head = name === undefined || isTimeout ? error : `${name}: ${error}`
  const calls = (stack ?? '').split('\n').filter((line) => line !== '')
  const inspected = parseInspected([head, ...calls.map((line) => `    at ${line}`)])
  const [whole] = inspected === undefined ? [] : withMembers(inspected, undefined)
  const kind = isTimeout ? 'timeout' : (whole?.kind ?? 'exception')
  const isCheck = kind === 'assertion'
  return {
    ...whole,
    kind,
    message: (whole?.message ?? error).trimEnd(),
    ...(isCheck && expected !== undefined && { expected }),
    ...(isCheck && actual !== undefined && { actual }),
  }
}

/** In vitest's TAP a group stands before its points, and the outermost is the file. */
function readVitestPoints(points: readonly Point[]): Read {
  const groups: string[] = []
  const tests: TestOutcome[] = []
  const failures: PrintedFailure[] = []
  for (const point of points) {
    groups.length = Math.min(groups.length, point.depth)
    groups[point.depth] = point.name
    const [file = '', ...names] = groups
    const name = names.join(' > ')
    const { error, at } = point.details
    if (point.depth > 0 && !point.opens) tests.push({ name, file, status: statusOf(point) })
    if (point.ok || error === undefined) continue
    failures.push({ test: name || file, error: vitestError(point.details, at) })
  }
  return { tests, failures }
}

function vitestError({ error = '', name, expected, actual }: Details, at: string | undefined): ReportedError {
  const [, file, row, column] = /^(.+):(\d+):(\d+)$/u.exec(at ?? '') ?? []
  const calls = file === undefined ? [] : [{ file, line: Number(row), column: Number(column) }]
  const whole = toReportedError({ message: name === undefined ? error : `${name}: ${error}`, calls }, true)
  return {
    ...whole,
    ...(expected !== undefined && { expected }),
    ...(actual !== undefined && { actual }),
  }
}
