// The console output of a test runner, or a CI log that holds it → tests and failures; usable without a sandbox.
import { z } from 'zod'
import type { Candidate } from '../../contract/candidate.js'
import { parseOptions } from '../../contract/options.js'
import type { Failure } from '../../contract/verify.js'
import { textForModel } from '../text-for-model.js'
import { readJest } from './jest-output.js'
import { logLayers } from './log-lines.js'
import { readNodeSpec } from './node-spec-output.js'
import { toTestOutput } from './printed-failure.js'
import { readPytest } from './pytest-output.js'
import { readTap } from './tap-output.js'
import type { PrintedReport, TestOutput, TestOutputReader } from './test-output.js'
import { readUnittest } from './unittest-output.js'
import { readVitest } from './vitest-output.js'

/** What helps to read it. */
export interface ReadTestOutputOptions {
  /** Files of the project, path → text; with them failures point only into these, and show the lines. Default: none. */
  readonly files?: Readonly<Record<string, string>>
  /** Absolute path of the project where the tests ran. Default: what the runner says, else learned from `files`. */
  readonly workdir?: string
}

const optionsSchema = z.strictObject({
  files: z.record(z.string(), z.string()).optional(),
  workdir: z.string().optional(),
})

/** How each report is read, and words of which at least one is in any of them: a text without is not looked through. */
const READERS: readonly { readonly read: TestOutputReader; readonly hints: readonly string[] }[] = [
  {
    read: readPytest,
    hints: [
      'PASSED',
      'FAILED',
      'SKIPPED',
      'XFAIL',
      'XPASS',
      ' passed',
      ' failed',
      ' error',
      'no tests ',
      'ERROR',
      ' skipped',
      ' xfailed',
      ' deselected',
      'FAILURES',
      'loading conftest',
    ],
  },
  { read: readUnittest, hints: ['Ran ', 'FAIL: ', 'ERROR: ', 'UNEXPECTED SUCCESS: '] },
  { read: readVitest, hints: [' RUN ', ' DEV ', ' FAIL ', ' Test Files '] },
  { read: readJest, hints: ['Test Suites: ', 'FAIL ', 'PASS ', 'No tests found'] },
  { read: readTap, hints: ['# Subtest: ', '# time='] },
  { read: readNodeSpec, hints: ['ℹ fail', 'failing tests:', 'Failed tests:', 'node:internal/test_runner/'] },
]

/**
 * Recognises and reads what pytest, unittest, node:test (spec, dot and TAP), vitest (also TAP) or jest printed.
 *
 * Colours, CRLF, and what a CI log puts before each line (times, names of jobs, groups) are seen through. The output
 * may be cut at either end and may lie in any amount of other text. Where it holds several reports, the one with the
 * most failures is read.
 *
 * @param text - standard output and error, in any order or one of them
 * @returns undefined when no report of such a runner is in it; no text makes it throw
 * @throws MendloopError INVALID_OPTION for options that are not known
 */
export function readTestOutput(text: string, options: ReadTestOutputOptions = {}): TestOutput | undefined {
  const { files, workdir } = parseOptions(optionsSchema, options, 'readTestOutput()')
  const candidate = files === undefined ? undefined : { files, entry: Object.keys(files)[0] ?? '' }
  const report = printedReport(text)
  return report === undefined ? undefined : toTestOutput(report, { candidate, root: workdir })
}

function printedReport(text: string): PrintedReport | undefined {
  const clean = textForModel(text)
  const readers = READERS.filter(({ hints }) => hints.some((hint) => clean.includes(hint)))
  if (readers.length === 0) return undefined
  for (const streams of logLayers(clean.split('\n'))) {
    const [first, ...others] = streams.flatMap((lines) => readers.flatMap(({ read }) => read(lines) ?? []))
    if (first !== undefined) return others.reduce((best, one) => (isMore(one, best) ? one : best), first)
  }
  return undefined
}

/** A report that names more failures than one of another runner is the outer one, where both are in a text. */
const isMore = (one: PrintedReport, other: PrintedReport): boolean =>
  one.failures.length === other.failures.length
    ? one.tests.length > other.tests.length
    : one.failures.length > other.failures.length

/** The failures of tests that a program ran itself, when that is how it ended; none for any other program. */
export function reportedTestFailures(text: string, candidate: Candidate | undefined): readonly Failure[] {
  const report = printedReport(text)
  return report?.complete === true ? toTestOutput(report, { candidate }).failures : []
}
