// Finds what an execution changed, hashing only files that may differ.
import { createHash } from 'node:crypto'
import type { FileChange } from '@mendloop/core'
import { compareWorkspaces, type FileState } from '@mendloop/core/adapter'
import { rootAddress, withinWorkspace } from './open-within.js'
import { readPieces } from './read-file.js'
import { type ScannedFile, scanFile, scanWorkspace } from './workspace-scan.js'

/**
 * File times advance with the kernel's tick (10 ms at CONFIG_HZ=100), so two writes within one look the same. A file
 * that changed this short a time before it was looked at is compared by content.
 */
const CLOCK_TICK_MS = 20

/** Larger files are told without a hash: it would take seconds, and a sparse file of a terabyte is made in none. */
const LARGEST_HASHED_BYTES = 1024 ** 3

interface KnownState extends FileState {
  readonly identity: string
  /** Whether the same identity later on proves the same content. */
  readonly settled: boolean
}

interface HashedFile {
  readonly identity: string
  readonly sha256: string
}

/** A workspace before an execution. */
export type Before = ReadonlyMap<string, KnownState>

/** Watches one workspace over its executions. */
export class ChangeTracker {
  readonly #root: string
  #hashes = new Map<string, HashedFile>()

  constructor(root: string) {
    this.#root = rootAddress(root)
  }

  /** Notes a file that the host has just written, with the hash of its content. */
  remember(path: string, sha256: string): void {
    const file = this.#lookAt(path)
    if (file === undefined || file === 'unseen') return
    this.#hashes.set(path, { identity: file.identity, sha256 })
  }

  #lookAt(path: string): ScannedFile | 'unseen' | undefined {
    try {
      return withinWorkspace(this.#root, path, 'give-up', scanFile)
    } catch {
      return 'unseen'
    }
  }

  /** The workspace as it is now, before a program starts. */
  async before(): Promise<Before> {
    const state = new Map<string, KnownState>()
    const settledBeforeMs = Date.now() - CLOCK_TICK_MS
    for (const [path, file] of (await scanWorkspace(this.#root)).files) {
      const known = this.#hashes.get(path)
      const settled = !file.regular || file.changedMs < settledBeforeMs
      const sha256 =
        known?.identity === file.identity ? known.sha256 : settled ? undefined : await this.#hash(path, file)
      state.set(path, {
        identity: file.identity,
        sizeBytes: file.sizeBytes,
        settled,
        ...(sha256 && { sha256 }),
      })
    }
    return state
  }

  /** What differs now. */
  async changesSince(before: Before): Promise<FileChange[]> {
    const { files, closedFolders } = await scanWorkspace(this.#root)
    const after = new Map<string, FileState>()
    const hashes = new Map<string, HashedFile>()
    for (const [path, file] of files) {
      const old = before.get(path)
      const state = await this.#stateAfter(path, file, old)
      after.set(path, state)
      if (state.sha256 !== undefined) hashes.set(path, { identity: file.identity, sha256: state.sha256 })
    }
    this.#hashes = hashes
    // Not seen is not deleted.
    for (const [path, state] of before)
      if (!after.has(path) && isBelow(path, closedFolders)) after.set(path, state)
    return compareWorkspaces(before, after)
  }

  async #stateAfter(path: string, file: ScannedFile, old: KnownState | undefined): Promise<FileState> {
    const looksSame = old?.identity === file.identity
    if (looksSame && old.settled) return old
    const sha256 = file.regular ? await this.#hash(path, file) : undefined
    if (sha256 !== undefined) return { sizeBytes: file.sizeBytes, sha256 }
    return looksSame ? old : { sizeBytes: file.sizeBytes }
  }

  /** SHA-256 of a file, or undefined when it cannot be read or is too large to be worth it. */
  async #hash(path: string, file: ScannedFile): Promise<string | undefined> {
    if (!file.regular || file.sizeBytes > LARGEST_HASHED_BYTES) return undefined
    const hash = createHash('sha256')
    try {
      await readPieces(this.#root, path, (piece) => hash.update(piece))
      return hash.digest('hex')
    } catch {
      return undefined
    }
  }
}

/** True when `path` is in one of the folders, at any depth. */
function isBelow(path: string, folders: ReadonlySet<string>): boolean {
  if (folders.size === 0) return false
  for (let end = path.lastIndexOf('/'); end !== -1; end = path.lastIndexOf('/', end - 1))
    if (folders.has(path.slice(0, end + 1))) return true
  return folders.has('')
}
