// The run of the program that an attempt's checks share, and the further runs of a check that starts over.
import type { ExecutionResult } from '../contract/execution.js'
import type { VerifyContext } from '../contract/verify.js'

/** What one run of the program left. */
export interface ProgramRun {
  readonly execution: ExecutionResult
  /** Content of the files that the task asks for, of those that were there. */
  readonly outputs: Readonly<Record<string, Uint8Array>>
}

/** The runs that one check sees. */
export interface CheckRuns extends Required<Pick<VerifyContext, 'run' | 'restore'>> {
  /** Makes the check's last run the attempt's: for a check that passed on it. */
  keep(): Promise<void>
}

/** Runs the program when a check first asks for it, and anew for a check that starts over. */
export class ProgramRuns {
  readonly #start: () => Promise<ProgramRun>
  readonly #startOver: () => Promise<boolean>
  #shared: Promise<ProgramRun> | undefined
  #known: ProgramRun | undefined

  /** @param startOver - puts the workspace back; false when that cannot be done */
  constructor(start: () => Promise<ProgramRun>, startOver: () => Promise<boolean>) {
    this.#start = start
    this.#startOver = startOver
  }

  /** The attempt's run; undefined while there is none. */
  get execution(): ExecutionResult | undefined {
    return this.#known?.execution
  }

  /** What it wrote of the outputs; empty while there is no run. */
  get outputs(): ProgramRun['outputs'] {
    return this.#known?.outputs ?? {}
  }

  ofCheck(): CheckRuns {
    let own: Promise<ProgramRun> | undefined
    return {
      run: async () => (await (own ?? this.#sharedRun())).execution,
      restore: async () => {
        if (!(await this.#startOver())) return false
        if (this.#shared === undefined) return true
        own = this.#start()
        await own
        return true
      },
      keep: async () => {
        if (own === undefined) return
        this.#known = await own
        this.#shared = own
      },
    }
  }

  #sharedRun(): Promise<ProgramRun> {
    this.#shared ??= this.#start().then((run) => {
      this.#known = run
      return run
    })
    return this.#shared
  }
}
