// Takes one file out of a zip archive, for the demo's own look at what the program is about to read.
import { inflateRawSync } from 'node:zlib'

/** A file in an archive. */
export interface ZipEntry {
  readonly name: string
  readonly sizeBytes: number
  /** Unpacks it. @throws Error with a sentence when it is damaged, encrypted or packed in an unusual way */
  read(): Buffer
}

const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50
const LOCAL_ENTRY = 0x04034b50

/** Whether `bytes` begin like a zip archive. */
export const isZip = (bytes: Buffer): boolean =>
  bytes.length >= 4 && (bytes.readUInt32LE(0) === LOCAL_ENTRY || bytes.readUInt32LE(0) === END_OF_DIRECTORY)

/**
 * The files of an archive, by its central directory; folders are left out.
 *
 * @throws Error with a sentence when it is not a readable archive
 */
export function zipEntries(bytes: Buffer): readonly ZipEntry[] {
  // The end record is 22 bytes and a comment of at most 65,535 (APPNOTE 4.3.16).
  let end = bytes.length - 22
  while (end >= 0 && bytes.length - end <= 65_557 && bytes.readUInt32LE(end) !== END_OF_DIRECTORY) end--
  if (end < 0 || bytes.readUInt32LE(end) !== END_OF_DIRECTORY)
    throw new Error('its table of contents is missing')
  try {
    return readDirectory(bytes, bytes.readUInt16LE(end + 10), bytes.readUInt32LE(end + 16))
  } catch (cause) {
    throw new Error('its table of contents is damaged', { cause })
  }
}

function readDirectory(bytes: Buffer, count: number, offset: number): ZipEntry[] {
  const entries: ZipEntry[] = []
  let at = offset
  for (let index = 0; index < count; index++) {
    if (bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Error('not a directory entry')
    const nameLength = bytes.readUInt16LE(at + 28)
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    const entry = {
      encrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      method: bytes.readUInt16LE(at + 10),
      packedBytes: bytes.readUInt32LE(at + 20),
      sizeBytes: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42),
    }
    if (!name.endsWith('/'))
      entries.push({ name, sizeBytes: entry.sizeBytes, read: () => unpack(bytes, entry) })
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return entries
}

interface Packed {
  readonly encrypted: boolean
  readonly method: number
  readonly packedBytes: number
  readonly sizeBytes: number
  readonly offset: number
}

function unpack(bytes: Buffer, entry: Packed): Buffer {
  if (entry.encrypted) throw new Error('it is encrypted')
  if (entry.packedBytes === 0xffffffff || entry.sizeBytes === 0xffffffff)
    throw new Error('it is a zip64 archive')
  if (entry.method !== 0 && entry.method !== 8)
    throw new Error(`it is packed by method ${entry.method}; only stored and deflated files can be read`)
  try {
    const start =
      entry.offset + 30 + bytes.readUInt16LE(entry.offset + 26) + bytes.readUInt16LE(entry.offset + 28)
    const packed = bytes.subarray(start, start + entry.packedBytes)
    if (packed.length !== entry.packedBytes) throw new Error('cut short')
    // The bound keeps a zip bomb from filling the memory: an honest file never grows past what it says.
    const content =
      entry.method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.sizeBytes) })
    if (content.length !== entry.sizeBytes) throw new Error('wrong size')
    return content
  } catch (cause) {
    throw new Error('it is damaged', { cause })
  }
}
