// Paths that callers ask for: one that every system reads alike, or one that a program has made a file of all the same.
import { lstatSync } from 'node:fs'
import { MendloopError } from '@mendloop/core'
import { toWorkspacePath } from '@mendloop/core/adapter'
import { isSayable } from './file-name.js'
import { withinWorkspace } from './open-within.js'

/**
 * Resolves a path of something that may be there. Names that no caller can give a file (`a\b`, `C:/x`, bytes that are not
 * text, a path of 5 000 bytes) a program can: by such a path, exactly as it was told, the file is found.
 *
 * @returns the path in its one canonical form, never outside
 * @throws MendloopError PATH_REFUSED
 */
export function toFoundPath(root: string, path: string): string {
  try {
    return toWorkspacePath(path)
  } catch (error) {
    if (!MendloopError.is(error, 'PATH_REFUSED') || !isOddName(path) || !isThere(root, path)) throw error
    return path
  }
}

/** True for what the system may have said; where a backslash is a slash, or a colon a drive, it says no such thing. */
function isOddName(path: unknown): path is string {
  if (process.platform === 'win32' || typeof path !== 'string') return false
  const isCanonical = path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  return isCanonical && !path.includes('\0') && isSayable(path)
}

function isThere(root: string, path: string): boolean {
  try {
    return (
      withinWorkspace(root, path, 'give-up', (address) => lstatSync(address, { throwIfNoEntry: false })) !==
      undefined
    )
  } catch {
    return false
  }
}
