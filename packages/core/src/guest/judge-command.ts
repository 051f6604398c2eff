// The command that runs Python tests against a program in a process of their own; see judge.py.
import type { CommandObject } from '../contract/sandbox.js'
import { frame } from './frames.js'
import { guestPrograms } from './programs.generated.js'

/** What the judge is given. */
export interface JudgeInput {
  /** The program's Python files: path within the workspace → text. */
  readonly sources: Readonly<Record<string, string>>
  /** The program's entry, which it sees as `sys.argv[0]`. */
  readonly entry: string
  /** Source of the tests. The program's process never holds it. */
  readonly tests: string
  /** Name of the test that the top-level statements are. */
  readonly name: string
  /** Secret of this run; a report without it is not the judge's. */
  readonly nonce: string
}

/**
 * Everything goes in on standard input, nothing touches the disk: first the judge's own programs and the candidate,
 * then, in a frame that is read after the candidate's process has split off, the tests and the secret.
 */
export function judgeCommand({ sources, entry, tests, name, nonce }: JudgeInput): CommandObject {
  const { bootstrap, ...programs } = guestPrograms
  const setup = frame({ programs, files: { sources, entry } })
  const secret = frame({ tests, name, nonce })
  return {
    // -I: nothing in the workspace or the environment is imported; -B: nothing is written beside the sources.
    argv: ['python3', '-I', '-B', '-c', bootstrap],
    stdin: Buffer.concat([setup, secret]),
  }
}
