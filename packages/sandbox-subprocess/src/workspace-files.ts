// The files of one workspace, as the contract wants them.
import { randomUUID } from 'node:crypto'
import { chmodSync, lstatSync, renameSync, unlinkSync } from 'node:fs'
import { type FileEntry, MendloopError, type WorkspaceFiles } from '@mendloop/core'
import {
  invalidOption,
  parseOptions,
  pathRefused,
  toWorkspaceFiles,
  toWorkspacePath,
  z,
} from '@mendloop/core/adapter'
import type { ChangeTracker } from './change-tracker.js'
import type { Address } from './file-name.js'
import { toFoundPath } from './found-path.js'
import { fileUnavailable, kindOf, rootAddress, withinWorkspace } from './open-within.js'
import { type PrivateFolder, removeFolder, restorePrivateFolder } from './private-folder.js'
import { readWorkspaceFile, readWorkspaceRange, streamWorkspaceFile } from './read-file.js'
import { SecondNames } from './second-names.js'
import { type Destination, stageAll, stageStream } from './staged-files.js'
import { errorCode } from './system-error.js'
import { sortByPath, Turns } from './turns.js'
import { type ScannedFile, scanWorkspace } from './workspace-scan.js'

const wholeNumber = z.int('must be a whole number').nonnegative('must not be negative')
const rangeSchema = z.strictObject({ offset: wholeNumber, length: wholeNumber })

/**
 * @param folder - the workspace, and beside it room for what is on its way in or out
 * @param ensureOpen - throws once the sandbox is closed
 */
export function workspaceFiles(
  folder: PrivateFolder,
  tracker: ChangeTracker,
  ensureOpen: () => void,
): WorkspaceFiles {
  const root = rootAddress(folder.workspace)
  const place = { root, names: new SecondNames(root) }
  const stagingFolder = folder.root
  const destination: Destination = { root, stagingFolder, owner: folder.owner }
  /** Before anything is looked at: a program may have closed or removed the workspace itself. */
  const restore = (path: string): void => {
    const reason = restorePrivateFolder(folder)
    if (reason !== undefined) throw fileUnavailable(path, reason)
  }
  /** The canonical path of something to be read or removed. */
  const find = (path: string): string => {
    ensureOpen()
    restore('.')
    return toFoundPath(root, path)
  }
  const files: WorkspaceFiles = {
    async write(contents) {
      ensureOpen()
      const checked = toWorkspaceFiles(contents)
      restore('.')
      const turns = new Turns()
      for (const path of checked.keys()) {
        checkTarget(root, path)
        if (turns.over) await turns.next()
      }
      ensureOpen()
      for (const file of await stageAll(destination, checked, ensureOpen)) tracker.remember(file)
    },
    async writeStream(path, content) {
      ensureOpen()
      const resolved = toWorkspacePath(path)
      if (path.endsWith('/')) throw pathRefused(path, 'names a folder')
      requireIterable(content)
      restore(resolved)
      checkTarget(root, resolved)
      tracker.remember(await stageStream(destination, resolved, content, ensureOpen))
    },
    async read(path) {
      const resolved = find(path)
      return readWorkspaceFile(place, resolved)
    },
    async readRange(path, range) {
      const resolved = find(path)
      const parsed = parseOptions(rangeSchema, range, 'files.readRange()')
      return readWorkspaceRange(place, resolved, parsed)
    },
    async *readStream(path) {
      const resolved = find(path)
      for await (const piece of streamWorkspaceFile(place, resolved)) {
        yield piece
        ensureOpen()
      }
    },
    async readText(path) {
      const bytes = await files.read(path)
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
    },
    async list() {
      ensureOpen()
      restore('.')
      const entries: FileEntry[] = []
      const turns = new Turns()
      const onFile = (path: string, { regular, sizeBytes }: ScannedFile): void => {
        ensureOpen()
        if (regular) entries.push({ path, sizeBytes })
      }
      await scanWorkspace(root, { mostEntries: Number.POSITIVE_INFINITY, onFile }, turns)
      return sortByPath(entries, turns)
    },
    async stat(path) {
      const resolved = find(path)
      const stats = explained(resolved, 'cannot be looked at', () =>
        withinWorkspace(root, resolved, 'give-up', (address) =>
          lstatSync(address, { throwIfNoEntry: false }),
        ),
      )
      return stats?.isFile() ? { path: resolved, sizeBytes: stats.size } : undefined
    },
    async remove(path) {
      const resolved = find(path)
      const aside = explained(resolved, 'cannot be removed', () =>
        withinWorkspace(root, resolved, 'give-up', (address) => takeAway(address, stagingFolder)),
      )
      if (aside === undefined) return
      try {
        await removeFolder(aside)
      } catch {
        // It is out of the workspace; close() or the guardian removes the rest.
      }
    },
  }
  return files
}

/** Removes a file; a folder goes out of the program's reach first, to be removed at leisure. @returns where it is then */
function takeAway(address: Address, stagingFolder: string): string | undefined {
  const stats = lstatSync(address, { throwIfNoEntry: false })
  if (stats?.isDirectory()) {
    const aside = `${stagingFolder}/removed-${randomUUID()}`
    // Only a folder that may be written can change its parent.
    chmodSync(address, 0o700)
    renameSync(address, aside)
    return aside
  }
  if (stats !== undefined) unlinkSync(address)
  return undefined
}

/** Calls `act` and gives an error of the system the words and the code that callers know. */
function explained<T>(path: string, reason: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (MendloopError.is(error)) throw error
    throw fileUnavailable(path, `${reason} (${errorCode(error)})`, error)
  }
}

/** Refuses what a write would have to go through or replace; nothing is made yet. */
function checkTarget(root: string, path: string): void {
  explained(path, 'cannot be written', () =>
    withinWorkspace(root, path, 'give-up', (address) => {
      const kind = kindOf(address)
      if (kind !== 'nothing' && kind !== 'a file') throw pathRefused(path, `is ${kind} already`)
    }),
  )
}

function requireIterable(content: unknown): void {
  if (typeof content === 'object' && content !== null && Symbol.asyncIterator in content) return
  throw invalidOption('files.writeStream()', 'content', 'must be an async iterable of Uint8Array', {
    expected: 'an async iterable of Uint8Array',
    received: content === null ? 'null' : typeof content,
  })
}
