// A runner that keeps this process alive for as long as it has something to do, and no longer: an idle sandbox that
// somebody forgot to close must not keep a program from ending.
import type { ForkRunner, RunnerExecution, RunnerOutput, RunnerRequest } from '@mendloop/core'

/** Wraps `runner`; `keepAlive` says whether its process keeps this one alive. */
export function keptAlive(runner: ForkRunner, keepAlive: (kept: boolean) => void): ForkRunner {
  let busy = 0
  const during = <T>(work: Promise<T>): Promise<T> => {
    if (busy++ === 0) keepAlive(true)
    const done = (): void => {
      if (--busy === 0) keepAlive(false)
    }
    work.then(done, done)
    return work
  }
  keepAlive(false)
  return {
    hello: runner.hello,
    lost: runner.lost,
    start: (request: RunnerRequest, output: RunnerOutput): RunnerExecution => {
      const execution = runner.start(request, output)
      void during(execution.ended)
      return execution
    },
    prepare: (preparation) => during(runner.prepare(preparation)),
    close: () => during(runner.close()),
  }
}
