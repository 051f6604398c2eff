// One look at every file of a workspace, in short turns: names and numbers, and content only for who asks for it.
import { type BigIntStats, type Dirent, lstatSync, opendirSync, readdirSync } from 'node:fs'
import { type Address, addressIn, toName } from './file-name.js'
import { type Folder, openFolder, rootAddress } from './open-within.js'
import { errorCode } from './system-error.js'
import { Turns } from './turns.js'

/** Files, links and folders that one look takes in. */
const MOST_ENTRIES = 200_000
/** Each level is held open while it is looked through. */
const DEEPEST_LEVEL = 128
/** Names as bytes, which they are; the types do not know of that. */
const LISTING = { encoding: 'buffer' as BufferEncoding, bufferSize: 64 }
/** A few thousand names at most, on any file system that counts them in bytes. */
const SHORT_LIST_BYTES = 32 * 1024

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
  /** What it is where it is not regular. */
  readonly type?: 'link' | 'special'
}

/** Why a folder was not looked through, or not to its end. */
export type UnseenReason = 'closed' | 'too-deep' | 'too-many' | 'aborted'

/** How to look. */
export interface ScanOptions {
  /** Asked often: true ends the look with what was seen until then. */
  readonly stopped?: () => boolean
  readonly mostEntries?: number
  /** Given each file while its folder is held open; `address` is good until it is done. */
  readonly onFile: (path: string, file: ScannedFile, address: Address) => void | Promise<void>
}

/** What was not seen, and so is neither there nor gone. */
export interface Unseen {
  /** Folders by path, each ending in a slash; empty for the workspace. Nothing is known of what is below them. */
  readonly folders: ReadonlyMap<string, UnseenReason>
  /** Paths of files that are there, and were not looked at. */
  readonly files: ReadonlyMap<string, UnseenReason>
}

/** A folder on the way, open. */
interface Level {
  /** Its path, ending in a slash; empty for the workspace. */
  readonly prefix: string
  readonly folder: Folder
  /** What is in it and has not been looked at, last first. */
  readonly entries: Entry[]
}

interface Entry {
  readonly name: string
  readonly isFolder: boolean
}

/**
 * Looks through the whole workspace without following links, also while a program puts links in the place of folders;
 * never fails for what a program left there.
 */
export async function scanWorkspace(
  root: string,
  options: ScanOptions,
  turns = new Turns(),
): Promise<Unseen> {
  const scan = new Scan(options, turns)
  await scan.run(rootAddress(root))
  return scan
}

class Scan implements Unseen {
  readonly folders = new Map<string, UnseenReason>()
  readonly files = new Map<string, UnseenReason>()
  readonly #options: ScanOptions
  readonly #turns: Turns
  readonly #levels: Level[] = []
  #entriesLeft: number

  constructor(options: ScanOptions, turns: Turns) {
    this.#options = options
    this.#turns = turns
    this.#entriesLeft = options.mostEntries ?? MOST_ENTRIES
  }

  async run(root: string): Promise<void> {
    try {
      await this.#enter(root, '')
      for (let level = this.#levels.at(-1); level !== undefined; level = this.#levels.at(-1)) {
        const entry = level.entries.pop()
        if (entry === undefined) this.#levels.pop()?.folder.close()
        else if (this.#options.stopped?.() === true) this.#skip(level.prefix, entry, 'aborted')
        else {
          // Most entries need no waiting: to wait for each would take longer than to look at it.
          const done = this.#look(level, entry)
          if (done !== undefined) await done
        }
        if (this.#turns.over) await this.#turns.next()
      }
    } finally {
      for (const { folder } of this.#levels) folder.close()
    }
  }

  #look({ prefix, folder }: Level, { name, isFolder }: Entry): void | Promise<void> {
    const path = prefix + name
    const address = addressIn(folder.address, name)
    if (isFolder) return this.#enter(address, `${path}/`)
    const file = scanFile(address)
    if (file === 'unseen') this.#skip(prefix, { name, isFolder }, 'closed')
    else if (file !== undefined) return this.#options.onFile(path, file, address)
    return undefined
  }

  #skip(prefix: string, { name, isFolder }: Entry, reason: UnseenReason): void {
    if (isFolder) this.folders.set(`${prefix}${name}/`, reason)
    else this.files.set(prefix + name, reason)
  }

  #enter(address: Address, prefix: string): void | Promise<void> {
    if (this.#levels.length >= DEEPEST_LEVEL) return void this.folders.set(prefix, 'too-deep')
    let folder: Folder | undefined
    try {
      folder = openFolder(address)
      const level = { prefix, folder, entries: [] }
      const listing = openListing(folder)
      this.#levels.push(level)
      return this.#list(level, listing)
    } catch (error) {
      folder?.close()
      const code = errorCode(error)
      // The workspace itself may have been replaced by a link, or by a file.
      const isGone = code === 'ENOENT' || (prefix === '' && (code === 'ELOOP' || code === 'ENOTDIR'))
      if (!isGone) this.folders.set(prefix, 'closed')
      return undefined
    }
  }

  /** Takes down what is in a folder; what its names stand for is looked at afterwards. */
  #list(level: Level, listing: Listing): void | Promise<void> {
    let isDone = true
    try {
      isDone = this.#listUntilTurn(level, listing)
    } catch {
      this.folders.set(level.prefix, 'closed')
    }
    if (isDone) return listing.closeSync()
    return this.#turns.next().then(() => this.#list(level, listing))
  }

  /** @returns true when there is nothing more to take down */
  #listUntilTurn({ prefix, entries }: Level, listing: Listing): boolean {
    for (let next = listing.readSync(); next !== null; next = listing.readSync()) {
      if (this.#entriesLeft === 0 || this.#options.stopped?.() === true) {
        this.folders.set(prefix, this.#entriesLeft === 0 ? 'too-many' : 'aborted')
        return true
      }
      this.#entriesLeft--
      entries.push({ name: nameOf(next), isFolder: next.isDirectory() })
      if (this.#turns.over) return false
    }
    return true
  }
}

/** The names in a folder, one after the other. */
interface Listing {
  readSync(): Dirent | null
  closeSync(): void
}

/** A short list is read in one go, which is faster. */
function openListing(folder: Folder): Listing {
  if (folder.listBytes() > SHORT_LIST_BYTES) return opendirSync(folder.address, LISTING)
  const asText = readdirSync(folder.address, { withFileTypes: true })
  // What cannot be said as text has this character instead; a name may also have it of its own.
  const entries = asText.some(({ name }) => name.includes('\uFFFD'))
    ? readdirSync(folder.address, { ...LISTING, withFileTypes: true }).values()
    : asText.values()
  return { readSync: () => entries.next().value ?? null, closeSync: () => undefined }
}

/** The types know names as text only; that of a folder opened for `buffer` is bytes. */
function nameOf({ name }: Dirent): string {
  const given: unknown = name
  return Buffer.isBuffer(given) ? toName(given) : name
}

/** @returns undefined when it has just gone; `unseen` when the system does not let it be looked at */
export function scanFile(address: Address): ScannedFile | 'unseen' | undefined {
  let stats: BigIntStats | undefined
  try {
    stats = lstatSync(address, { bigint: true, throwIfNoEntry: false })
  } catch {
    return 'unseen'
  }
  if (stats === undefined) return undefined
  return {
    identity: `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`,
    sizeBytes: Number(stats.size),
    changedMs: Number(stats.ctimeMs),
    regular: stats.isFile(),
    ...(!stats.isFile() && { type: stats.isSymbolicLink() ? 'link' : 'special' }),
  }
}
