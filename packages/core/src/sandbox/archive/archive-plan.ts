// Decides, entry by entry and before anything is written, whether a workspace can hold what an archive holds.
import { MendloopError } from '../../contract/errors.js'
import { toWorkspacePath } from '../workspace-path.js'
import { type ArchiveLimits, RATIO_FREE_BYTES } from './archive-limits.js'
import { archiveRefused } from './archive-refused.js'

/** What is neither a file nor a folder is refused. */
export type EntryKind = 'file' | 'folder' | 'link' | 'special-file'

/** An entry of which a file is to be made. */
export interface PlannedFile {
  /** Path within the workspace. */
  readonly path: string
  /** As the archive has it. */
  readonly name: string
}

/** An entry of which no file is made. */
export interface SkippedEntry {
  /** As the archive names it. */
  readonly entry: string
  /** `system-file`: what macOS adds for itself; `empty-folder`: a workspace holds files only. */
  readonly reason: 'system-file' | 'empty-folder'
}

/** Of folders and skipped entries there may be this many times `limits.files`. */
const OTHERS_A_FILE = 4

/** The growing account of one archive. */
export class ArchivePlan {
  readonly #limits: ArchiveLimits
  readonly #into: string
  /** By a key under which names that some file systems take for one are equal. */
  readonly #files = new Map<string, string>()
  /** By the same key: the entry that needs the folder, and the entry that is the folder. */
  readonly #foldersNeeded = new Map<string, string>()
  readonly #folders = new Map<string, string>()
  readonly #skipped: SkippedEntry[] = []
  #others = 0
  #totalBytes = 0

  /** @param into - canonical path of the folder to unpack into; empty for the workspace itself */
  constructor(limits: ArchiveLimits, into: string) {
    this.#limits = limits
    this.#into = into
  }

  /** All files so far, unpacked, in bytes. */
  get totalBytes(): number {
    return this.#totalBytes
  }

  /**
   * Takes the next entry.
   *
   * @returns the file to be made, or undefined when none is
   * @throws MendloopError ARCHIVE_REFUSED
   */
  add(name: string, kind: EntryKind): PlannedFile | undefined {
    if (kind === 'link') throw archiveRefused('link', 'is a link', name)
    if (kind === 'special-file') throw archiveRefused('special-file', 'is neither a file nor a folder', name)
    const inside = this.#pathOf(name, kind)
    if (inside === undefined) {
      this.#countOther()
      return undefined
    }
    if (isSystemFile(inside)) {
      this.#countOther()
      this.#skipped.push({ entry: name, reason: 'system-file' })
      return undefined
    }
    if (kind === 'folder') {
      this.#countOther()
      this.#requireNoFile(inside, name)
      this.#folders.set(keyOf(inside), name)
      return undefined
    }
    this.#addFile(inside, name)
    return { path: this.#into === '' ? inside : toWorkspacePath(`${this.#into}/${inside}`), name }
  }

  /**
   * Counts bytes of a file, as they are unpacked or as they are declared.
   *
   * @param fileBytes - of this file so far
   * @param newBytes - how many of them were not counted before
   */
  count(name: string, fileBytes: number, newBytes: number): void {
    const { fileBytes: most, totalBytes } = this.#limits
    if (fileBytes > most)
      throw archiveRefused('too-large', `is larger than limits.fileBytes (${most} bytes)`, name)
    this.#totalBytes += newBytes
    if (this.#totalBytes > totalBytes)
      throw archiveRefused(
        'too-large',
        `makes the archive larger than limits.totalBytes (${totalBytes} bytes)`,
        name,
      )
  }

  /** Refuses what unpacks to far more than it is. */
  requireRatio(unpackedBytes: number, packedBytes: number, name?: string): void {
    if (unpackedBytes <= RATIO_FREE_BYTES || unpackedBytes <= packedBytes * this.#limits.ratio) return
    throw archiveRefused(
      'too-compressed',
      `unpacks to more than limits.ratio (${this.#limits.ratio}) times its size`,
      name,
    )
  }

  /** What is left out, once every entry was added. */
  skipped(): SkippedEntry[] {
    const empty: SkippedEntry[] = []
    for (const [folder, entry] of this.#folders)
      if (!this.#foldersNeeded.has(folder)) empty.push({ entry, reason: 'empty-folder' })
    return [...this.#skipped, ...empty]
  }

  #pathOf(name: string, kind: EntryKind): string | undefined {
    const bad = (problem: string, cause?: unknown) => archiveRefused('bad-name', problem, name, cause)
    const parts = name.split('/')
    // Even where it would stay inside: no honest tool writes it.
    if (parts.includes('..')) throw bad('has a path with ".."')
    if (/^[A-Za-z]:/.test(name)) throw bad('has a path with a drive letter')
    const { depth, pathBytes } = this.#limits
    if (Buffer.byteLength(name) > pathBytes)
      throw bad(`has a path longer than limits.pathBytes (${pathBytes} bytes)`)
    const names = parts.filter((part) => part !== '' && part !== '.')
    // "./" is how tar names the folder it was made of.
    if (names.length === 0 && kind === 'folder' && !name.startsWith('/')) return undefined
    if (names.length - 1 > depth) throw bad(`is deeper than limits.depth (${depth} folders)`)
    try {
      return toWorkspacePath(name)
    } catch (error) {
      if (!MendloopError.is(error, 'PATH_REFUSED')) throw error
      throw bad(`has a path that ${error.details.reason}`, error)
    }
  }

  #addFile(path: string, name: string): void {
    if (this.#files.size === this.#limits.files)
      throw archiveRefused(
        'too-many-entries',
        `is one more than limits.files (${this.#limits.files} files)`,
        name,
      )
    const key = keyOf(path)
    const twin = this.#files.get(key)
    if (twin !== undefined)
      throw archiveRefused(
        'conflict',
        twin === path ? 'is there twice' : `differs from "${twin}" in case only`,
        name,
      )
    const above = this.#foldersNeeded.get(key) ?? this.#folders.get(key)
    if (above !== undefined)
      throw archiveRefused('conflict', `is a file, and "${above}" needs it to be a folder`, name)
    this.#requireNoFile(path, name)
    this.#files.set(key, path)
    for (const folder of foldersAbove(key)) this.#foldersNeeded.set(folder, name)
  }

  /** No folder above may be a file. */
  #requireNoFile(path: string, name: string): void {
    const key = keyOf(path)
    for (const folder of [...foldersAbove(key), key]) {
      const file = this.#files.get(folder)
      if (file !== undefined)
        throw archiveRefused('conflict', `needs the file "${file}" to be a folder`, name)
    }
  }

  #countOther(): void {
    const most = this.#limits.files * OTHERS_A_FILE
    if (++this.#others > most)
      throw archiveRefused('too-many-entries', `holds more than ${most} folders and skipped entries`)
  }
}

/** Case folded and composed: what macOS and Windows take for the same name. */
const keyOf = (path: string): string => path.normalize('NFC').toLowerCase()

function* foldersAbove(path: string): Generator<string> {
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
    yield path.slice(0, slash)
}

/** What macOS puts into archives for itself: attributes of files, and how folders look. */
function isSystemFile(path: string): boolean {
  const parts = path.split('/')
  return parts[0] === '__MACOSX' || parts.at(-1) === '.DS_Store'
}
