// Reads zip: the list at the end is the truth, and what stands before each file has to agree with it.
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import {
  type Entry,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl'
import { MendloopError } from '../../contract/errors.js'
import { inWords } from '../../contract/foreign-values.js'
import type { ArchiveEntry } from './archive-entry.js'
import type { EntryKind } from './archive-plan.js'
import { archiveRefused } from './archive-refused.js'
import type { Spool } from './spool.js'

/** General purpose bits (APPNOTE.TXT 4.4.4). */
const ENCRYPTED = 0x0001 | 0x0040 | 0x2000
const SIZES_FOLLOW = 0x0008
const PATCH = 0x0020
const IS_UTF8 = 0x0800

const STORED = 0
const DEFLATED = 8
const END_OF_LIST = 'PK\x05\x06'
const END_OF_LIST_ZIP64 = 'PK\x06\x06'
/** In a size: the true one is in a zip64 field. */
const ELSEWHERE = 0xffffffff

/** Types in the Unix mode, in the upper half of the external attributes. */
const TYPE_MASK = 0o170000
const TYPES: ReadonlyMap<number, EntryKind> = new Map([
  [0, 'file'],
  [0o100000, 'file'],
  [0o040000, 'folder'],
  [0o120000, 'link'],
])

/** Every entry of a zip file, in the order of its list. */
export async function* zipEntries(archive: Spool, mostEntries: number): AsyncGenerator<ArchiveEntry, void> {
  const zip = await damagedIfFails(() => openZip(archive))
  try {
    if (zip.entryCount > mostEntries)
      throw archiveRefused(
        'too-many-entries',
        `holds ${zip.entryCount} entries; limits.files allows ${mostEntries}`,
      )
    const listStart = cursorOf(zip)
    const extents: Extent[] = []
    const entries: Entry[] = []
    await damagedIfFails(async () => {
      for await (const entry of zip.eachEntry()) entries.push(entry)
    })
    await requireEndOfList(archive, cursorOf(zip))
    for (const entry of entries) extents.push(await checkLocalHeader(zip, entry, nameOf(entry)))
    requireApart(extents, listStart)
    for (const entry of entries) yield toArchiveEntry(zip, entry, nameOf(entry))
  } finally {
    zip.close()
  }
}

/** Where the list is read next; the types call it a boolean. */
const cursorOf = (zip: ZipFile): number => Number(zip.readEntryCursor)

/** A reader that goes by the length of the list, not by the number of entries, must find no more of them. */
async function requireEndOfList(archive: Spool, position: number): Promise<void> {
  const mark = Buffer.from(await archive.read(position, 4)).toString('latin1')
  if (mark !== END_OF_LIST && mark !== END_OF_LIST_ZIP64)
    throw archiveRefused('corrupt', 'lists more entries than it says')
}

const OPTIONS = { autoClose: false, lazyEntries: true, decodeStrings: false, validateEntrySizes: true }

const openZip = (archive: Spool): Promise<ZipFile> =>
  fromRandomAccessReaderPromise(new SpoolReader(archive), archive.sizeBytes, OPTIONS)

class SpoolReader extends RandomAccessReader {
  readonly #archive: Spool

  constructor(archive: Spool) {
    super()
    this.#archive = archive
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#archive.pieces(start, end), { objectMode: false })
  }

  /** Without a stream: there are four small reads for each entry. */
  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.#archive.read(position, length).then(
      (bytes) => {
        buffer.set(bytes, offset)
        callback(null, bytes.length)
      },
      (error: Error) => callback(error),
    )
  }
}

interface Extent {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** A reader that goes from front to back must find what the list says. */
async function checkLocalHeader(zip: ZipFile, entry: Entry, name: string): Promise<Extent> {
  const local = await damagedIfFails(() => zip.readLocalFileHeaderPromise(entry), name)
  const flags = entry.generalPurposeBitFlag | local.generalPurposeBitFlag
  if ((flags & ENCRYPTED) !== 0) throw archiveRefused('encrypted', 'is encrypted', name)
  if ((flags & PATCH) !== 0) throw archiveRefused('unsupported', 'is a patch', name)
  const method = entry.compressionMethod
  if (method !== STORED && method !== DEFLATED)
    throw archiveRefused('unsupported', `is packed by method ${method}, which is not read here`, name)
  const agrees = (own: number, stated: number): boolean =>
    own === stated || own === ELSEWHERE || (own === 0 && (flags & SIZES_FOLLOW) !== 0)
  const same =
    local.fileName.equals(entry.fileNameRaw) &&
    local.compressionMethod === method &&
    agrees(local.crc32, entry.crc32) &&
    agrees(local.compressedSize, entry.compressedSize) &&
    agrees(local.uncompressedSize, entry.uncompressedSize)
  if (!same) throw archiveRefused('corrupt', 'is not what the list at the end of the archive says', name)
  const start = entry.relativeOffsetOfLocalHeader
  return { name, start, end: local.fileDataStart + entry.compressedSize }
}

/** Overlapping entries are how a small archive holds the same bytes a thousand times. */
function requireApart(extents: readonly Extent[], listStart: number): void {
  let end = 0
  for (const extent of extents.toSorted((a, b) => a.start - b.start)) {
    if (extent.start < end || extent.end > listStart)
      throw archiveRefused('corrupt', 'overlaps another part of the archive', extent.name)
    end = extent.end
  }
}

function toArchiveEntry(zip: ZipFile, entry: Entry, name: string): ArchiveEntry {
  const mode = entry.externalFileAttributes >>> 16
  const kind = TYPES.get(mode & TYPE_MASK) ?? 'special-file'
  return {
    name,
    kind: kind === 'file' && name.endsWith('/') ? 'folder' : kind,
    sizeBytes: entry.uncompressedSize,
    packedBytes: entry.compressedSize,
    executable: (mode & 0o111) !== 0,
    content: () => contentOf(zip, entry, name),
  }
}

async function* contentOf(zip: ZipFile, entry: Entry, name: string): AsyncGenerator<Uint8Array> {
  let checksum = 0
  try {
    const stream: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry)
    for await (const piece of stream) {
      checksum = crc32(piece, checksum)
      yield piece
    }
  } catch (error) {
    throw damaged(error, name)
  }
  if (checksum !== entry.crc32)
    throw archiveRefused('corrupt', 'has another checksum than the archive says', name)
}

/**
 * Names are UTF-8 where the entry says so, and where they are UTF-8 although it does not (macOS, many libraries); else
 * what DOS made of bytes, which is the letter of the standard.
 */
function nameOf(entry: Entry): string {
  const utf8 = toUtf8(entry.fileNameRaw)
  const saysSo = (entry.generalPurposeBitFlag & IS_UTF8) !== 0
  if (saysSo && utf8 === undefined)
    throw archiveRefused('bad-name', 'has a name that is not UTF-8', entry.fileNameRaw.toString())
  const byExtraField = getFileNameLowLevel(
    entry.generalPurposeBitFlag,
    entry.fileNameRaw,
    entry.extraFields,
    true,
  )
  const hasExtraField = entry.extraFields.some(({ id }) => id === UNICODE_PATH)
  return hasExtraField ? byExtraField : (utf8 ?? byExtraField)
}

/** Info-ZIP's field for a name in UTF-8 beside one that is not. */
const UNICODE_PATH = 0x7075

function toUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

async function damagedIfFails<T>(act: () => Promise<T>, name?: string): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw damaged(error, name)
  }
}

const damaged = (error: unknown, name?: string): Error =>
  MendloopError.is(error)
    ? error
    : archiveRefused('corrupt', `is truncated or damaged (${inWords(error)})`, name, error)
