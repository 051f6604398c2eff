// Reads what a program left behind, which may be anything: links, pipes, devices, endless or secret files.
import { closeSync, constants, fstatSync, openSync, read as readCallback, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { MendloopError } from '@mendloop/core'
import { errorCode, fileUnavailable, withinWorkspace } from './open-within.js'

const read = promisify(readCallback)

// Non-blocking: opening a named pipe must not wait for somebody to write to it.
const FILE_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const CHUNK_BYTES = 1024 * 1024
const SMALL_BYTES = 64 * 1024
/** A piece of a stream: large enough to be fast, small enough that a slow reader holds little. */
const STREAMED_BYTES = 128 * 1024

/** Gives the pieces of one regular file to `take`; the buffer is used again after each call. */
export async function readPieces(
  root: string,
  path: string,
  take: (piece: Uint8Array, sizeBytes: number) => void,
): Promise<void> {
  const descriptor = openRegularFile(root, path)
  try {
    const { size } = fstatSync(descriptor)
    const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(size, CHUNK_BYTES)))
    // Not beyond the size it had: a file that still grows has no end.
    for (let position = 0; position < size; ) {
      const length = Math.min(buffer.length, size - position)
      // A hop to the thread pool costs more than a small read.
      const bytesRead =
        size <= SMALL_BYTES
          ? readSync(descriptor, buffer, 0, length, position)
          : (await read(descriptor, buffer, 0, length, position)).bytesRead
      if (bytesRead === 0) break
      take(buffer.subarray(0, bytesRead), size)
      position += bytesRead
    }
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Reads one regular file.
 *
 * @throws MendloopError FILE_UNAVAILABLE, PATH_REFUSED
 */
export async function readWorkspaceFile(root: string, path: string): Promise<Uint8Array> {
  let content = new Uint8Array(0)
  let length = 0
  try {
    await readPieces(root, path, (piece, sizeBytes) => {
      if (length === 0) content = new Uint8Array(sizeBytes)
      content.set(piece, length)
      length += piece.length
    })
  } catch (error) {
    throw explainedError(path, error)
  }
  return length === content.length ? content : content.slice(0, length)
}

/**
 * Reads a part of one regular file: fewer bytes, or none, beyond its end.
 *
 * @throws MendloopError FILE_UNAVAILABLE, PATH_REFUSED
 */
export function readWorkspaceRange(
  root: string,
  path: string,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<Uint8Array> {
  return withRegularFile(root, path, async (descriptor) => {
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
export async function* streamWorkspaceFile(root: string, path: string): AsyncGenerator<Uint8Array, void> {
  const descriptor = explainedOpen(root, path)
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
  root: string,
  path: string,
  use: (descriptor: number) => Promise<T>,
): Promise<T> {
  const descriptor = explainedOpen(root, path)
  try {
    return await use(descriptor)
  } catch (error) {
    throw explainedError(path, error)
  } finally {
    closeSync(descriptor)
  }
}

function explainedOpen(root: string, path: string): number {
  try {
    return openRegularFile(root, path)
  } catch (error) {
    throw explainedError(path, error)
  }
}

const explainedError = (path: string, error: unknown): unknown =>
  MendloopError.is(error) ? error : fileUnavailable(path, reasonOf(error), error)

function openRegularFile(root: string, path: string): number {
  const descriptor = withinWorkspace(root, path, 'give-up', (address) => openSync(address, FILE_FLAGS))
  if (descriptor === undefined) throw fileUnavailable(path, 'does not exist')
  const stats = fstatSync(descriptor)
  // A second name may be a file of the host's, brought in by a hard link.
  const reason = stats.isDirectory()
    ? 'is a folder'
    : !stats.isFile()
      ? 'is not a regular file'
      : stats.nlink > 1
        ? 'has a second name (a hard link), possibly outside the workspace'
        : undefined
  if (reason === undefined) return descriptor
  closeSync(descriptor)
  throw fileUnavailable(path, reason)
}

function reasonOf(error: unknown): string {
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
