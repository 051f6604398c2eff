// A runner whose executions each have a control group, whoever starts them: one that finds none free waits for one, so
// that none is ever less bounded than its sandbox says.
import {
  DEFAULT_LIMITS,
  type ForkRunner,
  type RunnerLimits,
  type RunnerOutput,
  type RunnerRequest,
} from '@mendloop/core'
import type { CgroupSlots } from './slots.js'
import { SlottedExecution } from './slotted-execution.js'

/** By so many RLIMIT_NPROC is the looser one, where a control group bounds processes as well: only that one is told of. */
const SPARE_PROCESSES = 8

/** A runner with places for its executions. */
export class SlottedRunner implements ForkRunner {
  readonly hello: ForkRunner['hello']
  readonly lost: ForkRunner['lost']
  readonly #runner: ForkRunner
  readonly #slots: CgroupSlots
  /** Those that no place was free for, each with what takes it out of the queue. */
  readonly #waiting = new Map<SlottedExecution, () => void>()

  constructor(runner: ForkRunner, slots: CgroupSlots) {
    this.hello = runner.hello
    this.lost = runner.lost
    this.#runner = runner
    this.#slots = slots
    void this.lost.then((cause) => {
      for (const execution of this.#waiting.keys()) execution.fail(cause)
    })
  }

  prepare(...preparation: Parameters<ForkRunner['prepare']>): ReturnType<ForkRunner['prepare']> {
    return this.#runner.prepare(...preparation)
  }

  close(): Promise<void> {
    return this.#runner.close()
  }

  #loosened(limits: RunnerLimits): RunnerLimits {
    if (limits.processes === undefined || !this.#slots.controls.has('pids')) return limits
    return { ...limits, processes: limits.processes + SPARE_PROCESSES }
  }

  start(request: RunnerRequest, output: RunnerOutput): SlottedExecution {
    const { memoryBytes, processes } = { ...DEFAULT_LIMITS, ...request.limits }
    const { cpuSeconds } = request.limits
    const execution = new SlottedExecution({
      ...(cpuSeconds && { mostCpuMs: cpuSeconds.hard * 1000 }),
      take: () => this.#slots.take({ memoryBytes, processes }, cpuSeconds !== undefined),
      start: (slot) =>
        this.#runner.start({ ...request, limits: this.#loosened(request.limits), slot }, output),
    })
    if (this.#slots.hasFree) {
      execution.begin()
      return execution
    }
    const leave = this.#slots.whenFree(() => {
      this.#waiting.delete(execution)
      execution.beginLater()
    })
    this.#waiting.set(execution, leave)
    // Also one that was ended before its turn.
    void execution.begun.then(() => {
      leave()
      this.#waiting.delete(execution)
    })
    return execution
  }
}
