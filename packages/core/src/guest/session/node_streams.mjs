// Writing that is done when it returns: Node's own streams keep back what a pipe does not take at once, and a cell that
// has ended would leave its output behind.
import fs, { fstatSync, writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { Writable } from 'node:stream'

const NOTHING = new Int32Array(new SharedArrayBuffer(4))
/** Our streams by name, and the methods of the console. */
const streams = new Map()
const methods = {}
const TAKES_NO_MORE_NOW = new Set(['EAGAIN', 'EINTR'])

/** Writes all of it, however little the system takes at once. @throws when nobody takes it */
export function writeAll(descriptor, data) {
  let rest = data
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
    } catch (error) {
      if (!TAKES_NO_MORE_NOW.has(error.code)) throw error
      Atomics.wait(NOTHING, 0, 0, 1)
    }
  }
}

/** The session's own descriptors, which nothing could open again: closing one does nothing. */
const MOST_OWN_DESCRIPTOR = 5
let inodes = []

/** Node cannot put a descriptor in the place of another, so that a cell that closed one would close it for all. */
function keepDescriptorsOpen() {
  const { close, closeSync } = fs
  const isOwn = (descriptor) =>
    typeof descriptor === 'number' && descriptor >= 0 && descriptor <= MOST_OWN_DESCRIPTOR
  fs.closeSync = (descriptor) => (isOwn(descriptor) ? undefined : closeSync(descriptor))
  fs.close = (descriptor, ...rest) => {
    if (!isOwn(descriptor)) return close(descriptor, ...rest)
    const [done] = rest
    if (typeof done === 'function') process.nextTick(done, null)
  }
  syncBuiltinESMExports()
  inodes = [1, 2].map((descriptor) => fstatSync(descriptor).ino)
}

/** Whether the descriptors of the streams are what they were: there are other ways to close them. */
export function hasDescriptors() {
  try {
    return [1, 2].every((descriptor, at) => fstatSync(descriptor).ino === inodes[at])
  } catch {
    return false
  }
}

/** Puts streams of this kind in the place of `process.stdout` and `process.stderr`, which nobody has asked for yet. */
export function takeOverStreams() {
  keepDescriptorsOpen()
  for (const [name, descriptor] of [
    ['stdout', 1],
    ['stderr', 2],
  ]) {
    const stream = new Writable({
      decodeStrings: true,
      write(chunk, _, done) {
        try {
          writeAll(descriptor, chunk)
          done()
        } catch (error) {
          done(error)
        }
      },
    })
    // Somebody who ends it ends what they write: others write on.
    stream.destroy = () => stream
    stream.end = (chunk, encoding, done) => {
      const told = [chunk, encoding, done].find((one) => typeof one === 'function')
      if (chunk !== undefined && chunk !== null && chunk !== told)
        stream.write(chunk, typeof encoding === 'string' ? encoding : undefined)
      if (told !== undefined) process.nextTick(told)
      return stream
    }
    Object.assign(stream, { fd: descriptor, isTTY: false })
    streams.set(name, stream)
  }
  restoreStreams()
  Object.assign(methods, console)
}

/** What an earlier cell has replaced is as it was: one that has muted the console does not mute the next. */
export function restoreStreams() {
  for (const [name, value] of streams) {
    delete value.write
    Object.defineProperty(process, name, { value, configurable: true, writable: true, enumerable: true })
  }
  Object.assign(globalThis.console ?? {}, methods)
}
