// The files of one workspace, as the contract wants them.
import { randomUUID } from 'node:crypto'
import { chmodSync, lstatSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { type FileEntry, MendloopError, type WorkspaceFiles } from '@mendloop/core'
import { pathRefused, toWorkspaceFiles, toWorkspacePath } from '@mendloop/core/adapter'
import type { ChangeTracker } from './change-tracker.js'
import { errorCode, fileUnavailable, kindOf, withinWorkspace } from './open-within.js'
import { type PrivateFolder, removeFolder, restorePrivateFolder } from './private-folder.js'
import { readWorkspaceFile } from './read-file.js'
import { scanWorkspace } from './workspace-scan.js'

/** Above this a write leaves the event loop free. */
const LARGE_BYTES = 256 * 1024

/**
 * @param folder - the workspace, and beside it room for what is on its way in or out
 * @param ensureOpen - throws once the sandbox is closed
 */
export function workspaceFiles(
  folder: PrivateFolder,
  tracker: ChangeTracker,
  ensureOpen: () => void,
): WorkspaceFiles {
  const { workspace: root, root: stagingFolder } = folder
  /** Before anything is looked at: a program may have closed or removed the workspace itself. */
  const restore = (path: string): void => {
    const reason = restorePrivateFolder(folder)
    if (reason !== undefined) throw fileUnavailable(path, reason)
  }
  const files: WorkspaceFiles = {
    async write(contents) {
      ensureOpen()
      const checked = toWorkspaceFiles(contents)
      restore('.')
      for (const path of checked.keys()) checkTarget(root, path)
      await writeAll(root, stagingFolder, checked)
      for (const [path, content] of checked) tracker.remember(path, content)
    },
    async read(path) {
      ensureOpen()
      const resolved = toWorkspacePath(path)
      restore(resolved)
      return readWorkspaceFile(root, resolved)
    },
    async readText(path) {
      const bytes = await files.read(path)
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
    },
    async list() {
      ensureOpen()
      restore('.')
      const entries: FileEntry[] = []
      for (const [path, file] of (await scanWorkspace(root)).files)
        if (file.regular) entries.push({ path, sizeBytes: file.sizeBytes })
      return entries.sort((a, b) => (a.path < b.path ? -1 : 1))
    },
    async stat(path) {
      ensureOpen()
      const resolved = toWorkspacePath(path)
      restore(resolved)
      const stats = explained(resolved, 'cannot be looked at', () =>
        withinWorkspace(root, resolved, 'give-up', (address) =>
          lstatSync(address, { throwIfNoEntry: false }),
        ),
      )
      return stats?.isFile() ? { path: resolved, sizeBytes: stats.size } : undefined
    },
    async remove(path) {
      ensureOpen()
      const resolved = toWorkspacePath(path)
      restore(resolved)
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
function takeAway(address: string, stagingFolder: string): string | undefined {
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

/** Writes everything beside the workspace, then moves it in: a full disk leaves the workspace as it was. */
async function writeAll(
  root: string,
  stagingFolder: string,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  const moves: { path: string; from: string }[] = []
  let current = ''
  try {
    for (const [path, content] of files) {
      const from = `${stagingFolder}/staged-${randomUUID()}`
      moves.push({ path, from })
      current = path
      if (content.length > LARGE_BYTES) await writeFile(from, content, { flag: 'wx' })
      else writeFileSync(from, content, { flag: 'wx' })
    }
    for (const { path, from } of moves) {
      current = path
      withinWorkspace(root, path, 'create', (address) => {
        const old = lstatSync(address, { throwIfNoEntry: false })
        // A script stays executable when it is written anew.
        if (old?.isFile()) chmodSync(from, old.mode & 0o777)
        renameSync(from, address)
      })
    }
  } catch (error) {
    for (const { from } of moves) rmSync(from, { force: true })
    if (MendloopError.is(error)) throw error
    throw fileUnavailable(current, `cannot be written (${errorCode(error)})`, error)
  }
}
