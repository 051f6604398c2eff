// What an execution did wrong, as failures; usable without a loop.
import type { Candidate } from '../contract/candidate.js'
import type { ExecutionResult } from '../contract/execution.js'
import type { Failure } from '../contract/verify.js'
import { knownLanguage } from './languages.js'
import { outcomeFailure } from './outcome-failure.js'
import { programPaths } from './program-paths.js'
import { reportedTestFailures } from './test-output/read-test-output.js'

/** What helps to read an execution. */
export interface DiagnoseOptions {
  /** Name of the program's language, such as `python`; of one that is not known only the outcome and the last lines are read. */
  language: string
  /** The program; with it failures point into its files and show the lines. */
  candidate?: Candidate
}

/**
 * Reads how a program ended and what it printed: parse first, cut second.
 *
 * The failure to mend stands first; further ones are members of an exception group, exceptions in threads, or, after a
 * timeout or a kill, the exception that had been printed before. Of a program that ran its tests with pytest, unittest,
 * node:test, vitest or jest, they are those of the tests, as `readTestOutput` reads them.
 *
 * @returns nothing when the program ended well, and nothing for `aborted` and `lost`, which are not its doing
 */
export function diagnose(execution: ExecutionResult, options: DiagnoseOptions): readonly Failure[] {
  const { language, candidate } = options
  const known = knownLanguage(language)
  const reported = failuresOfTests(execution, candidate)
  if (reported.length > 0) return reported
  if (known !== undefined) return known.diagnose(execution, candidate)
  if (execution.ok) return []
  const { hide } = programPaths({ ...(candidate !== undefined && { candidate }) })
  const failure = outcomeFailure(execution, { hide })
  return failure === undefined ? [] : [failure]
}

/** A program that ran tests and ended as its test runner does has said all in the runner's report. */
function failuresOfTests(
  { ok, outcome, stdout, stderr, step }: ExecutionResult,
  candidate: Candidate | undefined,
): readonly Failure[] {
  if (ok || outcome.kind !== 'exit' || step === 'compile') return []
  return reportedTestFailures(`${stdout.text}\n${stderr.text}`, candidate)
}
