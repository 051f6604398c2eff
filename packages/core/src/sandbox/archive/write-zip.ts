// Files into a zip (APPNOTE.TXT 6.3.10): each deflated, its numbers after it; the list of all at the end.
import { crc32, createDeflateRaw } from 'node:zlib'
import type { FileEntry } from '../../contract/workspace-files.js'
import { through } from './through.js'
import type { ContentOf } from './write-tar.js'

const UTF8_NAME = 0x0800
const SIZES_FOLLOW = 0x0008
const STORED = 0
const DEFLATED = 8
/** 1 January 1980, the first day that a zip can say. */
const OLDEST = 0x0021
/** Made on Unix, by version 4.5, which knows large files. */
const MADE_BY = 0x032d
const REGULAR_FILE = 0o100644
/** Stands for a number that is in the zip64 field. */
const ELSEWHERE = 0xffffffff
/** From here on a file may not fit even when it is packed. */
const LARGE_BYTES = 0xfff00000

interface StartedFile {
  readonly name: Buffer
  readonly unpacked: number
  /** Where its header is. */
  readonly offset: number
}

interface WrittenFile extends StartedFile {
  readonly checksum: number
  readonly packed: number
}

/** @param contentOf - must give as many bytes as the entry says */
export async function* zipPieces(
  files: readonly FileEntry[],
  contentOf: ContentOf,
): AsyncGenerator<Uint8Array, void> {
  const written: WrittenFile[] = []
  let offset = 0
  for (const file of files) {
    const entry = { name: Buffer.from(file.path), unpacked: file.sizeBytes, offset }
    const header = localHeader(entry)
    yield header
    let checksum = 0
    const checked = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of contentOf(file)) {
        checksum = crc32(piece, checksum)
        yield piece
      }
    }
    let packed = 0
    for await (const piece of entry.unpacked === 0 ? checked() : through(checked(), createDeflateRaw())) {
      packed += piece.length
      yield piece
    }
    const sizes = sizesAfter({ ...entry, checksum, packed })
    yield sizes
    written.push({ ...entry, checksum, packed })
    offset += header.length + packed + sizes.length
  }
  let listBytes = 0
  for (const file of written) {
    const entry = listEntry(file)
    listBytes += entry.length
    yield entry
  }
  yield endOfList(written.length, listBytes, offset)
}

/** What both headers say first: the version needed, flags, method and time. */
function method({ unpacked }: StartedFile, isLarge: boolean): Buffer {
  const version = isLarge ? 45 : 20
  return unpacked === 0
    ? fields([version, 2], [UTF8_NAME, 2], [STORED, 2], [0, 2], [OLDEST, 2])
    : fields([version, 2], [UTF8_NAME | SIZES_FOLLOW, 2], [DEFLATED, 2], [0, 2], [OLDEST, 2])
}

function localHeader(file: StartedFile): Buffer {
  const isLarge = file.unpacked >= LARGE_BYTES
  const size = isLarge ? ELSEWHERE : 0
  const extra = isLarge ? fields([1, 2], [16, 2], [0, 8], [0, 8]) : Buffer.alloc(0)
  return Buffer.concat([
    fields([0x04034b50, 4]),
    method(file, isLarge),
    fields([0, 4], [size, 4], [size, 4], [file.name.length, 2], [extra.length, 2]),
    file.name,
    extra,
  ])
}

function sizesAfter({ checksum, packed, unpacked }: WrittenFile): Buffer {
  if (unpacked === 0) return Buffer.alloc(0)
  const bytes = unpacked >= LARGE_BYTES ? 8 : 4
  return fields([0x08074b50, 4], [checksum, 4], [packed, bytes], [unpacked, bytes])
}

function listEntry(file: WrittenFile): Buffer {
  const { name, checksum, packed, unpacked, offset } = file
  const isLarge = unpacked >= LARGE_BYTES || offset >= ELSEWHERE
  const here = (value: number): number => (isLarge ? ELSEWHERE : value)
  const extra = isLarge ? fields([1, 2], [24, 2], [unpacked, 8], [packed, 8], [offset, 8]) : Buffer.alloc(0)
  return Buffer.concat([
    fields([0x02014b50, 4], [MADE_BY, 2]),
    method(file, isLarge),
    fields([checksum, 4], [here(packed), 4], [here(unpacked), 4], [name.length, 2], [extra.length, 2]),
    fields([0, 2], [0, 2], [0, 2], [0, 2], [REGULAR_FILE, 2], [here(offset), 4]),
    name,
    extra,
  ])
}

function endOfList(count: number, listBytes: number, offset: number): Buffer {
  const short = Math.min(count, 0xffff)
  const [bytes, start] = [Math.min(listBytes, ELSEWHERE), Math.min(offset, ELSEWHERE)]
  const end = fields([0x06054b50, 4], [0, 2], [0, 2], [short, 2], [short, 2], [bytes, 4], [start, 4], [0, 2])
  if (short < 0xffff && bytes < ELSEWHERE && start < ELSEWHERE) return end
  return Buffer.concat([
    fields([0x06064b50, 4], [44, 8], [MADE_BY, 2], [45, 2], [0, 4], [0, 4], [count, 8], [count, 8]),
    fields([listBytes, 8], [offset, 8]),
    fields([0x07064b50, 4], [0, 4], [offset + listBytes, 8], [1, 4]),
    end,
  ])
}

/** Little-endian numbers, each of so many bytes. */
function fields(...numbers: readonly (readonly [value: number, bytes: 2 | 4 | 8])[]): Buffer {
  const all = Buffer.alloc(numbers.reduce((total, [, bytes]) => total + bytes, 0))
  let offset = 0
  for (const [value, bytes] of numbers) {
    if (bytes === 8) all.writeBigUInt64LE(BigInt(value), offset)
    else all.writeUIntLE(value, offset, bytes)
    offset += bytes
  }
  return all
}
