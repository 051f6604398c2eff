// A running program with open pipes, as the contract wants it.
import { MendloopError, type ProcessOutput, type SandboxProcess } from '@mendloop/core'
import type { Launch, RunningProcess } from './running-process.js'

/** Output that waits to be read, in bytes; above it the program has to wait. */
const MOST_WAITING = 1024 * 1024

/**
 * @param start - starts the program with the output handler it is given
 */
export function toDuplex(start: (onOutput: Launch['onOutput']) => RunningProcess): SandboxProcess {
  const waiting: ProcessOutput[] = []
  let waitingBytes = 0
  let done = false
  let wake = (): void => undefined

  const running = start((stream, data) => {
    waiting.push({ stream, data })
    waitingBytes += data.length
    if (waitingBytes > MOST_WAITING && !done) running.pause(true)
    wake()
  })
  const outcome = running.ended.then((end) => {
    done = true
    wake()
    return end.outcome
  })

  async function* output(): AsyncGenerator<ProcessOutput> {
    for (;;) {
      const chunk = waiting.shift()
      if (chunk !== undefined) {
        waitingBytes -= chunk.data.length
        if (waitingBytes < MOST_WAITING / 2 && !done) running.pause(false)
        yield chunk
      } else if (done) return
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  }

  return {
    write: (data) =>
      new Promise((resolve, reject) => {
        const { stdin } = running
        if (stdin === null) reject(notTaken('it has no standard input'))
        // A stream that is written to after its end gives up what it has not passed on yet.
        else if (stdin.writableEnded) reject(notTaken('its input has been ended'))
        else if (done || stdin.destroyed) reject(notTaken('it has ended'))
        else stdin.write(data, (error) => (error ? reject(notTaken('it has ended', error)) : resolve()))
      }),
    end: () => void running.stdin?.end(),
    output: output(),
    outcome,
    kill: () => running.stop({ kind: 'aborted' }),
    ref: () => running.keepAlive?.(true),
    unref: () => running.keepAlive?.(false),
  }
}

/** The error for input that nobody takes. @param why - the end of a sentence about the process */
const notTaken = (why: string, cause?: Error): MendloopError<'SANDBOX_UNAVAILABLE'> =>
  new MendloopError(
    'SANDBOX_UNAVAILABLE',
    `write(): nothing can be written to this process any more: ${why}. Await its outcome, and start another with spawn().`,
    { details: { sandbox: 'subprocess', reason: `the process takes no input: ${why}` }, cause },
  )
