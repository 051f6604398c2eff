// The folder of one sandbox: private, unguessable, and gone afterwards whatever a program did to it.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, realpathSync, unlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { guard, unguard } from './guardian.js'

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

/** Makes good what a program has removed or put something else in the place of. */
export function restorePrivateFolder({ workspace, home, temporary }: PrivateFolder): void {
  for (const path of [workspace, home, temporary]) {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats?.isDirectory()) continue
    if (stats !== undefined) unlinkSync(path)
    mkdirSync(path, { mode: 0o700 })
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
