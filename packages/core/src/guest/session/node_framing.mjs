// Frames between the host, the control process and the worker: length of what follows, type, id, payload.

export const MAGIC = Buffer.from('\0MENDLOOP-RUN-1\n', 'latin1')
export const NONCE_BYTES = 16
// Down: from the host to the control process, and on to the worker; then up.
export const RUN = 1
export const INTERRUPT = 2
export const REPLACE = 3
export const REPLY = 4
export const HELLO = 16
export const READY = 17
export const STDOUT = 18
export const STDERR = 19
export const DISPLAY = 20
export const DONE = 21
export const DIED = 22
export const CALL = 23
/** Goes no further than the control process: from then on an interrupt reaches the cell. */
export const STARTED = 24

const HEAD_BYTES = 9
const MOST_BYTES = 64 * 1024 * 1024

/** One frame as bytes. */
export function pack(type, id, payload = Buffer.alloc(0)) {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(payload.length + 5, 0)
  head.writeUInt8(type, 4)
  head.writeUInt32LE(id, 5)
  return Buffer.concat([head, payload])
}

/** A value as JSON in bytes. */
export const asJson = (value) => Buffer.from(JSON.stringify(value), 'utf8')

/** A function that takes bytes as they come and gives the frames that are complete. @throws for what is no frame */
export function frameReader(mostBytes = MOST_BYTES) {
  let pieces = []
  let waiting = 0
  let needed = HEAD_BYTES
  return (chunk) => {
    pieces.push(chunk)
    waiting += chunk.length
    // Joined only when there is enough for a frame: a long one comes in many pieces.
    if (waiting < needed) return []
    let rest = Buffer.concat(pieces)
    const frames = []
    needed = HEAD_BYTES
    while (rest.length >= HEAD_BYTES) {
      const length = rest.readUInt32LE(0)
      if (length < 5 || length > mostBytes) throw new Error(`a frame of ${length} bytes`)
      if (rest.length < length + 4) {
        needed = length + 4
        break
      }
      const payload = rest.subarray(HEAD_BYTES, length + 4)
      frames.push({ type: rest.readUInt8(4), id: rest.readUInt32LE(5), payload })
      rest = rest.subarray(length + 4)
    }
    pieces = [rest]
    waiting = rest.length
    return frames
  }
}
