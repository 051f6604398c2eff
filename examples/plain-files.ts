// The files of a sandbox that is a folder of this machine (Linux), and a look at all of them: what a run changed.
import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import {
  type ExecutionResult,
  type FileEntry,
  MendloopError,
  type UnseenPlace,
  type WorkspaceFiles,
} from '@mendloop/core'
import {
  compareWorkspaces,
  type FileState,
  pathRefused,
  toWorkspaceFiles,
  toWorkspacePath,
} from '@mendloop/core/adapter'
import { at, walk } from './held-folders.js'

/** Never waits for a pipe, never follows a link. */
const FILE = constants.O_NOFOLLOW | constants.O_NONBLOCK
/** Above this a file is known by its size and its time of change. */
const MOST_HASHED_BYTES = 256 * 1024 * 1024
/** What one look at a workspace has seen. */
interface Seen {
  readonly state: ReadonlyMap<string, FileState>
  readonly unseen: readonly UnseenPlace[]
}
const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined
const unlessAbsent = (error: unknown): undefined => {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(String(codeOf(error)))) throw error
}
const statsOf = (root: string, path: string) => at(root, path, (place) => lstat(place)).catch(unlessAbsent)

/** Opens a regular file that has no other name, which may be one outside. */
const withFile = <T>(root: string, path: string, use: (file: FileHandle) => Promise<T>): Promise<T> =>
  at(root, path, async (place) => {
    const file = await open(place, FILE)
    try {
      const stats = await file.stat()
      if (!stats.isFile() || stats.nlink > 1) throw new Error('it is no file of this workspace alone')
      return await use(file)
    } finally {
      await file.close()
    }
  })

/**
 * @param aside - a folder on the same file system, for what is on its way in or out
 * @param ensureOpen - throws once the sandbox is closed
 */
export function plainFiles(root: string, aside: string, ensureOpen: () => void): WorkspaceFiles {
  const list = async (): Promise<FileEntry[]> => {
    ensureOpen()
    const files: FileEntry[] = []
    for await (const [path, stats] of walk(root))
      if (stats.isFile()) files.push({ path, sizeBytes: stats.size })
    return files.sort((a, b) => (a.path < b.path ? -1 : 1))
  }
  /** A program may give a file a name that a caller may not: by that name, as it is listed, it is found. */
  const find = async (path: string): Promise<string> => {
    ensureOpen()
    try {
      return toWorkspacePath(path)
    } catch (error) {
      if ((await list()).some((file) => file.path === path)) return path
      throw error
    }
  }
  const read = async (path: string): Promise<Buffer> => {
    const found = await find(path)
    return withFile(root, found, (file) => file.readFile()).catch((cause) => throwUnavailable(path, cause))
  }
  return {
    list,
    read,
    readText: async (path) => (await read(path)).toString(),
    async stat(path) {
      const found = await find(path)
      const stats = await statsOf(root, found)
      return stats?.isFile() ? { path: found, sizeBytes: stats.size } : undefined
    },
    async write(files) {
      ensureOpen()
      const checked = [...toWorkspaceFiles(files)]
      for (const [path] of checked) await refuseFolder(root, path)
      const staged = checked.map(([path, bytes]) => ({ path, bytes, source: join(aside, randomUUID()) }))
      for (const { bytes, source } of staged) await writeFile(source, bytes)
      for (const { path, source } of staged)
        await at(root, path, (place) => rename(source, place), true).catch(async (cause) => {
          await Promise.all(staged.map((one) => rm(one.source, { force: true })))
          throwUnavailable(path, cause)
        })
    },
    async remove(path) {
      const [found, grave] = [await find(path), join(aside, randomUUID())]
      await at(root, found, (place) => rename(place, grave)).catch(unlessAbsent)
      await removeFolder(grave)
    },
  }
}

function throwUnavailable(path: string, cause: unknown): never {
  const details = { path, reason: String(codeOf(cause) ?? cause) }
  throw new MendloopError('FILE_UNAVAILABLE', `The file "${path}" cannot be had.`, { details, cause })
}

/** Where a folder is, or where a file or a link is on the way, nothing can be written. */
async function refuseFolder(root: string, path: string): Promise<void> {
  const stats = await at(root, path, (place) => lstat(place)).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw pathRefused(path, 'lies below what is no folder')
  })
  if (stats?.isDirectory()) throw pathRefused(path, 'is a folder')
}

/** Every file at one moment. Of what has no hash, an object that is the same as `before` says that nothing changed. */
export async function look(root: string, before?: Seen, signals: readonly AbortSignal[] = []): Promise<Seen> {
  const isAborted = (): boolean => signals.some(({ aborted }) => aborted)
  const state = new Map<string, FileState>()
  const unseen: UnseenPlace[] = []
  for await (const [path, stats] of walk(root, (closed) => unseen.push({ path: closed, reason: 'closed' }))) {
    if (isAborted()) break
    const type = stats.isSymbolicLink() ? 'link' : stats.isFile() ? undefined : 'special'
    const isHashed = !type && stats.size <= MOST_HASHED_BYTES
    const sha256 = isHashed ? await hashOf(root, path, isAborted) : undefined
    const content = sha256 ? { sha256 } : { changedMs: stats.ctimeMs }
    const now: FileState = { sizeBytes: stats.size, ...(type && { type }), ...content }
    const old = before?.state.get(path)
    state.set(path, old && isDeepStrictEqual(old, now) ? old : now)
  }
  return { state, unseen: isAborted() ? [{ path: '.', reason: 'aborted' }] : unseen }
}

/** What differs between two looks; nothing is said of places that one of them could not see. */
export function changesBetween(before: Seen, after: Seen): Pick<ExecutionResult, 'changes' | 'unseen'> {
  const unseen = [...after.unseen]
  const isHidden = (path: string): boolean =>
    [...before.unseen, ...unseen].some((place) => place.path === '.' || path.startsWith(`${place.path}/`))
  const changes = compareWorkspaces(before.state, after.state).filter(({ path }) => !isHidden(path))
  return { changes, ...(unseen.length > 0 && { unseen }) }
}

const hashOf = (root: string, path: string, isAborted: () => boolean): Promise<string | undefined> =>
  withFile(root, path, async (file) => {
    const hash = createHash('sha256')
    for await (const piece of file.createReadStream({ autoClose: false })) {
      if (isAborted()) return undefined
      hash.update(piece)
    }
    return hash.digest('hex')
  }).catch(() => undefined)

/** The folder of the workspace that a program is to run in, which no link leads to. */
export async function folderIn(root: string, path?: string): Promise<string> {
  if (path === undefined) return root
  const folder = join(root, toWorkspacePath(path))
  const stats = await lstat(folder).catch(() => undefined)
  if (stats?.isDirectory() && (await realpath(folder)) === folder) return folder
  throw pathRefused(path, 'is no folder of the workspace')
}

/** Removes a folder with all that programs left in it, whatever they did to its rights. */
export async function removeFolder(folder: string): Promise<void> {
  const opening = ['-type', 'd', '!', '-perm', '-700', '-exec', 'chmod', 'u+rwx', '{}', ';']
  await promisify(execFile)('find', [folder, ...opening]).catch(() => undefined)
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
}
