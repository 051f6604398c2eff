// Where a folder can be made that the sandbox's user can come to.
import { accessSync, constants, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { MendloopError } from '@mendloop/core'
import type { Owner } from '../open-within.js'
import { closedFolder } from './veil.js'

/** @throws MendloopError SANDBOX_UNAVAILABLE when there is none */
export function temporaryFolderFor(owner: Owner | undefined): string {
  if (owner === undefined) return tmpdir()
  const found = [tmpdir(), '/tmp', '/var/tmp'].find((path) => closedFolder(path) === undefined)
  if (found !== undefined) return found
  const reason = `${tmpdir()} can be entered by its owner only`
  throw new MendloopError(
    'SANDBOX_UNAVAILABLE',
    `subprocess(): ${reason}, and programs run as a user of their own. Set TMPDIR to a folder that everybody may enter.`,
    { details: { sandbox: 'subprocess', reason } },
  )
}

/** Bytes that the system takes for the path of a socket, the NUL at its end not counted (unix(7); 103 on a Mac). */
const LONGEST_SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107

/**
 * As {@link temporaryFolderFor}, and short enough for a socket in it.
 *
 * @param below - what comes after its path, as long as it will be
 * @throws MendloopError SANDBOX_UNAVAILABLE when there is none
 */
export function socketFolderFor(owner: Owner | undefined, below: string): string {
  const usual = temporaryFolderFor(owner)
  const found = [usual, '/tmp', '/var/tmp', '/dev/shm'].find((path) => isShortFolder(path, below))
  if (found !== undefined) return found
  const reason = `the path of ${usual} is too long for a socket in it`
  throw new MendloopError(
    'SANDBOX_UNAVAILABLE',
    `subprocess(): ${reason}, with which the walls are tried before they are believed. Set TMPDIR to a folder with a shorter path.`,
    { details: { sandbox: 'subprocess', reason } },
  )
}

function isShortFolder(path: string, below: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return Buffer.byteLength(realpathSync(path) + below) <= LONGEST_SOCKET_PATH_BYTES
  } catch {
    return false
  }
}
