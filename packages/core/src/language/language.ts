// What the loop has to know of a language; one file a language fills it in.
import type { Candidate } from '../contract/candidate.js'
import type { ExecutionResult } from '../contract/execution.js'
import type { CommandObject } from '../contract/sandbox.js'
import type { Failure } from '../contract/verify.js'

/** How programs of one language are named, run and read. */
export interface Language {
  /** Canonical id, such as `python`. */
  readonly id: string
  /** The file a single program goes to, such as `solution.py`. */
  readonly entry: string
  /** What runs the program; paths are within the workspace. */
  command(entry: string): CommandObject
  /** Reads what an execution printed: the failure to mend first; none when it ended well. */
  diagnose(execution: ExecutionResult, candidate?: Candidate): readonly Failure[]
}
