// What pytest printed → tests and failures: its sections, its lists of tests, its summary.
import { parseTracebacks } from '../python-traceback.js'
import { matchLine } from '../reported.js'
import { nextLine } from './line-search.js'
import { readPytestBlock, readPytestLines, toldOnly } from './pytest-failure.js'
import type { PrintedFailure, PrintedReport, TestOutcome } from './test-output.js'
import { withoutTraceback } from './unittest-output.js'

const SECTION =
  /^=+ (test session starts|ERRORS|FAILURES|XFAILURES|XPASSES|PASSES|warnings summary|short test summary info|rerun test summary info|(?:slowest|tests coverage|coverage:).*|warnings summary .*) =+$/u
const BLOCK = /^_+ (\S.*?) _+$/u
const RULE = /^(?:_ ){3,}/u
const FINAL =
  /^(?:=+ )?(?:\d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun|subtests passed|subtests failed|subtests skipped)(?:, )?)+ in \d[\d.]*s(?: \([\d:, a-z]+\))?(?: =+)?$/u
const NO_TESTS = /^(?:=+ )?no tests (?:ran|collected)(?:, .+| \(.+\))? in \d[\d.]*s(?: =+)?$/u
const WORD = '(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)'
/** `path::test PASSED  [ 12%]`, and what pytest-xdist makes of it. */
const VERBOSE = new RegExp(
  `^([^\\s:[|]+\\.\\w+::.*?) ${WORD}(?: \\(.*\\)?)? *(?:\\[ *\\d+(?:%|/\\d+)\\])?$`,
  'u',
)
const WORKER = new RegExp(`^\\[gw\\d+\\] \\[ *\\d+(?:%|/\\d+)\\] ${WORD} (\\S.*?) *$`, 'u')
const SUMMARY = new RegExp(`^${WORD} (\\S.*)$`, 'u')
const ROOT = /^rootdir: (\/[^,]+?)(?:, .*)?$/u
const INTERNAL = /^INTERNALERROR> ?/u
/** Before anything else; pytest says no more then. */
const CONFTEST = /^ImportError while loading conftest '/u
const SUBTESTS = /^contains \d+ failed subtests?$/u
const USAGE = /^ERROR: (.+)$/u
const FIXTURE = /^ERROR at (?:setup|teardown) of (.+)$/u
const COLLECTING = /^ERROR collecting (.+)$/u
const STATUS: Readonly<Record<string, TestOutcome['status']>> = {
  PASSED: 'pass',
  FAILED: 'fail',
  ERROR: 'error',
  SKIPPED: 'skip',
  XFAIL: 'skip',
  XPASS: 'pass',
}

/** A line of the short summary that tells of a failure. */
interface SummaryLine {
  readonly word: string
  readonly test: Omit<TestOutcome, 'status'>
  readonly message?: string
}

/** A failure as a section holds it. */
interface Block {
  /** Absent with `--tb=line`. */
  readonly title?: string
  /** The first line of its message, with `--tb=line`. */
  readonly said?: string
  readonly lines: readonly string[]
}

/** Reads pytest's terminal report, whatever `--tb`, `-q`, `-v`, `-r` and `-n` it was started with. */
export function readPytest(lines: readonly string[]): PrintedReport | undefined {
  const isInternal = lines.some((line) => INTERNAL.test(line))
  const complete = lines.some((line) => FINAL.test(line) || NO_TESTS.test(line) || CONFTEST.test(line))
  const sections = lines.flatMap((line, index) => (matchLine(SECTION, line) === null ? [] : [index]))
  const tests = new Map<string, TestOutcome>()
  for (const [word, test] of lines.flatMap(listedTest))
    tests.set(keyOf(test), { ...test, status: statusOf(word) })
  if (!isInternal && !complete && sections.length === 0 && tests.size === 0) return undefined

  const summary = summaryLines(lines, sections)
  for (const { word, test } of summary)
    if (test.name !== '') tests.set(keyOf(test), { ...test, status: statusOf(word) })
  const failures = [...sectionFailures(lines, sections, summary), ...outsideFailures(lines, isInternal)]
  const root = lines.map((line) => matchLine(ROOT, line)?.[1]).find((one) => one !== undefined)
  return {
    runner: 'pytest',
    tests: [...tests.values()],
    failures,
    complete,
    ...(root !== undefined && { root }),
  }
}

const statusOf = (word: string): TestOutcome['status'] => STATUS[word] ?? 'error'

const keyOf = ({ file, name }: Omit<TestOutcome, 'status'>): string => `${file}::${name}`

/** `path::Class::test[id]` in its two parts; an id may hold anything, so the first colons count. */
function testOf(id: string): Omit<TestOutcome, 'status'> {
  const at = id.indexOf('::')
  return at === -1 ? { name: '', file: id } : { name: id.slice(at + 2), file: id.slice(0, at) }
}

function listedTest(line: string): readonly (readonly [word: string, test: Omit<TestOutcome, 'status'>])[] {
  const [, id, word] = matchLine(VERBOSE, line) ?? []
  if (id !== undefined && word !== undefined) return [[word, testOf(id)]]
  const [, workersWord, workersId] = matchLine(WORKER, line) ?? []
  return workersId === undefined || workersWord === undefined ? [] : [[workersWord, testOf(workersId)]]
}

