// A runner that is asked to kill and does not is stopped or stuck: nothing that it runs may outlive its limits for that.
import type { ForkRunner } from '@mendloop/core'
import { startTimer } from '@mendloop/core/adapter'

/** Kills are answered within some ten milliseconds. In two halves: a host that was held up itself hears the answer first. */
const HALF_DEADLINE_MS = 1_000

/** How a runner is ended by force. */
export interface RunnerForce {
  /** Kills it. */
  end(): void
  /** Ends what it has left, once it is lost. @returns false when something is still there */
  sweep(): Promise<boolean>
}

/** Wraps `runner`. */
export function endedInTime(runner: ForkRunner, force: RunnerForce): ForkRunner {
  /** While it imports packages, it hears nothing. */
  let preparing = 0
  return {
    hello: runner.hello,
    lost: runner.lost,
    prepare: (preparation) => {
      preparing++
      return runner.prepare(preparation).finally(() => preparing--)
    },
    close: () => runner.close(),
    start: (request, output) => {
      const execution = runner.start(request, output)
      let over = false
      let cancel: (() => void) | undefined
      const later = (act: () => void): void => {
        if (!over) cancel = startTimer(HALF_DEADLINE_MS, act)
      }
      const expectEnd = (): void => later(() => later(() => (preparing > 0 ? expectEnd() : force.end())))
      const ended = execution.ended.then(async (end) => {
        over = true
        cancel?.()
        if (end.how.kind !== 'lost') return end
        const gone = await force.sweep()
        return { ...end, leftover: end.leftover || !gone }
      })
      return {
        ended,
        ...(execution.gone && { gone: execution.gone }),
        write: (data) => execution.write(data),
        endInput: () => execution.endInput(),
        pause: (paused) => execution.pause(paused),
        terminate: () => execution.terminate(),
        kill: () => {
          execution.kill()
          if (cancel === undefined) expectEnd()
        },
      }
    },
  }
}
