// One look at every file of a workspace: names and numbers, no content.
import { lstatSync, readdirSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { errorCode } from './open-within.js'

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

/** Looks through the whole workspace without following links; never fails for what a program left there. */
export async function scanWorkspace(root: string): Promise<WorkspaceScan> {
  const files = new Map<string, ScannedFile>()
  const closedFolders = new Set<string>()
  const folders = isFolder(root, closedFolders) ? [''] : []
  let sinceTurn = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(root, folder, closedFolders)) {
      const path = folder + entry.name
      if (entry.isDirectory()) folders.push(`${path}/`)
      else {
        const file = scanFile(`${root}/${path}`)
        if (file === 'unseen') closedFolders.add(folder)
        else if (file !== undefined) files.set(path, file)
      }
      if (++sinceTurn % FILES_A_TURN === 0) await setImmediate()
    }
  }
  return { files, closedFolders }
}

/** The root too may have been replaced by a link, or closed. */
function isFolder(root: string, closedFolders: Set<string>): boolean {
  try {
    return lstatSync(root, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    closedFolders.add('')
    return false
  }
}

function entriesOf(root: string, folder: string, closedFolders: Set<string>) {
  try {
    return readdirSync(`${root}/${folder}`, { withFileTypes: true })
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') closedFolders.add(folder)
    return []
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
