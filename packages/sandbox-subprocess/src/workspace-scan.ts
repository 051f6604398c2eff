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
  /** Folders that could not be opened, each ending in a slash: of what is in them nothing is known. */
  readonly closedFolders: readonly string[]
}

/** Looks through the whole workspace without following links. */
export async function scanWorkspace(root: string): Promise<WorkspaceScan> {
  const files = new Map<string, ScannedFile>()
  const closedFolders: string[] = []
  // The root too may have been replaced by a link.
  const isFolder = lstatSync(root, { throwIfNoEntry: false })?.isDirectory() === true
  const folders = isFolder ? [''] : []
  let sinceTurn = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(root, folder, closedFolders)) {
      const path = folder + entry.name
      if (entry.isDirectory()) folders.push(`${path}/`)
      else {
        const file = scanFile(`${root}/${path}`)
        if (file !== undefined) files.set(path, file)
      }
      if (++sinceTurn % FILES_A_TURN === 0) await setImmediate()
    }
  }
  return { files, closedFolders }
}

function entriesOf(root: string, folder: string, closedFolders: string[]) {
  try {
    return readdirSync(`${root}/${folder}`, { withFileTypes: true })
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') closedFolders.push(folder)
    return []
  }
}

/** Describes one file, or nothing when it has just gone or its name is not text. */
export function scanFile(path: string): ScannedFile | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (stats === undefined) return undefined
  return {
    identity: `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`,
    sizeBytes: Number(stats.size),
    changedMs: Number(stats.ctimeMs),
    regular: stats.isFile(),
  }
}
