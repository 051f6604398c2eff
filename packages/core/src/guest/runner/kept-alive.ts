// A runner that keeps this process alive for as long as it has something to do, and no longer: an idle sandbox that
// somebody forgot to close must not keep a program from ending.
import type { ForkRunner, RunnerExecution, RunnerOutput, RunnerRequest } from '../../contract/fork-runner.js'
import type { RunnerChannel } from './conversation.js'

/** Wraps `runner`, whose process `channel` is. */
export function keptAlive(runner: ForkRunner, channel: RunnerChannel): ForkRunner {
  let busy = 0
  const during = <T>(work: Promise<T>): Promise<T> => {
    if (busy++ === 0) channel.ref?.()
    const done = (): void => {
      if (--busy === 0) channel.unref?.()
    }
    work.then(done, done)
    return work
  }
  channel.unref?.()
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
