// Reads what a program left behind, which may be anything: links, pipes, devices, endless or secret files.
import { createHash, hash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, read as readCallback, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { MendloopError } from '@mendloop/core'
import type { Address } from './file-name.js'
import { fileUnavailable, withinWorkspace } from './open-within.js'
import type { SecondNames } from './second-names.js'
import { errorCode } from './system-error.js'

const read = promisify(readCallback)

// Non-blocking: opening a named pipe must not wait for somebody to write to it.
const FILE_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const CHUNK_BYTES = 1024 * 1024
const SMALL_BYTES = 64 * 1024
/** A piece of a stream: large enough to be fast, small enough that a slow reader holds little. */
const STREAMED_BYTES = 128 * 1024

/** Gives the pieces of an open file to `take`; the buffer is used again after each call. */
async function readPieces(
  descriptor: number,
  size: number,
  take: (piece: Uint8Array) => void,
  stopped?: () => boolean,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(size, CHUNK_BYTES)))
  // Not beyond the size it had: a file that still grows has no end.
  for (let position = 0; position < size; ) {
    if (stopped?.() === true) throw new Error('stopped')
    const length = Math.min(buffer.length, size - position)
    // A hop to the thread pool costs more than a small read.
    const bytesRead =
      size <= SMALL_BYTES
        ? readSync(descriptor, buffer, 0, length, position)
        : (await read(descriptor, buffer, 0, length, position)).bytesRead
    if (bytesRead === 0) break
    take(buffer.subarray(0, bytesRead))
    position += bytesRead
  }
}

/** For small files, which are read in one go. */
const shared = Buffer.allocUnsafe(SMALL_BYTES)

/**
 * SHA-256 of a file, in hex.
 *
 * @param stopped - asked between pieces: true ends it
 * @returns undefined when it cannot be read, or was stopped; at once for a small file
 */
export function hashFile(
  address: Address,
  stopped: () => boolean,
): string | undefined | Promise<string | undefined> {
  let descriptor: number
  try {
    descriptor = openRegular(address)
  } catch {
    return undefined
  }
  let mine = true
  try {
    const { size } = fstatSync(descriptor)
    if (size > SMALL_BYTES) {
      mine = false
      return hashLarge(descriptor, size, stopped)
    }
    return hash('sha256', shared.subarray(0, readSync(descriptor, shared, 0, size, 0)))
  } catch {
    return undefined
  } finally {
    if (mine) closeSync(descriptor)
  }
}

async function hashLarge(
  descriptor: number,
  size: number,
  stopped: () => boolean,
): Promise<string | undefined> {
  const digest = createHash('sha256')
  try {
    await readPieces(descriptor, size, (piece) => digest.update(piece), stopped)
    return digest.digest('hex')
  } catch {
    return undefined
  } finally {
    closeSync(descriptor)
  }
}

/** Where a file is. */
export interface ReadPlace {
  readonly root: string
  /** Finds the other names of a file that has several. */
  readonly names: SecondNames
}

/**
 * Reads one regular file.
 *
 * @throws MendloopError FILE_UNAVAILABLE, PATH_REFUSED
 */
export function readWorkspaceFile(place: ReadPlace, path: string): Promise<Uint8Array> {
  return withRegularFile(place, path, async (descriptor) => {
    const { size } = fstatSync(descriptor)
    const content = new Uint8Array(size)
    let length = 0
    await readPieces(descriptor, size, (piece) => {
      content.set(piece, length)
      length += piece.length
    })
    return length === size ? content : content.slice(0, length)
  })
}

/**
 * Reads a part of one regular file: fewer bytes, or none, beyond its end.
 *
 * @throws MendloopError FILE_UNAVAILABLE, PATH_REFUSED
 */
export function readWorkspaceRange(
  place: ReadPlace,
  path: string,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<Uint8Array> {
  return withRegularFile(place, path, async (descriptor) => {
    const wanted = Math.min(length, Math.max(0, fstatSync(descriptor).size - offset))
    const content = new Uint8Array(wanted)
    let filled = 0
    while (filled < wanted) {
      const { bytesRead } = await read(descriptor, content, filled, wanted - filled, offset + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return filled === wanted ? content : content.slice(0, filled)
  })
}

/**
 * Reads one regular file piece by piece; each piece is the receiver's to keep.
 *
 * @throws MendloopError FILE_UNAVAILABLE, PATH_REFUSED, when the iteration starts
 */
export async function* streamWorkspaceFile(place: ReadPlace, path: string): AsyncGenerator<Uint8Array, void> {
  const descriptor = await explainedOpen(place, path)
  try {
    const { size } = fstatSync(descriptor)
    for (let position = 0; position < size; ) {
      const piece = new Uint8Array(Math.min(STREAMED_BYTES, size - position))
      const { bytesRead } = await read(descriptor, piece, 0, piece.length, position)
      if (bytesRead === 0) break
      position += bytesRead
      yield bytesRead === piece.length ? piece : piece.subarray(0, bytesRead)
    }
  } catch (error) {
    throw explainedError(path, error)
  } finally {
    closeSync(descriptor)
  }
}

async function withRegularFile<T>(
  place: ReadPlace,
  path: string,
  use: (descriptor: number) => Promise<T>,
): Promise<T> {
  const descriptor = await explainedOpen(place, path)
  try {
    return await use(descriptor)
  } catch (error) {
    throw explainedError(path, error)
  } finally {
    closeSync(descriptor)
  }
}

async function explainedOpen(place: ReadPlace, path: string): Promise<number> {
  try {
    return await openRegularFile(place, path)
  } catch (error) {
    throw explainedError(path, error)
  }
}

const explainedError = (path: string, error: unknown): unknown =>
  MendloopError.is(error) ? error : fileUnavailable(path, reasonOf(error), error)

async function openRegularFile({ root, names }: ReadPlace, path: string): Promise<number> {
  const opened = withinWorkspace(root, path, 'give-up', openFile)
  if (opened === undefined) throw fileUnavailable(path, 'does not exist')
  const { descriptor, hasNames } = opened
  try {
    if (hasNames && !(await names.areWithin(descriptor))) throw new NotRegular(SECOND_NAME)
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/** Opens a file that has this one name. @throws NotRegular; the system's error */
function openRegular(address: Address): number {
  const { descriptor, hasNames } = openFile(address)
  if (!hasNames) return descriptor
  closeSync(descriptor)
  throw new NotRegular(SECOND_NAME)
}

/** Opens a file, and says whether it has further names. @throws NotRegular; the system's error */
function openFile(address: Address): { readonly descriptor: number; readonly hasNames: boolean } {
  const descriptor = openSync(address, FILE_FLAGS)
  const stats = fstatSync(descriptor)
  if (stats.isFile()) return { descriptor, hasNames: stats.nlink > 1 }
  closeSync(descriptor)
  throw new NotRegular(stats.isDirectory() ? 'is a folder' : 'is not a regular file')
}

/** A second name may be a file of the host's, brought in by a hard link. */
const SECOND_NAME = 'has a second name (a hard link) that was not found in the workspace'

/** Why a file is not opened; the end of a sentence. */
class NotRegular extends Error {}

function reasonOf(error: unknown): string {
  if (error instanceof NotRegular) return error.message
  switch (errorCode(error)) {
    case 'ENOENT':
      return 'does not exist'
    case 'ELOOP':
      return 'is a link'
    case 'ENXIO':
      return 'is not a regular file'
    case 'EACCES':
      return 'is not readable'
    default:
      return 'cannot be read'
  }
}
