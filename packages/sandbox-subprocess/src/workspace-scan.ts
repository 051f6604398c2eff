// One look at every file of a workspace: names and numbers, no content.
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { errorCode, type Folder, openFolder, rootAddress } from './open-within.js'

/** After this many files the event loop gets a turn. */
const FILES_A_TURN = 512

/** A file as the file system describes it. */
export interface ScannedFile {
  /** Changes with every write; the same identity means the same content, but for writes within one clock tick. */
  readonly identity: string
  /** Size, in bytes. */
  readonly sizeBytes: number
  /** Time of the last change of content or attributes, in milliseconds since 1970. */
  readonly changedMs: number
  /** False for links, pipes, sockets and devices. */
  readonly regular: boolean
}

/** What a look found. */
export interface WorkspaceScan {
  /** Everything but folders, by canonical path. */
  readonly files: ReadonlyMap<string, ScannedFile>
  /** Folders that could not be looked through, each ending in a slash: what was not seen there may still be there. */
  readonly closedFolders: ReadonlySet<string>
}

/** Deeper folders count as closed: each level is held open while it is looked through. */
const DEEPEST_LEVEL = 128

/** A folder on the way, open. */
interface Level {
  /** Its path, ending in a slash; empty for the workspace. */
  readonly prefix: string
  readonly folder: Folder
  readonly entries: Iterator<Dirent>
}

/**
 * Looks through the whole workspace without following links, also while a program puts links in the place of folders;
 * never fails for what a program left there.
 */
export async function scanWorkspace(root: string): Promise<WorkspaceScan> {
  const files = new Map<string, ScannedFile>()
  const closedFolders = new Set<string>()
  const levels: Level[] = []
  let sinceTurn = 0
  const enter = (address: string, prefix: string): void => {
    const level = levels.length < DEEPEST_LEVEL ? openLevel(address, prefix) : 'closed'
    if (level === 'closed') closedFolders.add(prefix)
    else if (level !== undefined) levels.push(level)
  }
  try {
    enter(rootAddress(root), '')
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const { done, value: entry } = level.entries.next()
      if (done === true) {
        levels.pop()
        level.folder.close()
        continue
      }
      const path = level.prefix + entry.name
      const address = `${level.folder.address}/${entry.name}`
      if (entry.isDirectory()) enter(address, `${path}/`)
      else {
        const file = scanFile(address)
        if (file === 'unseen') closedFolders.add(level.prefix)
        else if (file !== undefined) files.set(path, file)
      }
      if (++sinceTurn % FILES_A_TURN === 0) await setImmediate()
    }
  } finally {
    for (const { folder } of levels) folder.close()
  }
  return { files, closedFolders }
}

/** @returns undefined when there is no folder any more, `closed` when it cannot be looked through */
function openLevel(address: string, prefix: string): Level | 'closed' | undefined {
  let folder: Folder | undefined
  try {
    folder = openFolder(address)
    return { prefix, folder, entries: readdirSync(folder.address, { withFileTypes: true }).values() }
  } catch (error) {
    folder?.close()
    const code = errorCode(error)
    // The workspace itself may have been replaced by a link, or by a file.
    const isGone = code === 'ENOENT' || (prefix === '' && (code === 'ELOOP' || code === 'ENOTDIR'))
    return isGone ? undefined : 'closed'
  }
}

/**
 * Describes one file.
 *
 * @returns undefined when it has just gone or its name is not text; `unseen` when the system does not let it be looked
 * at: in a folder that may be listed and not entered, or deeper than a path is long
 */
export function scanFile(path: string): ScannedFile | 'unseen' | undefined {
  const stats = lookAt(path)
  if (stats === 'unseen' || stats === undefined) return stats
  return {
    identity: `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`,
    sizeBytes: Number(stats.size),
    changedMs: Number(stats.ctimeMs),
    regular: stats.isFile(),
  }
}

function lookAt(path: string) {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return 'unseen'
  }
}
