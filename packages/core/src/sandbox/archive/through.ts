// Bytes through one of zlib's streams, as an iteration.
import { pipeline, Readable, type Transform } from 'node:stream'

/** What `transform` makes of the pieces; what they throw, the iteration throws. Both are let go when it ends. */
export async function* through(
  pieces: AsyncIterable<Uint8Array>,
  transform: Transform,
): AsyncGenerator<Buffer, void> {
  // An error comes out of the iteration.
  pipeline(Readable.from(pieces, { objectMode: false }), transform, () => undefined)
  try {
    for await (const piece of transform as AsyncIterable<Buffer>) yield piece
  } finally {
    transform.destroy()
  }
}
