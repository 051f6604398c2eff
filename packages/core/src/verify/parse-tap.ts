// The Test Anything Protocol, versions 12 to 14, as node:test, prove, bats and others write it → tests.
import {
  boundedDetails,
  boundedName,
  MOST_TESTS,
  type ReportedCase,
  type ReportReading,
  reportText,
} from './test-report.js'

const TEST = /^( *)(not )?ok\b(?:\s+(\d+))?(?:\s+-)?\s*(.*)$/u
const PLAN = /^( *)1\.\.(\d+)(?:\s*#\s*(.*))?$/u
const DIRECTIVE = /(?:^|[^\\])#\s*(skip\S*|todo)\b:?\s*(.*)$/iu
const LONGEST_LINE = 10_000

/** One level of subtests that is being read. */
interface Level {
  readonly indent: number
  count: number
  planned: number | undefined
  readonly tests: ReportedCase[]
}

/**
 * Reads a TAP stream. Subtests are reported instead of the test that holds them; `# SKIP` and `# TODO` did not run.
 *
 * Strict in what makes a stream complete: `Bail out!`, no plan, and a plan of another number than there are tests, at any
 * level, are no report; nor are more than 32 MiB or 100 000 tests. Lines that are no TAP are passed over.
 *
 * @param report - text, or bytes in UTF-8
 * @returns never throws, whatever the text
 */
export function parseTap(report: string | Uint8Array): ReportReading {
  const read = reportText(report)
  if ('problem' in read) return { ok: false, problem: read.problem }
  return new TapReader().read(read.text.split(/\r?\n/u))
}

class TapReader {
  readonly #levels: Level[] = [level(0)]
  #problem: string | undefined
  #total = 0
  /** The test that a block of details would be about. */
  #last: { tests: ReportedCase[]; at: number } | undefined
  /** The indentation of a YAML block that is open, and its lines. */
  #block: { indent: string; lines: string[] } | undefined

  read(lines: readonly string[]): ReportReading {
    for (const line of lines) {
      if (this.#problem !== undefined) break
      if (line.length <= LONGEST_LINE) this.#line(line)
    }
    if (this.#block !== undefined) this.#problem ??= 'it ends within a block of details'
    if (this.#levels.length > 1) this.#problem ??= 'it ends within subtests'
    const root = this.#levels[0] ?? level(0)
    this.#problem ??= planProblem(root)
    return this.#problem === undefined
      ? { ok: true, tests: root.tests }
      : { ok: false, problem: this.#problem }
  }

  #line(line: string): void {
    const plan = PLAN.exec(line)
    const test = TEST.exec(line)
    if (this.#block !== undefined) this.#inBlock(line)
    else if (/^\s+---\s*$/u.test(line)) this.#block = { indent: line.slice(0, line.indexOf('-')), lines: [] }
    else if (/^\s*Bail out!/u.test(line)) this.#problem = `the runner gave up: ${line.trim().slice(0, 200)}`
    else if (plan !== null) this.#plan(plan[1]?.length ?? 0, Number(plan[2]))
    else if (test !== null) this.#test(test)
  }

  #inBlock(line: string): void {
    const block = this.#block
    if (block === undefined) return
    if (line !== `${block.indent}...`) {
      block.lines.push(line)
      return
    }
    this.#block = undefined
    const { tests = [], at = 0 } = this.#last ?? {}
    const about = tests[at]
    if (about?.status === 'fail') tests[at] = { ...about, ...detailsOf(block.lines) }
  }

  #plan(indent: number, planned: number): void {
    const at = this.#levelAt(indent)
    if (at === undefined) return
    if (at.planned !== undefined) this.#problem = 'it holds two plans'
    at.planned = planned
  }

  #test([, indent = '', not, number, rest = '']: RegExpExecArray): void {
    const inner = this.#levels.at(-1)
    const at = this.#levelAt(indent.length, true)
    if (at === undefined) return
    at.count++
    if (number !== undefined && Number(number) !== at.count)
      this.#problem = `test ${number} stands where test ${at.count} should`
    if (++this.#total > MOST_TESTS) this.#problem = `it holds more than ${MOST_TESTS} tests`
    const one = caseOf(rest, not !== undefined)
    const within = inner !== undefined && inner !== at && inner.indent > at.indent ? inner.tests : []
    const named = within.map((test) => ({ ...test, name: boundedName(`${one.name}.${test.name}`) }))
    // A failure of the whole that none of its parts explains is one of its own.
    const isTold =
      named.length > 0 && (one.status !== 'fail' || named.some(({ status }) => status === 'fail'))
    at.tests.push(...named, ...(isTold ? [] : [one]))
    this.#last = isTold ? undefined : { tests: at.tests, at: at.tests.length - 1 }
  }

  /** The level of that indentation; deeper ones end, and must be complete, at a test that closes them. */
  #levelAt(indent: number, closes = false): Level | undefined {
    const current = this.#levels.at(-1)
    if (current === undefined || indent === current.indent) return current
    if (indent > current.indent) {
      if (this.#levels.length > 50) this.#problem = 'its subtests are nested deeper than 50'
      const deeper = level(indent)
      this.#levels.push(deeper)
      return deeper
    }
    if (!closes) return undefined
    const problem = planProblem(current)
    if (problem !== undefined) this.#problem = problem
    this.#levels.pop()
    const outer = this.#levels.at(-1)
    if (outer?.indent !== indent) this.#problem = 'its subtests end at an indentation that nothing has'
    return outer
  }
}

const level = (indent: number): Level => ({ indent, count: 0, planned: undefined, tests: [] })

function planProblem({ planned, count }: Level): string | undefined {
  if (planned === undefined) return 'it holds no plan, so that it may have been cut'
  return planned === count ? undefined : `it plans ${planned} tests and holds ${count}`
}

function caseOf(rest: string, failed: boolean): ReportedCase {
  const directive = DIRECTIVE.exec(rest)
  const start = directive === null ? rest.length : directive.index + (rest[directive.index] === '#' ? 0 : 1)
  const told = rest.slice(0, start).trim()
  const name = boundedName(told.replace(/\\([#\\])/gu, '$1')) || 'unnamed test'
  if (directive !== null) {
    const reason = boundedName(directive[2]?.trim() || directive[1]?.toLowerCase() || '')
    return { name, status: 'not-run', ...(reason !== '' && { reason }) }
  }
  return failed ? { name, status: 'fail', message: `not ok: ${name}` } : { name, status: 'pass' }
}

/** What a block of YAML says of a failure, as far as simple lines tell it. */
function detailsOf(lines: readonly string[]): Partial<ReportedCase> {
  const text = lines.join('\n')
  const at = lines.findIndex((line) => /^\s*(?:error|message):/u.test(line))
  const value = lines[at]?.replace(/^\s*\w+:\s*/u, '') ?? ''
  const said = /^[|>][-+]?$/u.test(value)
    ? (lines.slice(at + 1).find((line) => line.trim() !== '') ?? '')
    : value
  const message = said.trim().replace(/^(['"])(.*)\1$/u, '$2')
  return { ...(message !== '' && { message: boundedDetails(message) }), details: boundedDetails(text) }
}
