// The folder of one sandbox: private, unguessable, and gone afterwards whatever a program did to it.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  lstatSync,
  mkdirSync,
  realpathSync,
  statSync,
  unlinkSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MendloopError } from '@mendloop/core'
import { guard, unguard } from './guardian.js'
import type { Owner } from './open-within.js'
import { errorCode, inWords } from './system-error.js'

/** Where the parts of a sandbox live, as this process addresses them. */
export interface PrivateFolder {
  /** For this process alone: what is on its way in or out. */
  readonly root: string
  /** Where programs run. */
  readonly workspace: string
  /** Command texts that are too long for an argument. */
  readonly scripts: string
  /** Folders that programs may write to, the workspace among them: made good before each use. */
  readonly writable: readonly string[]
  /** The same places as programs know them. */
  readonly inside: FolderNames
  /** Whom the writable folders belong to, when it is not this user. */
  readonly owner: Owner | undefined
}

/** Names of the parts for programs. */
export interface FolderNames {
  readonly workspace: string
  /** HOME; beside the workspace, so that it shows in no list. */
  readonly home: string
  /** TMPDIR; beside the workspace as well. */
  readonly temporary: string
  readonly scripts: string
}

/** Owners alone may enter. */
const OWNER_RIGHTS = 0o700
/** Those who know a name in it may pass through. */
const PASSAGE_RIGHTS = 0o711

/**
 * Makes an empty folder that nobody else can look into; the guardian knows of it before it exists.
 *
 * @throws MendloopError SANDBOX_UNAVAILABLE when `parent` is no folder; Error for what the system says of it otherwise
 */
export function createRoot(parent: string = tmpdir(), mode: number = OWNER_RIGHTS): string {
  const root = join(realFolder(parent), `mendloop-${randomBytes(9).toString('hex')}`)
  guard('dir', root)
  try {
    mkdirSync(root, { mode })
    // Whatever the umask says.
    if (mode !== OWNER_RIGHTS) chmodSync(root, mode)
  } catch (error) {
    unguard('dir', root)
    throw error
  }
  return root
}

/** Resolved, because a program asks for its working directory and gets the real name (macOS: /var is a link). */
function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    throw noFolderIn(path, error)
  }
}

/**
 * Makes sure that folders for sandboxes can be made at all, before that is taken for a fault of some tier.
 *
 * @throws MendloopError SANDBOX_UNAVAILABLE
 */
export function requireTemporaryFolder(): void {
  const folder = tmpdir()
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    if (!statSync(folder).isDirectory()) throw new Error('it is no folder')
  } catch (error) {
    throw noFolderIn(folder, error)
  }
}

function noFolderIn(path: string, cause: unknown): MendloopError<'SANDBOX_UNAVAILABLE'> {
  const reason = `no folder can be made in ${path} (${errorCode(cause) ?? inWords(cause)})`
  return new MendloopError(
    'SANDBOX_UNAVAILABLE',
    `subprocess(): ${reason}. Set TMPDIR to a folder that this user can write to.`,
    { details: { sandbox: 'subprocess', reason }, cause },
  )
}

/** How a folder on the disk is to be. */
export interface FolderOptions {
  /** Where to make it. Default: the system's folder for temporary files. */
  readonly parent?: string
  /** Whose the writable parts are, when not this user's. */
  readonly owner?: Owner | undefined
  /** Programs are kept out of the folder itself, so what they may read in it needs a place of its own. */
  readonly confined?: boolean
}

/** Makes the folder of a new sandbox on the disk. */
export function createPrivateFolder({ parent, owner, confined = false }: FolderOptions = {}): PrivateFolder {
  const root = createRoot(parent, owner === undefined ? OWNER_RIGHTS : PASSAGE_RIGHTS)
  const [workspace, home, temporary] = [join(root, 'work'), join(root, 'home'), join(root, 'tmp')]
  const scripts = confined ? join(root, 'scripts') : root
  const inside = { workspace, home, temporary, scripts }
  const writable = [workspace, home, temporary]
  try {
    if (confined) mkdirSync(scripts, { mode: PASSAGE_RIGHTS })
    for (const path of writable) makeOwned(path, owner)
  } catch (error) {
    unguard('dir', root)
    throw error
  }
  return { root, workspace, scripts, writable, inside, owner }
}

function makeOwned(path: string, owner: Owner | undefined): void {
  mkdirSync(path, { mode: OWNER_RIGHTS })
  if (owner !== undefined) chownSync(path, owner.uid, owner.gid)
}

/**
 * Makes good what a program has removed, closed to everybody or put something else in the place of: its own folder and
 * the one above are as much within its reach as any file.
 *
 * @returns undefined, or why it cannot be made good
 */
export function restorePrivateFolder({ root, writable, owner }: PrivateFolder): string | undefined {
  try {
    for (const path of [root, ...writable]) {
      const stats = lstatSync(path, { throwIfNoEntry: false })
      if (stats?.isDirectory()) {
        if ((stats.mode & OWNER_RIGHTS) !== OWNER_RIGHTS) chmodSync(path, OWNER_RIGHTS)
      } else {
        if (stats !== undefined) unlinkSync(path)
        makeOwned(path, path === root ? undefined : owner)
      }
    }
    return undefined
  } catch (error) {
    return `is in a sandbox whose folder cannot be made good (${errorCode(error) ?? error})`
  }
}

/** Removes it with everything in it; what cannot be removed now is left to the guardian. */
export async function removeRoot(root: string): Promise<void> {
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
