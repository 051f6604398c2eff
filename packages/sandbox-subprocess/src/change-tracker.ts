// Finds what an execution changed, hashing only files that may differ.
import type { ExecutionResult } from '@mendloop/core'
import type { FileState } from '@mendloop/core/adapter'
import { compareInTurns } from './compare-in-turns.js'
import type { Address } from './file-name.js'
import { rootAddress } from './open-within.js'
import { hashFile } from './read-file.js'
import type { StagedFile } from './staged-files.js'
import { Turns } from './turns.js'
import { isUnseen, toPlaces } from './unseen-places.js'
import { type ScannedFile, scanWorkspace, type Unseen } from './workspace-scan.js'

/**
 * File times advance with the kernel's tick (10 ms at CONFIG_HZ=100), so two writes within one look the same. A file
 * that changed this short a time before it was looked at is compared by content.
 */
const CLOCK_TICK_MS = 20

/** What is hashed in one look; the rest is told without: it would take too long, and sparse files are made in no time. */
export const MOST_HASHED_BYTES = 2 * 1024 ** 3

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
export interface Before {
  readonly states: ReadonlyMap<string, KnownState>
  readonly unseen: Unseen
  /** When the look began. */
  readonly startedMs: number
}

/** What an execution did to the files. */
export type Changes = Pick<ExecutionResult, 'changes' | 'unseen'>

/** Asked often; true ends the work with what is known by then. */
type Stopped = () => boolean

const never: Stopped = () => false

/** Watches one workspace over its executions. */
export class ChangeTracker {
  readonly #root: string
  #hashes = new Map<string, HashedFile>()

  constructor(root: string) {
    this.#root = rootAddress(root)
  }

  /** Notes a file that the host has just written. */
  remember({ path, sha256, file }: StagedFile): void {
    if (file !== undefined) this.#hashes.set(path, { identity: file.identity, sha256 })
  }

  /** The workspace as it is now, before a program starts. */
  async before(stopped: Stopped = never): Promise<Before> {
    const states = new Map<string, KnownState>()
    const hasher = new Hasher(stopped)
    const startedMs = Date.now()
    const unseen = await scanWorkspace(this.#root, {
      stopped,
      onFile: (path, file, address) => {
        const { identity, sizeBytes } = file
        const settled = !file.regular || file.changedMs < startedMs - CLOCK_TICK_MS
        const known = this.#hashes.get(path)
        const note = (sha256: string | undefined): void =>
          void states.set(path, { identity, sizeBytes, settled, ...(sha256 && { sha256 }) })
        if (known?.identity === identity) return note(known.sha256)
        return settled ? note(undefined) : hasher.hash(file, address, note)
      },
    })
    return { states, unseen, startedMs }
  }

  /** What differs now. */
  async changesSince(before: Before, stopped: Stopped = never): Promise<Changes> {
    const turns = new Turns()
    const after = new Map<string, FileState>()
    const hashes = new Map<string, HashedFile>()
    const hasher = new Hasher(stopped)
    /** The one file, if any, whose content was being looked at when this was stopped. */
    const halfSeen = new Map<string, 'aborted'>()
    const onFile = (path: string, file: ScannedFile, address: Address): void | Promise<void> => {
      const old = before.states.get(path)
      const note = (state: FileState): void => {
        after.set(path, state)
        if (state.sha256 !== undefined) hashes.set(path, { identity: file.identity, sha256: state.sha256 })
      }
      const looksSame = old?.identity === file.identity
      if (looksSame && old.settled) return note(old)
      if (old === undefined && isOlder(path, file, before)) return undefined
      const { sizeBytes, type } = file
      const unhashed = looksSame ? old : { sizeBytes, ...(type && { type }) }
      return hasher.hash(file, address, (sha256) => {
        note(sha256 === undefined ? unhashed : { sizeBytes, sha256 })
        if (sha256 === undefined && file.regular && stopped()) halfSeen.set(path, 'aborted')
      })
    }
    const unseen = await scanWorkspace(this.#root, { stopped, onFile }, turns)
    // Not seen is not deleted.
    for (const [path, state] of before.states) {
      if (!after.has(path) && isUnseen(unseen, path)) {
        after.set(path, state)
        const known = this.#hashes.get(path)
        if (known !== undefined) hashes.set(path, known)
      }
      if (turns.over) await turns.next()
    }
    this.#hashes = hashes
    const places = await toPlaces([unseen.folders, unseen.files, halfSeen], turns)
    const changes = await compareInTurns(before.states, after, turns)
    return { changes, ...(places.length > 0 && { unseen: places }) }
  }
}

/** True for a file that was not seen before an execution, and has not been touched since. */
const isOlder = (path: string, file: ScannedFile, { unseen, startedMs }: Before): boolean =>
  file.changedMs < startedMs - CLOCK_TICK_MS && isUnseen(unseen, path)

/** Hashes as much as one look may. */
class Hasher {
  readonly #stopped: Stopped
  #bytesLeft = MOST_HASHED_BYTES

  constructor(stopped: Stopped) {
    this.#stopped = stopped
  }

  /** Gives the SHA-256 of a file to `note`: undefined when it cannot be had. Small files are done when this returns. */
  hash(
    file: ScannedFile,
    address: Address,
    note: (sha256: string | undefined) => void,
  ): void | Promise<void> {
    if (!file.regular || file.sizeBytes > this.#bytesLeft) return note(undefined)
    this.#bytesLeft -= file.sizeBytes
    const sha256 = hashFile(address, this.#stopped)
    return sha256 instanceof Promise ? sha256.then(note) : note(sha256)
  }
}
