// Reaches a file of the workspace without ever following a link, also while a program swaps folders for links.
import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
} from 'node:fs'
import { MendloopError } from '@mendloop/core'
import { pathRefused } from '@mendloop/core/adapter'
import { type Address, addressIn } from './file-name.js'
import { errorCode } from './system-error.js'

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

// An open folder, addressed through /proc, stays the folder that was checked. Without /proc a look at each step has to do.
const holdsFolders = process.platform === 'linux' && existsSync('/proc/self/fd')

/** Whose the files of a workspace are, where that is not the user of this process. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** What to do when a parent folder is not there: make it, as whose it may be said, or nothing. */
export type MissingParent = { readonly create: Owner | undefined } | 'give-up'

/** Gives a file that no program can reach yet to its owner. */
export function handOver(path: string, owner: Owner | undefined): void {
  if (owner !== undefined) lchownSync(path, owner.uid, owner.gid)
}

/**
 * The address under which a root can be looked at and opened without following a link.
 *
 * An open folder (`/proc/self/fd/5`) is itself a link in the eyes of the system; the dot steps through it.
 */
export const rootAddress = (root: string): string =>
  /^\/proc\/self\/fd\/\d+$/.test(root) ? `${root}/.` : root

/**
 * Calls `use` with an address for `path` whose parent folders were each checked to be real folders.
 *
 * @param path - canonical, from `toWorkspacePath` or `toFoundPath`
 * @param use - must be synchronous: the address, and that of the folder it is in, are good for the length of the call
 * @returns what `use` returns, or undefined when a parent is missing and `missing` is `give-up`
 * @throws MendloopError PATH_REFUSED when a parent is a link or not a folder, FILE_UNAVAILABLE when one is closed; and
 * whatever `use` throws
 */
export function withinWorkspace<T>(
  root: string,
  path: string,
  missing: MissingParent,
  use: (address: Address, folder: string) => T,
): T | undefined {
  const names = path.split('/')
  const last = names.pop() ?? ''
  let folder = openRoot(root, path)
  try {
    for (const name of names) {
      const opened = stepInto(addressIn(folder.address, name), missing, path, name)
      if (opened === undefined) return undefined
      folder.close()
      folder = opened
    }
    return use(addressIn(folder.address, last), folder.address)
  } finally {
    folder.close()
  }
}

/** A real folder, held while it is used. */
export interface Folder {
  /** Stays this folder whatever becomes of its name, where the system can hold one. */
  readonly address: string
  /** Size of its list of names, as the system counts it. */
  listBytes(): number
  /** Makes it somebody's. */
  give(owner: Owner | undefined): void
  close(): void
}

function openRoot(root: string, path: string): Folder {
  try {
    return openFolder(rootAddress(root))
  } catch (error) {
    throw fileUnavailable(path, `is in a workspace that cannot be opened (${errorCode(error)})`, error)
  }
}

/** Opens a folder that is no link. @throws the system's error: ENOENT, ENOTDIR, ELOOP, EACCES */
export function openFolder(path: Address): Folder {
  if (!holdsFolders) {
    if (!lstatSync(path).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
    const address = String(path)
    return {
      address,
      listBytes: () => lstatSync(address).size,
      give: (owner) => handOver(address, owner),
      close: () => undefined,
    }
  }
  const descriptor = openSync(path, FOLDER_FLAGS)
  return {
    address: `/proc/self/fd/${descriptor}`,
    listBytes: () => fstatSync(descriptor).size,
    // By descriptor: at its name a program may have put something else by now.
    give: (owner) => owner && fchownSync(descriptor, owner.uid, owner.gid),
    close: () => closeSync(descriptor),
  }
}

function stepInto(address: Address, missing: MissingParent, path: string, name: string): Folder | undefined {
  try {
    return openFolder(address)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOTDIR' || code === 'ELOOP')
      throw pathRefused(path, `needs "${name}" to be a folder; it is ${kindOf(address)}`)
    if (code !== 'ENOENT')
      throw fileUnavailable(path, `is in a folder that cannot be opened (${code})`, error)
    if (missing === 'give-up') return undefined
  }
  mkdirSync(address)
  const folder = openFolder(address)
  try {
    folder.give(missing.create)
  } catch (error) {
    folder.close()
    throw error
  }
  return folder
}

/** What stands at an address, in words. */
export function kindOf(address: Address): string {
  const stats = lstatSync(address, { throwIfNoEntry: false })
  if (stats === undefined) return 'nothing'
  if (stats.isSymbolicLink()) return 'a link'
  if (stats.isDirectory()) return 'a folder'
  return stats.isFile() ? 'a file' : 'neither a file nor a folder'
}

const remedyFor = (reason: string): string =>
  /\b(?:ENOSPC|EDQUOT)\b/.test(reason)
    ? 'There is no room left: remove files, or open the sandbox with more limits.diskBytes where it takes them.'
    : 'files.list() says what is there.'

/** The error for a file that cannot be had. */
export const fileUnavailable = (
  path: string,
  reason: string,
  cause?: unknown,
): MendloopError<'FILE_UNAVAILABLE'> =>
  new MendloopError('FILE_UNAVAILABLE', `The file ${JSON.stringify(path)} ${reason}. ${remedyFor(reason)}`, {
    details: { path, reason },
    cause,
  })
