// Each program is a child process, in its own group, with limits and a thorough kill: the `process` tier, and with a
// command in front of it that builds a wall (`seatbelt`) more than that.
import type { Guarantees } from '@mendloop/core'
import { EXECUTION_MARKER, endDescendants } from './descendants.js'
import type { Engine, EngineInput, EngineLaunch } from './engine.js'
import { HOST_MARKER, hostId } from './guardian.js'
import { openInput } from './input-file.js'
import { limitScript, processUnenforced } from './limits.js'
import { type PrivateFolder, removeRoot } from './private-folder.js'
import type { RunningProcess } from './running-process.js'
import { startOrExplain } from './start-or-explain.js'

/** How the programs of one sandbox are started. */
export interface ProcessEngineOptions {
  readonly guarantees: Guarantees
  /** Interpreter that the caller named for Python. */
  readonly python: string | undefined
  /** Entries of `stdio` from descriptor 3 on. */
  readonly covered: readonly (number | 'ignore')[]
  /** What stands in front of each command line. */
  readonly wrapper: readonly string[]
}

/** Starts child processes of this one. */
export class ProcessEngine implements Engine {
  readonly guarantees: Guarantees
  readonly unenforced = processUnenforced
  readonly folder: PrivateFolder
  readonly python: string | undefined
  readonly #id: string
  readonly #options: ProcessEngineOptions
  readonly #running = new Set<RunningProcess>()
  /** The first to start since nothing was running: all that overlap have started after it. */
  #oldest = { pid: 0, startedAt: 0 }
  #executions = 0

  constructor(id: string, folder: PrivateFolder, options: ProcessEngineOptions) {
    this.#id = id
    this.folder = folder
    this.python = options.python
    this.guarantees = options.guarantees
    this.#options = options
  }

  prepare(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  async openInput(data: string | Uint8Array): Promise<EngineInput> {
    const { descriptor, close } = await openInput(this.folder.root, data)
    return { stdin: descriptor, close }
  }

  start({ program, owner, env, limits, stdin, killGraceMs, onOutput }: EngineLaunch): RunningProcess {
    const execution = `${this.#id}.${++this.#executions}`
    const posix = process.platform !== 'win32'
    const argv = [...this.#options.wrapper, ...program.argv]
    const { workspace, root } = this.folder
    const running = startOrExplain(owner, {
      argv: posix ? ['/bin/sh', '-c', limitScript(limits), 'mendloop', ...argv] : argv,
      cwd: program.cwd === '' ? workspace : `${workspace}/${program.cwd}`,
      env: { ...env, [EXECUTION_MARKER]: execution, [HOST_MARKER]: hostId },
      stdin: typeof stdin === 'object' ? 'ignore' : stdin,
      covered: this.#options.covered,
      limits,
      killGraceMs,
      // While another program runs here, an unmarked process may be that one's: the last to end looks for all of them.
      descendants: (pid, durationMs) =>
        this.#running.size === 1
          ? { execution, folder: root, ...this.#sinceOldest() }
          : { execution, folder: undefined, abovePid: pid, elapsedMs: durationMs },
      onOutput,
    })
    if (this.#running.size === 0) this.#oldest = { pid: running.pid ?? 0, startedAt: performance.now() }
    this.#running.add(running)
    void running.ended.then(() => this.#running.delete(running))
    return running
  }

  async close(): Promise<void> {
    const { root } = this.folder
    if (this.#executions > 0)
      await endDescendants({ execution: `${this.#id}.`, folder: root, abovePid: 0, elapsedMs: 0 })
    await removeRoot(root)
  }

  #sinceOldest(): { abovePid: number; elapsedMs: number } {
    return { abovePid: this.#oldest.pid, elapsedMs: performance.now() - this.#oldest.startedAt }
  }
}
