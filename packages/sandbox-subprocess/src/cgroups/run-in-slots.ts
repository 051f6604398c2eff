// A runner whose executions each have a control group, also those that are started past the sandbox's own `exec`.
import { DEFAULT_LIMITS, type ForkRunner, type RunnerExecution } from '@mendloop/core'
import type { CgroupSlots } from './slots.js'

/** Wraps `runner`. */
export function runInSlots(runner: ForkRunner, slots: CgroupSlots): ForkRunner {
  return {
    hello: runner.hello,
    lost: runner.lost,
    prepare: (preparation) => runner.prepare(preparation),
    close: () => runner.close(),
    start: (request, output) => {
      const { memoryBytes, processes } = { ...DEFAULT_LIMITS, ...request.limits }
      const slot = request.slot === undefined ? slots.take({ memoryBytes, processes }) : undefined
      if (slot === undefined) return runner.start(request, output)
      let execution: RunnerExecution
      try {
        execution = runner.start({ ...request, slot: slot.index }, output)
      } catch (error) {
        slot.release()
        throw error
      }
      const ended = execution.ended.then((end) => {
        const { oomKilled } = slot.evidence()
        slot.release()
        return oomKilled ? { ...end, outOfMemory: true } : end
      })
      return {
        ended,
        write: (data) => execution.write(data),
        endInput: () => execution.endInput(),
        pause: (paused) => execution.pause(paused),
        terminate: () => execution.terminate(),
        kill: () => execution.kill(),
      }
    },
  }
}
