// Writes beside the workspace, then moves in: a full disk, an abort or a broken source leaves the workspace as it was.
import { createHash, hash, randomUUID } from 'node:crypto'
import { accessSync, chmodSync, constants, lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { types } from 'node:util'
import { MendloopError } from '@mendloop/core'
import { invalidOption } from '@mendloop/core/adapter'
import { fileUnavailable, handOver, type Owner, withinWorkspace } from './open-within.js'
import { errorCode } from './system-error.js'
import { Turns } from './turns.js'
import { type ScannedFile, scanFile } from './workspace-scan.js'

/** Above this a write leaves the event loop free. */
const LARGE_BYTES = 256 * 1024

/** Where files go. */
export interface Destination {
  /** The workspace. */
  readonly root: string
  /** On the same disk, and out of sight. */
  readonly stagingFolder: string
  /** Whose they become. Absent: this user's. */
  readonly owner: Owner | undefined
}

/** A file that has been moved in. */
export interface StagedFile {
  readonly path: string
  readonly sha256: string
  /** As it was right after. */
  readonly file: ScannedFile | undefined
}

/**
 * Writes all files or none.
 *
 * @param ensureOpen - throws once nothing may be written any more; asked after each turn of the others
 */
export async function stageAll(
  { root, stagingFolder, owner }: Destination,
  files: ReadonlyMap<string, Uint8Array>,
  ensureOpen: () => void,
): Promise<StagedFile[]> {
  const turns = new Turns()
  const moves: { path: string; from: string; sha256: string }[] = []
  const staged: StagedFile[] = []
  let current = ''
  const step = async (path: string): Promise<void> => {
    current = path
    if (!turns.over) return
    await turns.next()
    ensureOpen()
  }
  try {
    for (const [path, content] of files) {
      await step(path)
      const from = stagedName(stagingFolder)
      moves.push({ path, from, sha256: hash('sha256', content) })
      if (content.length > LARGE_BYTES) await writeFile(from, content, { flag: 'wx' })
      else writeFileSync(from, content, { flag: 'wx' })
      handOver(from, owner)
    }
    // One file goes in or not; of many, none may go in before all can.
    for (const path of moves.length > 1 ? onePerFolder(files.keys()) : []) {
      await step(path)
      requireOpenFolder(root, path, owner)
    }
    for (const { path, from, sha256 } of moves) {
      await step(path)
      staged.push({ path, sha256, file: moveIn(root, path, from, owner) })
    }
    return staged
  } catch (error) {
    for (const { from } of moves) rmSync(from, { force: true })
    throw unwritable(current, error)
  }
}

/** A path of each folder, in order. */
function onePerFolder(paths: Iterable<string>): Iterable<string> {
  const folders = new Map<string, string>()
  for (const path of paths) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    if (!folders.has(folder)) folders.set(folder, path)
  }
  return folders.values()
}

/**
 * Writes one file piece by piece.
 *
 * @param ensureOpen - throws once nothing may be written any more; asked before each piece
 * @throws what `content` throws, as it is
 */
export async function stageStream(
  { root, stagingFolder, owner }: Destination,
  path: string,
  content: AsyncIterable<Uint8Array>,
  ensureOpen: () => void,
): Promise<StagedFile> {
  const from = stagedName(stagingFolder)
  const digest = createHash('sha256')
  const file = await open(from, 'wx').catch((error: unknown) => {
    throw unwritable(path, error)
  })
  try {
    try {
      for await (const piece of content) {
        ensureOpen()
        requireBytes(piece)
        digest.update(piece)
        await append(file, piece, path)
      }
    } finally {
      await file.close()
    }
    ensureOpen()
    try {
      handOver(from, owner)
      return { path, sha256: digest.digest('hex'), file: moveIn(root, path, from, owner) }
    } catch (error) {
      throw unwritable(path, error)
    }
  } catch (error) {
    rmSync(from, { force: true })
    throw error
  }
}

const stagedName = (stagingFolder: string): string => `${stagingFolder}/staged-${randomUUID()}`

/** Makes the folder of a file where there is none. @throws the system's error when a program has closed it */
function requireOpenFolder(root: string, path: string, owner: Owner | undefined): void {
  withinWorkspace(root, path, { create: owner }, (_, folder) =>
    accessSync(folder, constants.W_OK | constants.X_OK),
  )
}

function moveIn(root: string, path: string, from: string, owner: Owner | undefined): ScannedFile | undefined {
  return withinWorkspace(root, path, { create: owner }, (address) => {
    const old = lstatSync(address, { throwIfNoEntry: false })
    // A script stays executable when it is written anew.
    if (old?.isFile()) chmodSync(from, old.mode & 0o777)
    renameSync(from, address)
    const file = scanFile(address)
    return file === 'unseen' ? undefined : file
  })
}

async function append(file: FileHandle, piece: Uint8Array, path: string): Promise<void> {
  try {
    for (let written = 0; written < piece.length; )
      written += (await file.write(piece, written, piece.length - written)).bytesWritten
  } catch (error) {
    throw unwritable(path, error)
  }
}

function requireBytes(piece: unknown): asserts piece is Uint8Array {
  if (types.isUint8Array(piece)) return
  throw invalidOption('files.writeStream()', 'content', 'must give pieces that are Uint8Arrays', {
    expected: 'a Uint8Array',
    received: typeof piece,
  })
}

const unwritable = (path: string, error: unknown): Error =>
  MendloopError.is(error) ? error : fileUnavailable(path, `cannot be written (${errorCode(error)})`, error)
