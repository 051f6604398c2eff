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
    throw MendloopError.is(error) ? error : fileUnavailable(path, reasonOf(error), error)
  }
  return length === content.length ? content : content.slice(0, length)
}

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
