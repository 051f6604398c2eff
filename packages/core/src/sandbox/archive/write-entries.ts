// The second pass of an import: writes what the first has checked, and takes it back when the workspace cannot hold it.
import type { WorkspaceFiles } from '../../contract/workspace-files.js'
import { pathRefused } from '../workspace-path.js'
import type { ReadEntries } from './archive-entry.js'
import { collectBytes, requireNotAborted } from './pieces.js'

/** Files up to this size are written many at once; a larger one streams. */
const SMALL_BYTES = 1024 ** 2
const BATCH_BYTES = 4 * 1024 ** 2
const BATCH_FILES = 500

/** What is known of a file after the first pass. */
interface CheckedFile {
  readonly path: string
  readonly sizeBytes: number
}

type CheckedFiles = ReadonlyMap<string, CheckedFile>

/**
 * New files are written first: only they can find something in their way that no list shows (a link, an empty folder),
 * and only they can be taken back. Files that are there already follow, in a pass of their own.
 *
 * @param checked - what is to be written, by the archive's own names
 * @throws MendloopError PATH_REFUSED, with nothing written
 */
export async function writeEntries(
  entries: ReadEntries,
  checked: CheckedFiles,
  files: WorkspaceFiles,
  signal: AbortSignal | undefined,
): Promise<void> {
  const existing = new Set((await files.list()).map(({ path }) => path))
  const all = [...checked]
  const added: CheckedFiles = new Map(all.filter(([, { path }]) => !existing.has(path)))
  const replaced: CheckedFiles = new Map(all.filter(([, { path }]) => existing.has(path)))
  requireRoom(
    existing,
    all.map(([, { path }]) => path),
  )
  try {
    for (const part of [added, replaced]) if (part.size > 0) await writeAll(entries, part, files, signal)
  } catch (error) {
    for (const { path } of added.values()) await takeBack(files, path).catch(() => undefined)
    throw error
  }
}

/** Removes a file that was not there before, and nothing else that has its name: a folder, a link. */
async function takeBack(files: WorkspaceFiles, path: string): Promise<void> {
  if ((await files.stat(path)) !== undefined) await files.remove(path)
}

async function writeAll(
  entries: ReadEntries,
  checked: CheckedFiles,
  files: WorkspaceFiles,
  signal: AbortSignal | undefined,
): Promise<void> {
  let batch: Record<string, Uint8Array> = Object.create(null)
  let batchFiles = 0
  let batchBytes = 0
  const flush = async (): Promise<void> => {
    if (batchFiles > 0) await files.write(batch)
    batch = Object.create(null)
    batchFiles = 0
    batchBytes = 0
  }
  for await (const entry of entries()) {
    requireNotAborted(signal)
    const file = checked.get(entry.name)
    if (file === undefined) continue
    if (file.sizeBytes > SMALL_BYTES && files.writeStream !== undefined) {
      await files.writeStream(file.path, watched(entry.content(), signal))
      continue
    }
    batch[file.path] = await collectBytes(watched(entry.content(), signal))
    batchFiles++
    batchBytes += file.sizeBytes
    if (batchBytes >= BATCH_BYTES || batchFiles >= BATCH_FILES) await flush()
  }
  await flush()
}

async function* watched(
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    requireNotAborted(signal)
    yield piece
  }
}

function requireRoom(existing: ReadonlySet<string>, paths: readonly string[]): void {
  const folders = new Set([...existing].flatMap((path) => foldersAbove(path)))
  for (const path of paths) {
    if (folders.has(path)) throw pathRefused(path, 'is a folder already')
    const file = foldersAbove(path).find((folder) => existing.has(folder))
    if (file !== undefined) throw pathRefused(path, `needs "${file}" to be a folder; it is a file`)
  }
}

function foldersAbove(path: string): string[] {
  const folders: string[] = []
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
    folders.push(path.slice(0, slash))
  return folders
}
