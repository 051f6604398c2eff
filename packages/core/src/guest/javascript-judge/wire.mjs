// Frames between the judge and the candidate: a length, then JSON. Either side may be fed by an enemy.
import { readSync, writeSync } from 'node:fs'

/** Descriptors of the candidate: requests of the judge and a bell for it; all else. */
export const REQUESTS = 3
export const ANSWERS = 4

const MOST_BYTES = 64 * 1024 * 1024
const SLOW_MS = 500
const LONGEST_NAP_MS = 2
const sleeper = new Int32Array(new SharedArrayBuffer(4))
const { stringify, parse } = JSON
const { wait } = Atomics
const { concat, from, alloc } = Buffer
const { now } = performance
const clock = now.bind(performance)

/** The other side is gone. */
export class Closed extends Error {}
/** The other side sent something that is no message. */
export class Broken extends Error {}

/** A message as bytes. */
export function pack(message) {
  const body = from(stringify(message), 'utf8')
  if (body.length > MOST_BYTES) throw new RangeError(`a message of ${body.length} bytes`)
  const head = alloc(4)
  head.writeUInt32BE(body.length)
  return concat([head, body])
}

/** The message that bytes after the length are. @throws Broken */
export function unpack(body) {
  let message
  try {
    message = parse(body.toString('utf8'))
  } catch (error) {
    throw new Broken(`not JSON: ${error.message}`)
  }
  if (!Array.isArray(message) || typeof message[0] !== 'string') throw new Broken('not a message')
  return message
}

/** Writes all of it, however full the pipe is. @throws Closed */
export function writeAll(descriptor, bytes) {
  for (let done = 0; done < bytes.length; )
    done += patiently(() => writeSync(descriptor, bytes, done, bytes.length - done))
}

/** Reads exactly so many bytes, never one more. @throws Closed */
export function readExactly(descriptor, count, onSlow) {
  const bytes = alloc(count)
  for (let done = 0; done < count; ) {
    const got = patiently(() => readSync(descriptor, bytes, done, count - done, null), onSlow)
    if (got === 0) throw new Closed('the process ended')
    done += got
  }
  return bytes
}

/** Waits for one message. @throws Closed, Broken */
export function receive(descriptor, onSlow) {
  const size = readExactly(descriptor, 4, onSlow).readUInt32BE()
  if (size > MOST_BYTES) throw new Broken(`a message of ${size} bytes`)
  return unpack(readExactly(descriptor, size, onSlow))
}

/** A function that takes bytes as they come and gives the messages that are complete. */
export function messageReader() {
  let rest = alloc(0)
  return (chunk) => {
    rest = rest.length === 0 ? chunk : concat([rest, chunk])
    const messages = []
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
      const end = 4 + rest.readUInt32BE()
      messages.push(unpack(rest.subarray(4, end)))
      rest = rest.subarray(end)
    }
    return messages
  }
}

/** Tries until the pipe is ready, with ever longer naps; tells once when that takes long. */
function patiently(attempt, onSlow) {
  let nap = 0.02
  let slowAt
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (error.code !== 'EAGAIN') throw new Closed(error.message)
    }
    wait(sleeper, 0, 0, nap)
    nap = Math.min(nap * 1.3, LONGEST_NAP_MS)
    if (onSlow === undefined) continue
    slowAt ??= clock() + SLOW_MS
    if (clock() < slowAt) continue
    slowAt = Number.POSITIVE_INFINITY
    onSlow()
  }
}
