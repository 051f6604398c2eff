// What the spec and dot reporters of node:test printed → tests and failures.
import { matchLine } from '../reported.js'
import { fileFailure, followsFromOthers, inspectedFailure, isFailedFile } from './node-error.js'
import type { PrintedFailure, PrintedReport, TestOutcome } from './test-output.js'

const ENTRY = /^((?: {2})*)([✔✖﹣▶]) (.+?)(?: \(\d[\d.e+-]*ms\))?( # .*)?$/u
const FAILING = /^(?:✖ failing tests:|Failed tests:)$/u
const AT = /^test at (.+?):\d+:\d+$/u
const COUNT = /^ℹ (tests|pass|fail|duration_ms) [\d.]+$/u

interface Entry {
  readonly mark: string
  readonly name: string
  readonly note: string
  readonly depth: number
  /** What stands below it, without its indentation. */
  readonly body: readonly string[]
  /** What was printed since the entry before. */
  readonly before: readonly string[]
}

/** Reads the spec reporter; of the dot reporter the list of what failed. */
export function readNodeSpec(lines: readonly string[]): PrintedReport | undefined {
  const counts = lines.flatMap((line) => COUNT.exec(line)?.[1] ?? [])
  const failing = lines.findIndex((line) => FAILING.test(line))
  const entries = entriesOf(failing === -1 ? lines : lines.slice(0, failing))
  const isSpec =
    counts.includes('fail') || (failing !== -1 && lines.slice(failing).some((line) => ENTRY.test(line)))
  if (
    !isSpec &&
    !entries.some(({ body }) => body.some((line) => /^ +at .*\bnode:internal\/test_runner\//u.test(line)))
  )
    return undefined

  const report = readEntries(entries)
  const again = failing === -1 ? [] : listedFailures(lines.slice(failing + 1))
  const files = filesOf(again)
  const tests = report.tests.map((test) => withFile(test, files))
  // Where the head was cut, some are told only here.
  const known = new Set(entries.map(({ name }) => name))
  const missing = again.filter(({ test }) => !known.has(test.name))
  return {
    runner: 'node:test',
    tests: [...tests, ...missing.map(({ test }) => test)],
    failures: [...report.failures, ...missing.flatMap(({ failure }) => failure ?? [])],
    complete: counts.includes('duration_ms') || (counts.length === 0 && failing !== -1),
  }
}

function entriesOf(lines: readonly string[]): readonly Entry[] {
  const entries: (Entry & { body: string[] })[] = []
  let before: string[] = []
  let indent = ''
  let open: string[] | undefined
  for (const line of lines) {
    const [, space = '', mark, name = '', note = ''] = matchLine(ENTRY, line) ?? []
    if (mark !== undefined) {
      open = []
      entries.push({ mark, name, note, depth: space.length / 2, body: open, before })
      before = []
      indent = `${space}  `
    } else if (open !== undefined && (line.startsWith(indent) || line.trim() === ''))
      open.push(line.slice(indent.length))
    else {
      open = undefined
      before.push(line)
    }
  }
  return entries
}

function readEntries(entries: readonly Entry[]): { tests: TestOutcome[]; failures: PrintedFailure[] } {
  const tests: TestOutcome[] = []
  const failures: PrintedFailure[] = []
  const groups: string[] = []
  const ends = endsOfGroups(entries)
  for (const [index, entry] of entries.entries()) {
    groups.length = Math.min(groups.length, entry.depth)
    const { mark, note, body } = entry
    if (mark === '▶') groups[entry.depth] = entry.name
    const name = [...groups.slice(0, entry.depth), entry.name].join(' > ')
    const said = body.join('\n').trim()
    if (mark !== '▶' && !ends.has(index)) tests.push({ name, status: statusOf(mark, note, said) })
    if (mark !== '✖' || isExpected(note) || said === '' || followsFromOthers(said)) continue
    failures.push(isFailedFile(said) ? fileFailure(entry.before, name) : inspectedFailure(body, name))
  }
  return { tests, failures }
}

/** A group is named where it begins and where it ends; it is no test. */
function endsOfGroups(entries: readonly Entry[]): ReadonlySet<number> {
  const ends = new Set<number>()
  const open: Entry[] = []
  for (const [index, entry] of entries.entries()) {
    while (open.length > entry.depth + 1) open.pop()
    if (entry.mark === '▶') {
      open.length = Math.min(open.length, entry.depth)
      open.push(entry)
    } else if (open.at(-1)?.depth === entry.depth && open.at(-1)?.name === entry.name) {
      ends.add(index)
      open.pop()
    }
  }
  return ends
}

const isExpected = (note: string): boolean => /^ # (?:TODO|SKIP)\b/u.test(note)

function statusOf(mark: string, note: string, said: string): TestOutcome['status'] {
  if (mark === '﹣' || isExpected(note)) return 'skip'
  if (mark === '✔') return 'pass'
  return isFailedFile(said) || (followsFromOthers(said) && !/subtest/u.test(said)) ? 'error' : 'fail'
}

const isGroup = (said: string): boolean => /^'?\d+ subtests? failed'?$/u.test(said)

interface Listed {
  readonly test: TestOutcome
  readonly failure?: PrintedFailure
}

/** The failures as they are told again at the end, with their places, and without the groups they are in. */
function listedFailures(lines: readonly string[]): readonly Listed[] {
  return entriesOf(lines).flatMap(({ mark, name, note, body, before }) => {
    const said = body.join('\n').trim()
    // A group that failed with its tests is no failure of its own.
    if (mark !== '✖' || isExpected(note) || isGroup(said)) return []
    const file = before.map((line) => AT.exec(line)?.[1]).findLast((one) => one !== undefined)
    const test = { name, ...(file !== undefined && { file }), status: statusOf(mark, note, said) }
    const isOwn = said !== '' && !followsFromOthers(said)
    const failure = isFailedFile(said) ? fileFailure([], name) : inspectedFailure(body, name)
    return [{ test, ...(isOwn && { failure }) }]
  })
}

const leafOf = (name: string): string => name.split(' > ').at(-1) ?? name

/** The file of each name that is told once. */
function filesOf(listed: readonly Listed[]): ReadonlyMap<string, string | undefined> {
  const files = new Map<string, string | undefined>()
  for (const { test } of listed) files.set(test.name, files.has(test.name) ? undefined : test.file)
  return files
}

function withFile(test: TestOutcome, files: ReadonlyMap<string, string | undefined>): TestOutcome {
  const file = test.status === 'pass' ? undefined : files.get(leafOf(test.name))
  return file === undefined ? test : { ...test, file }
}
