// One execution that has a place of its own, or still waits for it: what is asked of it meanwhile is done once it runs.
import type { RunnerEnd, RunnerExecution } from '@mendloop/core'
import { inWords } from '../system-error.js'
import type { Slot } from './slots.js'

/** A look costs the reading of a file. */
const LOOK_EVERY_MS = 100

/** How it gets its place, and is started in it. */
export interface SlottedStart {
  /** Processor time of all its processes together at which it is killed, in milliseconds. Default: any. */
  readonly mostCpuMs?: number
  /** @throws Error when the kernel does not take its limits */
  take(): Slot
  start(slot: number): RunnerExecution
}

/** An execution with a place. */
export class SlottedExecution implements RunnerExecution {
  /** Resolves when it has been started, or never will be. */
  readonly begun: Promise<void>
  readonly ended: Promise<RunnerEnd>
  readonly gone: Promise<void>
  readonly #how: SlottedStart
  #markBegun: () => void = () => undefined
  #settle: (end: RunnerEnd) => void = () => undefined
  #markGone: () => void = () => undefined
  #over = false
  #execution: RunnerExecution | undefined
  #paused = false
  /** Its input in order, where that began before it. */
  #input: Promise<void> | undefined

  constructor(how: SlottedStart) {
    this.#how = how
    this.begun = new Promise((resolve) => {
      this.#markBegun = resolve
    })
    this.ended = new Promise((resolve) => {
      this.#settle = resolve
    })
    this.gone = new Promise((resolve) => {
      this.#markGone = resolve
    })
  }

  /** Takes its place and starts it. @throws MendloopError SANDBOX_CLOSED */
  begin(): void {
    let slot: Slot
    try {
      slot = this.#how.take()
    } catch (error) {
      this.fail(`its control group does not take its limits (${inWords(error)})`)
      return
    }
    try {
      this.#execution = this.#how.start(slot.index)
    } catch (error) {
      slot.release()
      throw error
    }
    const stopWatching = watchSlot(slot, this.#how.mostCpuMs, this.#execution)
    if (this.#paused) this.#execution.pause(true)
    this.#markBegun()
    void this.#execution.gone?.then(this.#markGone)
    void this.#execution.ended.then((end) => {
      stopWatching()
      const { oomKilled, processesRefused } = slot.evidence()
      const cpuMs = slot.cpuMs()
      slot.release()
      this.#end({
        ...end,
        // Also of processes that nobody has waited for.
        ...(cpuMs !== undefined && { cpuMs: Math.max(cpuMs, end.cpuMs ?? 0) }),
        ...(oomKilled && { outOfMemory: true }),
        ...(processesRefused && { processesRefused: true }),
      })
    })
  }

  /** As {@link begin}, when nobody is there any longer to whom an error could be thrown. */
  beginLater(): void {
    try {
      this.begin()
    } catch (error) {
      this.fail(inWords(error))
    }
  }

  /** It never ran. */
  fail(cause: string): void {
    this.#end({ how: { kind: 'lost', cause, started: false }, durationMs: 0, leftover: false })
  }

  write(data: Uint8Array): Promise<void> {
    if (this.#execution !== undefined && this.#input === undefined) return this.#execution.write(data)
    // Copied, because its owner may use it again.
    const bytes = Buffer.from(data)
    return this.#inTurn((execution) => execution.write(bytes))
  }

  endInput(): void {
    if (this.#execution !== undefined && this.#input === undefined) this.#execution.endInput()
    else void this.#inTurn((execution) => Promise.resolve(execution.endInput()))
  }

  pause(paused: boolean): void {
    this.#paused = paused
    this.#execution?.pause(paused)
  }

  terminate(): void {
    if (this.#execution === undefined) this.#endWaiting('SIGTERM')
    else this.#execution.terminate()
  }

  kill(): void {
    if (this.#execution === undefined) this.#endWaiting('SIGKILL')
    else this.#execution.kill()
  }

  #inTurn(act: (execution: RunnerExecution) => Promise<void>): Promise<void> {
    this.#input = (this.#input ?? this.begun).then(() => this.#execution && act(this.#execution))
    return this.#input
  }

  #endWaiting(signal: string): void {
    this.#end({ how: { kind: 'signal', signal }, durationMs: 0, leftover: false })
  }

  #end(end: RunnerEnd): void {
    if (this.#over) return
    this.#over = true
    this.#markBegun()
    this.#markGone()
    this.#settle(end)
  }
}

/** Kills an execution that has used too much, as its group counts it. @returns what ends the looking */
function watchSlot(slot: Slot, mostCpuMs: number | undefined, execution: RunnerExecution): () => void {
  if (mostCpuMs === undefined || slot.cpuMs() === undefined) return () => undefined
  const timer = setInterval(() => {
    if ((slot.cpuMs() ?? 0) <= mostCpuMs) return
    clearInterval(timer)
    execution.kill()
  }, LOOK_EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}