function summaryLines(lines: readonly string[], sections: readonly number[]): readonly SummaryLine[] {
  const start = sections.findLast((index) => / short test summary info /u.test(lines[index] ?? ''))
  if (start === undefined) return []
  const found: SummaryLine[] = []
  for (const line of lines.slice(start + 1)) {
    if (/^[=!]+ /u.test(line) || FINAL.test(line)) break
    const [, word, rest = ''] = matchLine(SUMMARY, line) ?? []
    // Of a test that was skipped only the place is told: `SKIPPED [1] path:line: reason`.
    if (word === undefined || (word === 'SKIPPED' && /^\[\d+\] /u.test(rest))) continue
    const end = endOfId(rest)
    const message = rest.slice(end + 3).trim()
    found.push({ word, test: testOf(rest.slice(0, end)), ...(message !== '' && { message }) })
  }
  return found
}

/** Where the name ends and ` - message` begins: not within the brackets of a parametrised test, which may hold any text. */
function endOfId(text: string): number {
  const first = text.indexOf(' - ')
  for (let at = first; at !== -1; at = text.indexOf(' - ', at + 1)) {
    const before = text.slice(0, at)
    if (before.split('[').length === before.split(']').length) return at
  }
  return first === -1 || text.endsWith(']') ? text.length : first
}

function sectionFailures(
  lines: readonly string[],
  sections: readonly number[],
  summary: readonly SummaryLine[],
): readonly PrintedFailure[] {
  const open = { FAILED: summary.filter(isWord('FAILED')), ERROR: summary.filter(isWord('ERROR')) }
  const failures: PrintedFailure[] = []
  for (const [at, start] of sections.entries()) {
    const title = lines[start] ?? ''
    if (!/ (?:ERRORS|FAILURES) /u.test(title)) continue
    const end = sections[at + 1] ?? endOfReport(lines, start)
    const word = title.includes(' ERRORS ') ? 'ERROR' : 'FAILED'
    for (const block of blocksOf(lines.slice(start + 1, end))) {
      const line = takeLine(open[word], block)
      // Its subtests are told above.
      if (!block.lines.some((one) => SUBTESTS.test(one))) failures.push(failureOf(block, line))
    }
  }
  // With --tb=no, or where the sections were cut, the summary is all that is known.
  return [...failures, ...[...open.ERROR, ...open.FAILED].map(fromSummary)]
}

const isWord =
  (word: string) =>
  (line: SummaryLine): boolean =>
    line.word === word

/** Where nothing more of a report stands, the last section ends with its final line. */
const endOfReport = (lines: readonly string[], start: number): number =>
  nextLine(lines, start + 1, (line) => FINAL.test(line) || /^!{3,} .+ !{3,}$/u.test(line))

function blocksOf(lines: readonly string[]): readonly Block[] {
  const starts = lines.flatMap((line, index) =>
    !RULE.test(line) && matchLine(BLOCK, line) !== null ? [index] : [],
  )
  const blocks = starts.map((start, at) => ({
    title: BLOCK.exec(lines[start] ?? '')?.[1] ?? '',
    lines: lines.slice(start + 1, starts[at + 1]),
  }))
  return [...readPytestLines(lines.slice(0, starts[0])), ...blocks]
}

const plain = (name: string): string => name.replaceAll('::', '.')

/** The line of the summary that tells of the same test; each is taken once. */
function takeLine(open: SummaryLine[], block: Block): SummaryLine | undefined {
  const same = open.filter((line) => isOf(line, block))
  const found = same.find(({ test }) => block.lines.some((line) => line.includes(`${test.file}:`))) ?? same[0]
  if (found !== undefined) open.splice(open.indexOf(found), 1)
  return found
}

function isOf({ test, message = '' }: SummaryLine, { title, said = '' }: Block): boolean {
  // The summary cuts a message to the width of the terminal.
  if (title === undefined) return said.startsWith(message.replace(/\.\.\.$/u, ''))
  const collected = COLLECTING.exec(title)?.[1]
  if (collected !== undefined) return test.file === collected
  return plain(test.name) === plain(FIXTURE.exec(title)?.[1] ?? title)
}

function failureOf({ title, lines }: Block, line: SummaryLine | undefined): PrintedFailure {
  const collected = title === undefined ? undefined : COLLECTING.exec(title)?.[1]
  const name = line?.test.name || (title === undefined ? undefined : (FIXTURE.exec(title)?.[1] ?? title))
  const test = collected ?? name
  return { ...(test !== undefined && { test }), ...readPytestBlock(lines) }
}

function fromSummary({ test, message }: SummaryLine): PrintedFailure {
  const name = test.name === '' ? (test.file ?? '') : test.name
  return { test: name, ...toldOnly(message ?? `${name} failed.`) }
}

/** What broke pytest itself, and what it could not make of its arguments. */
function outsideFailures(lines: readonly string[], isInternal: boolean): readonly PrintedFailure[] {
  if (isInternal) {
    const text = lines.filter((line) => INTERNAL.test(line)).map((line) => line.replace(INTERNAL, ''))
    const raised = parseTracebacks(text.join('\n'), { omittedBytes: 0 }).at(-1)
    return [{ raised: raised ?? withoutTraceback(text.join('\n').trim()) }]
  }
  const conftest = lines.findLastIndex((line) => CONFTEST.test(line))
  if (conftest !== -1) {
    const below = lines.slice(conftest + 1)
    // Where the report is cut off, its first line is what is known.
    return [readPytestBlock(below.join('').trim() === '' ? lines.slice(conftest, conftest + 1) : below)]
  }
  const end = lines.findLastIndex((line) => NO_TESTS.test(line))
  const usage = end === -1 ? undefined : lines.slice(end).map((line) => matchLine(USAGE, line)?.[0])
  const message = usage?.find((one) => one !== undefined)
  return message === undefined ? [] : [{ raised: withoutTraceback(message) }]
}
