// What an execution did wrong, as failures; usable without a loop.
import type { Candidate } from '../contract/candidate.js'
import type { ExecutionResult } from '../contract/execution.js'
import type { Failure } from '../contract/verify.js'
import { knownLanguage } from './languages.js'
import { outcomeFailure } from './outcome-failure.js'
import { programPaths } from './program-paths.js'

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
 * timeout or a kill, the exception that had been printed before.
 *
 * @returns nothing when the program ended well, and nothing for `aborted` and `lost`, which are not its doing
 */
export function diagnose(execution: ExecutionResult, options: DiagnoseOptions): readonly Failure[] {
  const { language, candidate } = options
  const known = knownLanguage(language)
  if (known !== undefined) return known.diagnose(execution, candidate)
  if (execution.ok) return []
  const { hide } = programPaths({ ...(candidate !== undefined && { candidate }) })
  const failure = outcomeFailure(execution, { hide })
  return failure === undefined ? [] : [failure]
}
