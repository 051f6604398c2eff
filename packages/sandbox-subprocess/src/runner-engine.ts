// The tiers above `process`: one warm runner behind the outer walls, and a confined fork of it for each program.
import { statfsSync } from 'node:fs'
import { type ForkRunner, type Guarantees, MendloopError } from '@mendloop/core'
import { type EndEvidence, startRunner } from '@mendloop/core/adapter'
import { SlottedRunner } from './cgroups/run-in-slots.js'
import type { CgroupSlots } from './cgroups/slots.js'
import type { Engine, EngineInput, EngineLaunch } from './engine.js'
import type { PrivateFolder } from './private-folder.js'
import { startInRunner } from './runner-execution.js'
import type { RunningProcess } from './running-process.js'
import { lostProcess } from './start-or-explain.js'
import { inWords } from './system-error.js'
import { endedInTime } from './tiers/ended-in-time.js'
import type { PythonFacts } from './tiers/python-facts.js'
import { startRunnerProcess } from './tiers/runner-channel.js'
import type { Wall } from './tiers/wall.js'

const UNBOUNDED_DISK = 'the "namespaces" tier, or a container sandbox; "fileBytes" bounds single files here'
const UNBOUNDED_PROCESSES = 'the "namespaces" tier, or a container sandbox'

/** Starts forks of a runner. */
export class RunnerEngine implements Engine {
  readonly guarantees: Guarantees
  readonly folder: PrivateFolder
  readonly python: string
  readonly unenforced: Engine['unenforced']
  /** Folders of its interpreters, for PATH. */
  readonly bins: readonly string[]
  readonly #wall: Wall
  readonly #slots: CgroupSlots | undefined
  /** The runner, or its start. Undefined before the first and after one was lost. */
  #starting: Promise<ForkRunner> | undefined
  #current: ForkRunner | undefined
  /** What a lost runner left is being ended. */
  #sweep: Promise<boolean> = Promise.resolve(true)
  #closed = false

  /** @param guarantees - what holds without control groups */
  constructor(wall: Wall, guarantees: Guarantees, slots?: CgroupSlots) {
    this.#wall = wall
    this.#slots = slots
    this.guarantees = {
      ...guarantees,
      ...(slots?.controls.has('memory') && { memory: 'per-execution' }),
      ...(slots?.controls.has('pids') && { pids: 'per-sandbox' }),
    }
    this.folder = wall.folder
    this.python = wall.installations.python.file
    this.bins = wall.installations.bins
    this.unenforced = {
      ...(guarantees.disk !== 'bounded' && { diskBytes: UNBOUNDED_DISK }),
      ...(this.guarantees.pids === 'none' && { processes: UNBOUNDED_PROCESSES }),
    }
  }

  async prepare(): Promise<string | undefined> {
    try {
      await this.runner()
      return undefined
    } catch (error) {
      return `has nothing to run in: ${inWords(error)}`
    }
  }

  openInput(data: string | Uint8Array): Promise<EngineInput> {
    const stdin = typeof data === 'string' ? Buffer.from(data) : data
    return Promise.resolve({ stdin, close: () => undefined })
  }

  start(launch: EngineLaunch): RunningProcess {
    const current = this.#current
    if (current === undefined) return lostProcess('the runner was lost before the program was started')
    const marked = { ...launch, env: { ...launch.env, ...this.#wall.markers } }
    return startInRunner(current, marked, { evidence: this.#evidence() })
  }

  /** @throws MendloopError SANDBOX_UNAVAILABLE */
  runner(): Promise<ForkRunner> {
    this.#starting ??= this.#start()
    return this.#starting
  }

  async close(): Promise<void> {
    this.#closed = true
    const runner = await this.#starting?.catch(() => undefined)
    await runner?.close()
    await this.#sweep
    await this.#slots?.close()
    await this.#wall.close()
  }

  async #start(): Promise<ForkRunner> {
    await this.#sweep
    let end = (): void => undefined
    try {
      const runner = await startRunner(
        ({ argv = [] }) => {
          const launch = this.#wall.launch(argv)
          const entrances = this.#slots?.entrances.flat() ?? []
          try {
            const descriptors = [...launch.descriptors, ...entrances]
            const channel = startRunnerProcess({ ...launch, descriptors })
            end = () => channel.kill()
            return Promise.resolve(channel)
          } finally {
            launch.close()
          }
        },
        { ...this.#wall.setup, ...(this.#slots && { cgroupSlots: this.#slotNumbers(this.#slots) }) },
        { python: this.python, sandbox: 'subprocess', compiled: this.#wall.installations.python.compiled },
      )
      await requireSamePython(runner, this.#wall.installations.python)
      if (this.#closed) await runner.close()
      const forced = endedInTime(runner, { end, sweep: () => this.#sweep })
      const current = this.#slots === undefined ? forced : new SlottedRunner(forced, this.#slots)
      this.#current = current
      void runner.lost.then(() => {
        if (this.#current !== current) return
        this.#forget()
        // One that is closed waits for all its own to end: ended by others, they would be left as dead processes to a
        // process 1 that waits for none.
        if (!this.#closed) this.#sweep = this.#wall.sweep()
      })
      return current
    } catch (error) {
      this.#forget()
      throw error
    }
  }

  /** The numbers that the entrances have in the runner: after standard streams and what the wall hands over. */
  #slotNumbers(slots: CgroupSlots): number[][] {
    let next = 3 + this.#wall.descriptors
    return slots.entrances.map((place) => place.map(() => next++))
  }

  #forget(): void {
    this.#current = undefined
    this.#starting = undefined
  }

  /** Asked when a program starts: a workspace that is full already says nothing of why this one fails. */
  #evidence(): () => EndEvidence {
    const { workspace } = this.folder
    if (this.guarantees.disk !== 'bounded' || isFull(workspace)) return () => ({})
    return () => ({ diskFull: isFull(workspace) })
  }
}

/** True when a file system takes no further block, or no further file. */
function isFull(path: string): boolean {
  try {
    const { bavail, ffree } = statfsSync(path)
    return bavail === 0 || ffree === 0
  } catch {
    return false
  }
}

/**
 * An interpreter that cannot see its own libraries does not fail: it starts with somebody else's.
 *
 * @throws MendloopError SANDBOX_UNAVAILABLE
 */
async function requireSamePython(
  runner: ForkRunner,
  { file, version, basePrefix }: PythonFacts,
): Promise<void> {
  const { python } = runner.hello
  if (python.version === version && python.basePrefix === basePrefix) return
  await runner.close()
  const reason = `${file} is Python ${version} in ${basePrefix}; behind the walls it says it is ${python.version} in ${python.basePrefix}`
  throw new MendloopError(
    'SANDBOX_UNAVAILABLE',
    `subprocess(): another Python runs than the one that was found. ${reason}: it cannot reach its own files there. Name an interpreter that everybody may read with the option "python".`,
    { details: { sandbox: 'subprocess', reason } },
  )
}
