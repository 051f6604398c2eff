// The body of an answer as a web stream that loses nothing: what arrived before a break is read before the break is told.

import type { Readable } from 'node:stream'

// So many pieces may wait for their reader before the network is asked to.
const MAX_WAITING_PIECES = 64

/** Node's own conversion drops what waits in its queue as soon as the source fails. */
export function bodyStream(source: Readable): ReadableStream<Uint8Array> {
  const waiting: Uint8Array[] = []
  let isOver = false
  let failure: unknown
  let wake = (): void => undefined
  const end = (error?: unknown): void => {
    if (!isOver) failure = error
    isOver = true
    wake()
  }
  source.on('data', (piece: Uint8Array) => {
    waiting.push(piece)
    if (waiting.length >= MAX_WAITING_PIECES) source.pause()
    wake()
  })
  source.on('end', () => end())
  source.on('error', (error) => {
    // Whoever aborted wants nothing more.
    if (error.name === 'AbortError') waiting.length = 0
    end(error)
  })
  source.on('close', () => end(new Error('the connection closed before the answer was complete')))
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (waiting.length === 0 && !isOver)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        const piece = waiting.shift()
        if (piece !== undefined) controller.enqueue(piece)
        else if (failure === undefined) controller.close()
        else controller.error(failure)
        if (source.isPaused() && waiting.length === 0) source.resume()
      },
      cancel() {
        source.destroy()
      },
    },
    // Only what is asked for: the stream's own queue is dropped when it fails.
    { highWaterMark: 0 },
  )
}
