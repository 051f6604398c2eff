// The command that runs JavaScript tests against a program in a process of their own; see judge.mjs.
import type { CommandObject } from '../../contract/sandbox.js'
import { frame } from '../frames.js'
import { guestPrograms as pythonPrograms } from '../programs.generated.js'
import { guestPrograms as runnerPrograms } from '../runner/programs.generated.js'
import { guestPrograms as sessionPrograms } from '../session/programs.generated.js'
import { guestPrograms } from './programs.generated.js'

/** What the judge is given. */
export interface JavaScriptJudgeInput {
  /** The program's files: path within the workspace → text. They are in the workspace too. */
  readonly sources: Readonly<Record<string, string>>
  /** Files that are loaded in place of others, such as bundles of TypeScript. */
  readonly built: Readonly<Record<string, string>>
  /** The program's entry, which it sees as `process.argv[1]`. */
  readonly entry: string
  /** Flags of the program's Node. */
  readonly flags: readonly string[]
  /** Source of the tests. The program's process never holds it. */
  readonly tests: string
  /** Name of the test that the top-level statements are. */
  readonly name: string
  /** Secret of this run; a report without it is not the judge's. */
  readonly nonce: string
}

/**
 * Everything goes in on standard input: first the judge's own programs, then, in a frame that is read after the program's
 * process has been started, the tests and the secret.
 */
export function javascriptJudgeCommand(input: JavaScriptJudgeInput): CommandObject {
  const { tests, name, nonce, ...options } = input
  const { node_bootstrap: bootstrap } = sessionPrograms
  const { confine } = pythonPrograms
  const { landlock, system } = runnerPrograms
  const walls = { bootstrap: pythonPrograms.bootstrap, programs: { confine, landlock, system } }
  const setup = frame({ programs: guestPrograms, options: { ...options, bootstrap, walls }, entry: 'judge' })
  return {
    argv: ['node', '--experimental-vm-modules', '--no-warnings', '-e', bootstrap],
    stdin: Buffer.concat([setup, frame({ tests, name, nonce })]),
  }
}
