// What unittest printed → tests and failures.
import { type PrintedException, parseTracebacks } from '../python-traceback.js'
import { matchLine } from '../reported.js'
import { nextLine } from './line-search.js'
import type { PrintedFailure, PrintedReport, TestOutcome } from './test-output.js'

const DOUBLE = /^={70}$/u
const SINGLE = /^-{70}$/u
const TITLE = /^(FAIL|ERROR|UNEXPECTED SUCCESS): (.+)$/u
const RAN = /^Ran \d+ tests? in [\d.]+s$/u
const RESULT = /^(?:OK|FAILED|NO TESTS RAN)(?: \(.+\))?$/u
const NAMED = /^ *([\w.<>-]+) \(([\w.<>-]+)\)(.*)$/u
const ENDED = /^(.*?) ?\.\.\. (ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$/u
/** A module that could not be loaded is told as a test of this class. */
const NOT_LOADED = /\b_FailedTest\b/u
const STATUS: Readonly<Record<string, TestOutcome['status']>> = {
  ok: 'pass',
  FAIL: 'fail',
  ERROR: 'error',
  'expected failure': 'skip',
  'unexpected success': 'fail',
  'UNEXPECTED SUCCESS': 'fail',
}

/** Reads the report of unittest's text runner, `-v` or not. */
export function readUnittest(lines: readonly string[]): PrintedReport | undefined {
  const starts = lines.flatMap((line, index) =>
    DOUBLE.test(lines[index - 1] ?? '') && TITLE.test(line) ? [index] : [],
  )
  const ran = lines.findLastIndex((line) => RAN.test(line))
  if (starts.length === 0 && ran === -1) return undefined
  const tests = new Map<string, TestOutcome>()
  for (const test of verboseTests(lines.slice(0, starts[0] ?? lines.length))) tests.set(test.name, test)
  const failures = starts.map((start) => {
    const [, word = '', title = ''] = TITLE.exec(lines[start] ?? '') ?? []
    const name = nameOf(title)
    tests.set(name, { name, status: STATUS[word] ?? 'error' })
    return failureOf(word, name, blockAt(lines, start))
  })
  const complete = ran !== -1 && lines.slice(ran + 1, ran + 4).some((line) => RESULT.test(line))
  return { runner: 'unittest', tests: [...tests.values()], failures, complete }
}

/** `method (module.Class.method)`, as it is from Python 3.11 on and as it was before, with a subtest behind it. */
function nameOf(title: string): string {
  const [, method = '', place = '', rest = ''] = matchLine(NAMED, title) ?? []
  if (method === '') return title
  if (NOT_LOADED.test(place)) return method
  return `${place === method || place.endsWith(`.${method}`) ? place : `${place}.${method}`}${rest.trimEnd()}`
}

/** The lines of a failure, from below its rule on; a docstring may stand above that. */
function blockAt(lines: readonly string[], start: number): readonly string[] {
  const end = nextLine(lines, start + 1, (line) => DOUBLE.test(line))
  const part = lines.slice(start + 1, end)
  // Behind the last failure stands a rule, and then how many tests were run.
  const ran = part.findIndex((line, index) => SINGLE.test(part[index - 1] ?? '') && RAN.test(line))
  const block = ran === -1 ? part : part.slice(0, ran - 1)
  const rule = block.findIndex((line) => SINGLE.test(line))
  const body = block.slice(rule + 1)
  // With -b what the test printed stands behind the traceback.
  const printed = body.findIndex((line, index) => /^Std(?:out|err):$/u.test(line) && body[index - 1] === '')
  return printed === -1 ? body : body.slice(0, printed)
}

function failureOf(word: string, test: string, block: readonly string[]): PrintedFailure {
  const raised = parseTracebacks(block.join('\n'), { omittedBytes: 0 }).at(-1)
  if (raised !== undefined) return { test, raised, isCheck: word === 'FAIL' }
  const message =
    word === 'UNEXPECTED SUCCESS'
      ? 'AssertionError: The test passed, and was expected to fail.'
      : block.join('\n').trim() || `${word}: ${test}`
  return { test, raised: withoutTraceback(message), isCheck: word !== 'ERROR' }
}

/** An exception of which only the message is known. */
export function withoutTraceback(message: string): PrintedException {
  const type = /^([\w.]+)(?::|$)/u.exec(message)?.[1] ?? 'AssertionError'
  return { type, message, frames: [], origin: 'main', members: [] }
}

function verboseTests(lines: readonly string[]): readonly TestOutcome[] {
  const tests: TestOutcome[] = []
  let title: string | undefined
  for (const line of lines) {
    const isTitle = matchLine(NAMED, line) !== null
    const [, before = '', ended] = matchLine(ENDED, line) ?? []
    if (isTitle) title = before === '' ? line.replace(/ ?\.\.\..*$/u, '') : before
    if (ended === undefined || title === undefined) continue
    tests.push({ name: nameOf(title), status: STATUS[ended] ?? 'skip' })
    title = undefined
  }
  return tests
}
