// What starts the programs of one sandbox: a child process each, or a fork of a runner behind walls.
import type { ForkRunner, Guarantees, Limits } from '@mendloop/core'
import type { Unenforced } from './limits.js'
import type { PrivateFolder } from './private-folder.js'
import type { Program } from './program.js'
import type { RunningProcess } from './running-process.js'

/** Starts programs. */
export interface Engine {
  readonly guarantees: Guarantees
  readonly folder: PrivateFolder
  /** Interpreter for `python3` and `python`, when it is not what PATH says. */
  readonly python: string | undefined
  /** Limits that cannot be had here, each with what would enforce it. */
  readonly unenforced: Unenforced
  /**
   * Makes sure that a program can be started.
   *
   * @returns undefined, or why none can: an end of a sentence that begins with "the program"
   */
  prepare(): Promise<string | undefined>
  /** Makes standard input known in full ready to be given. @throws MendloopError FILE_UNAVAILABLE */
  openInput(data: string | Uint8Array): Promise<EngineInput>
  /** Starts a program, once prepared. @throws MendloopError INVALID_OPTION for what the system does not pass */
  start(launch: EngineLaunch): RunningProcess
  /** The runner that the programs are forks of, for Python code that is to run in one. */
  runner?(): Promise<ForkRunner>
  /** Ends what is left and removes the folder. Never throws. */
  close(): Promise<void>
}

/** Standard input that is ready. */
export interface EngineInput {
  readonly stdin: number | Uint8Array
  /** To be called once the program has been started, or will not be. */
  close(): void
}

/** What to start. */
export interface EngineLaunch {
  readonly program: Program
  /** Who asked, for errors. */
  readonly owner: string
  readonly env: Readonly<Record<string, string>>
  readonly limits: Limits
  readonly stdin: 'pipe' | 'ignore' | EngineInput['stdin']
  readonly killGraceMs: number
  onOutput(stream: 'stdout' | 'stderr', data: Buffer): void
}
