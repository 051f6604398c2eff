// A running program with open pipes, as the contract wants it.
import { StringDecoder } from 'node:string_decoder'
import type { OutputChunk, SandboxProcess } from '@mendloop/core'
import type { Launch, RunningProcess } from './running-process.js'

/** Output that waits to be read, in characters; above it the program has to wait. */
const MOST_WAITING = 1024 * 1024

/**
 * @param start - starts the program with the output handler it is given
 */
export function toDuplex(start: (onOutput: Launch['onOutput']) => RunningProcess): SandboxProcess {
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  const waiting: OutputChunk[] = []
  let waitingLength = 0
  let done = false
  let wake = (): void => undefined

  const put = (stream: OutputChunk['stream'], text: string): void => {
    if (text === '') return
    waiting.push({ stream, text })
    waitingLength += text.length
    if (waitingLength > MOST_WAITING && !done) running.pause(true)
    wake()
  }
  const running = start((stream, chunk) => put(stream, decoders[stream].write(chunk)))
  const outcome = running.ended.then((end) => {
    done = true
    for (const stream of ['stdout', 'stderr'] as const) put(stream, decoders[stream].end())
    wake()
    return end.outcome
  })

  async function* output(): AsyncGenerator<OutputChunk> {
    for (;;) {
      const chunk = waiting.shift()
      if (chunk !== undefined) {
        waitingLength -= chunk.text.length
        if (waitingLength < MOST_WAITING / 2 && !done) running.pause(false)
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
        if (running.stdin === null) reject(new Error('The process has no standard input.'))
        else running.stdin.write(data, (error) => (error ? reject(error) : resolve()))
      }),
    end: () => void running.stdin?.end(),
    output: output(),
    outcome,
    kill: () => running.stop({ kind: 'aborted' }),
  }
}
