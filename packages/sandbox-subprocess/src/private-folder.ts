// The folder of one sandbox: private, unguessable, and gone afterwards whatever a program did to it.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, realpathSync, unlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { guard, unguard } from './guardian.js'
import { errorCode } from './open-within.js'

/** Where the parts of a sandbox live. */
export interface PrivateFolder {
  /** Mode 0700, in the system's temporary folder. */
  readonly root: string
  /** Where programs run. */
  readonly workspace: string
  /** HOME of programs; beside the workspace, so that it shows in no list. */
  readonly home: string
  /** TMPDIR of programs; beside the workspace as well. */
  readonly temporary: string
}

/** Makes the folder of a new sandbox; the guardian knows of it before it exists. */
export function createPrivateFolder(): PrivateFolder {
  // Resolved, because a program asks for its working directory and gets the real name (macOS: /var is a link).
  const root = join(realpathSync(tmpdir()), `mendloop-${randomBytes(9).toString('hex')}`)
  const folder = {
    root,
    workspace: join(root, 'work'),
    home: join(root, 'home'),
    temporary: join(root, 'tmp'),
  }
  guard('dir', root)
  try {
    for (const path of [root, folder.workspace, folder.home, folder.temporary])
      mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    unguard('dir', root)
    throw error
  }
  return folder
}

const OWNER_RIGHTS = 0o700

/**
 * Makes good what a program has removed, closed to everybody or put something else in the place of: its own folder and
 * the one above are as much within its reach as any file.
 *
 * @returns undefined, or why it cannot be made good
 */
export function restorePrivateFolder({
  root,
  workspace,
  home,
  temporary,
}: PrivateFolder): string | undefined {
  try {
    for (const path of [root, workspace, home, temporary]) {
      const stats = lstatSync(path, { throwIfNoEntry: false })
      if (stats?.isDirectory()) {
        if ((stats.mode & OWNER_RIGHTS) !== OWNER_RIGHTS) chmodSync(path, OWNER_RIGHTS)
      } else {
        if (stats !== undefined) unlinkSync(path)
        mkdirSync(path, { mode: OWNER_RIGHTS })
      }
    }
    return undefined
  } catch (error) {
    return `is in a sandbox whose folder cannot be made good (${errorCode(error) ?? error})`
  }
}

/** Removes it with everything in it; what cannot be removed now is left to the guardian. */
export async function removePrivateFolder({ root }: PrivateFolder): Promise<void> {
  try {
    await removeFolder(root)
  } catch {
    return
  }
  unguard('dir', root)
}

/** Removes a folder, also one that holds folders without any rights or deeper than a path is long. */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 })
  } catch (error) {
    if (process.platform === 'win32') throw error
    const script = 'chmod -R u+rwx -- "$1"; rm -rf -- "$1"'
    await promisify(execFile)('/bin/sh', ['-c', script, 'mendloop', path], { cwd: '/' })
  }
}
