// A runner whose executions each have a control group, whoever starts them: one that finds none free waits for one, so
// that none is ever less bounded than its sandbox says. Those that may stay never have all of them, so that every wait
// comes to an end.
import {
  DEFAULT_LIMITS,
  type ForkRunner,
  type RunnerLimits,
  type RunnerOutput,
  type RunnerRequest,
} from '@mendloop/core'
import { startTimer } from '@mendloop/core/adapter'
import { type CgroupSlots, MOST_STAYING } from './slots.js'
import { SlottedExecution } from './slotted-execution.js'

/** By so many RLIMIT_NPROC is the looser one, where a control group bounds processes as well: only that one is told of. */
const SPARE_PROCESSES = 8
/** Nothing says that a process with open pipes will ever end. */
const STAYING_WAIT_MS = 10_000
const FULL_OF_STAYING = `${MOST_STAYING} processes with open pipes, such as sessions, run in this sandbox already, which is the most that may, and none of them ended within ${STAYING_WAIT_MS / 1000} seconds; close one, or open another sandbox`

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
    // Who writes to it decides when it ends.
    const stays = request.stdin === 'pipe'
    const execution = new SlottedExecution({
      ...(cpuSeconds && { mostCpuMs: cpuSeconds.hard * 1000 }),
      take: () => this.#slots.take({ memoryBytes, processes }, { counts: cpuSeconds !== undefined, stays }),
      start: (slot) =>
        this.#runner.start({ ...request, limits: this.#loosened(request.limits), slot }, output),
    })
    if (this.#slots.hasFree(stays)) {
      execution.begin()
      return execution
    }
    const leave = this.#slots.whenFree(() => {
      this.#waiting.delete(execution)
      execution.beginLater()
    }, stays)
    this.#waiting.set(execution, leave)
    if (stays) this.#boundWait(execution)
    // Also one that was ended before its turn.
    void execution.begun.then(() => {
      leave()
      this.#waiting.delete(execution)
    })
    return execution
  }

  /** Those that are in its way may stay for ever. */
  #boundWait(execution: SlottedExecution): void {
    const cancel = startTimer(STAYING_WAIT_MS, () => {
      if (this.#slots.isFullOfStaying) execution.fail(FULL_OF_STAYING)
      else this.#boundWait(execution)
    })
    void execution.begun.then(cancel)
  }
}
