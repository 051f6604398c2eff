// Reads tar and tar.gz: names in three dialects, strict where a lenient reader could be led astray.

import { createGunzip } from 'node:zlib'
import { errorCode } from '../../contract/foreign-values.js'
import type { ArchiveEntry } from './archive-entry.js'
import { archiveFormatOf } from './archive-format.js'
import type { EntryKind } from './archive-plan.js'
import { archiveRefused } from './archive-refused.js'
import { readPaxRecords } from './pax-records.js'
import { PieceReader } from './pieces.js'
import type { Spool } from './spool.js'
import { readTarHeader, type TarHeader } from './tar-header.js'
import { through } from './through.js'

const BLOCK_BYTES = 512
/** A name and a few attributes. */
const LONGEST_ATTRIBUTES_BYTES = 64 * 1024

const KINDS: Readonly<Record<string, EntryKind>> = {
  '0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'link',
  '3': 'special-file',
  '4': 'special-file',
  '5': 'folder',
  '6': 'special-file',
}

/**
 * Every entry of a tar file.
 *
 * @param onUnpacked - told of bytes as they come out of gzip
 */
export async function* tarEntries(
  archive: Spool,
  gzip: boolean,
  onUnpacked: (bytes: number) => void,
): AsyncGenerator<ArchiveEntry, void> {
  const reader = new PieceReader(gzip ? gunzipped(archive, onUnpacked) : archive.pieces())
  try {
    const first = await reader.exactly(BLOCK_BYTES)
    if (!startsTar(first)) throw archiveRefused('not-an-archive', `${gzip ? 'holds' : 'is'} no tar file`)
    for (let next = await nextHeader(reader, first); next !== undefined; next = await nextHeader(reader)) {
      const { name, header, sizeBytes } = next
      const kind = header.type === '0' && name.endsWith('/') ? 'folder' : KINDS[header.type]
      if (kind === undefined)
        throw archiveRefused('unsupported', `is of tar's kind ${JSON.stringify(header.type)}`, name)
      const content = contentOf(reader, name, kind === 'file' ? sizeBytes : 0)
      yield {
        name,
        kind,
        sizeBytes,
        packedBytes: undefined,
        executable: (header.mode & 0o111) !== 0,
        content: () => content,
      }
      // What was not read is passed over.
      for await (const _piece of content);
    }
    await requireNothingMore(reader)
  } finally {
    await reader.close()
  }
}

/** Anything may be in a gzip file, and an archive may be said to be of a kind that it is not. */
const startsTar = (block: Buffer): boolean => archiveFormatOf(block) === 'tar'

interface NamedHeader {
  readonly header: TarHeader
  readonly name: string
  readonly sizeBytes: number
}

/** The next header with what the entries before it said of it; undefined at the end of the archive. */
async function nextHeader(reader: PieceReader, first?: Buffer): Promise<NamedHeader | undefined> {
  let longName: Uint8Array | undefined
  let records: ReadonlyMap<string, Buffer> = new Map()
  for (let taken = first; ; taken = undefined) {
    const block = taken ?? (await reader.exactly(BLOCK_BYTES))
    if (block.length < BLOCK_BYTES) throw truncated()
    if (block.every((byte) => byte === 0)) return undefined
    const header = readTarHeader(block)
    if (header === undefined) throw archiveRefused('corrupt', 'has a damaged tar header')
    if (header.type === 'L') longName = withoutEnd(await attributes(reader, header))
    else if (header.type === 'x') records = readPaxRecords(await attributes(reader, header))
    else if (header.type === 'K' || header.type === 'g' || header.type === 'V')
      await attributes(reader, header)
    else {
      const name = toText(records.get('path') ?? longName ?? header.name)
      if ([...records.keys()].some((key) => key.startsWith('GNU.sparse.')))
        throw archiveRefused('unsupported', 'is a sparse file', name)
      return { header, name, sizeBytes: sizeFrom(records, header, name) }
    }
  }
}

function sizeFrom(records: ReadonlyMap<string, Buffer>, header: TarHeader, name: string): number {
  const stated = records.get('size')?.toString('latin1')
  if (stated === undefined) return header.sizeBytes
  if (!/^\d{1,15}$/.test(stated)) throw archiveRefused('corrupt', 'has a size that is no number', name)
  return Number(stated)
}

async function attributes(reader: PieceReader, { sizeBytes }: TarHeader): Promise<Buffer> {
  if (sizeBytes > LONGEST_ATTRIBUTES_BYTES)
    throw archiveRefused('corrupt', `has attributes of ${sizeBytes} bytes`)
  const bytes = await reader.exactly(sizeBytes)
  const padding = await reader.exactly(paddingAfter(sizeBytes))
  if (bytes.length + padding.length < sizeBytes + paddingAfter(sizeBytes)) throw truncated()
  return bytes
}

async function* contentOf(reader: PieceReader, name: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let left = sizeBytes; left > 0; ) {
    const piece = await reader.some(left)
    if (piece === undefined) throw truncated(name)
    left -= piece.length
    yield piece
  }
  const padding = paddingAfter(sizeBytes)
  if ((await reader.exactly(padding)).length < padding) throw truncated(name)
}

/** After the end there are zeros, if anything: what else is there, another reader might unpack. */
async function requireNothingMore(reader: PieceReader): Promise<void> {
  for (let piece = await reader.some(1024 ** 2); piece !== undefined; piece = await reader.some(1024 ** 2))
    if (piece.some((byte) => byte !== 0)) throw archiveRefused('corrupt', 'goes on after its end')
}

async function* gunzipped(archive: Spool, onUnpacked: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of through(archive.pieces(), createGunzip({ chunkSize: 64 * 1024 }))) {
      onUnpacked(piece.length)
      yield piece
    }
  } catch (error) {
    const isZlibs = /^Z_/.test(errorCode(error) ?? '')
    throw isZlibs ? archiveRefused('corrupt', 'is truncated or damaged', undefined, error) : error
  }
}

const paddingAfter = (sizeBytes: number): number => (BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES

const truncated = (name?: string) => archiveRefused('corrupt', 'is truncated', name)

const withoutEnd = (bytes: Buffer): Buffer => {
  const zero = bytes.indexOf(0)
  return zero === -1 ? bytes : bytes.subarray(0, zero)
}

function toText(name: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(name)
  } catch (error) {
    throw archiveRefused('bad-name', 'has a name that is not UTF-8', Buffer.from(name).toString(), error)
  }
}
