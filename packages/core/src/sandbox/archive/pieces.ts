// Bytes that come piece by piece: from wherever they come, ended by an abort, read by count.
import { MendloopError } from '../../contract/errors.js'
import { isBytes } from '../../contract/foreign-values.js'
import { invalidOption } from '../../contract/options.js'
import { onAbort } from '../../internal/on-abort.js'

/** Bytes at hand, or bytes that come piece by piece: a Node stream, a web stream, an async generator. */
export type ByteSource = Uint8Array | AsyncIterable<Uint8Array>

const aborted = (): MendloopError<'ABORTED'> =>
  new MendloopError('ABORTED', 'The signal was aborted while an archive was on its way.', {
    details: { during: 'sandbox' },
  })

/** Throws once the signal is aborted. */
export function requireNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted()
}

/** Checks each piece, and stops waiting for the next one when the signal is aborted. */
export async function* abortable(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  const iterator = source[Symbol.asyncIterator]()
  let done = false
  try {
    while (true) {
      requireNotAborted(signal)
      const next = await nextUnlessAborted(iterator, signal)
      if (next.done === true) {
        done = true
        return
      }
      if (!isBytes(next.value))
        throw invalidOption('importArchive()', 'source', 'must give pieces that are Uint8Arrays', {
          expected: 'a Uint8Array',
          received: typeof next.value,
        })
      yield next.value
    }
  } catch (error) {
    // A source that has thrown is over; one that still waits is told, and not waited for.
    done = !MendloopError.is(error)
    throw error
  } finally {
    if (!done) void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}

/** A race against one promise for all pieces would keep every piece until the end: what waits for it holds what won. */
function nextUnlessAborted(
  iterator: AsyncIterator<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<Uint8Array>> {
  if (signal === undefined) return iterator.next()
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(aborted()))
    iterator.next().then(resolve, reject).finally(forget)
  })
}

/** Reads pieces by count. */
export class PieceReader {
  readonly #iterator: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#iterator = pieces[Symbol.asyncIterator]()
  }

  /** At least one byte and at most `mostBytes`, or undefined at the end. */
  async some(mostBytes: number): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const next = await this.#iterator.next()
      if (next.done === true) return undefined
      this.#rest = next.value
    }
    const piece = this.#rest.subarray(0, mostBytes)
    this.#rest = this.#rest.subarray(piece.length)
    return piece
  }

  /** Exactly `bytes`, or fewer at the end. */
  async exactly(bytes: number): Promise<Buffer> {
    const pieces: Uint8Array[] = []
    let missing = bytes
    while (missing > 0) {
      const piece = await this.some(missing)
      if (piece === undefined) break
      pieces.push(piece)
      missing -= piece.length
    }
    return Buffer.concat(pieces)
  }

  /** Lets the source go. */
  async close(): Promise<void> {
    await this.#iterator.return?.()
  }
}

/**
 * Gathers pieces into one array.
 *
 * @throws what the pieces throw
 */
export async function collectBytes(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    all.push(piece)
    length += piece.length
  }
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const piece of all) {
    bytes.set(piece, offset)
    offset += piece.length
  }
  return bytes
}
