// What a file is, from its first bytes; its name is only a hint, and never against the bytes.
import { isBytes } from '../../contract/foreign-values.js'
import { invalidOption } from '../../contract/options.js'
import { requireFiles } from '../../contract/require-parts.js'
import type { WorkspaceFiles } from '../../contract/workspace-files.js'
import { archiveFormatOf } from '../archive/archive-format.js'
import { isTarHeader } from '../archive/tar-header.js'
import { readPart } from './file-piece.js'
import type { FileType } from './file-type.js'
import { imageSize, svgSize } from './image-size.js'
import { type Signature, signatureOf } from './signatures.js'
import { textContent } from './text-content.js'
import { decodeText } from './text-encoding.js'
import { zipContent } from './zip-content.js'

/** Bytes of a file that are enough to tell what it is, the size of a JPEG with a preview in front included. */
export const SNIFFED_BYTES = 64 * 1024

/**
 * Tells what a file is. Never throws for any bytes.
 *
 * @param head - its first bytes, {@link SNIFFED_BYTES} or as many as there are; fewer tell less
 * @param name - decides between kinds of text, and nothing that the bytes contradict
 */
export function sniffFileType(head: Uint8Array, name = ''): FileType {
  if (!isBytes(head))
    throw invalidOption('sniffFileType()', 'head', 'must be a Uint8Array', {
      expected: 'a Uint8Array',
      received: typeof head,
    })
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, SNIFFED_BYTES))
  const extension = extensionOf(name)
  if (bytes.length === 0) return { mime: 'application/x-empty', kind: 'empty', extension }
  return (
    binaryFormat(bytes, extension) ??
    textFormat(bytes, extension, head.length < SNIFFED_BYTES) ??
    unknown(extension)
  )
}

/**
 * Tells what a file of a workspace is, by reading its first bytes.
 *
 * @throws MendloopError INVALID_OPTION, PATH_REFUSED, FILE_UNAVAILABLE
 */
export async function sniffFile(files: WorkspaceFiles, path: string): Promise<FileType> {
  requireFiles(files, 'sniffFile()')
  return sniffFileType(await readPart(files, path, 0, SNIFFED_BYTES), path)
}

function binaryFormat(bytes: Buffer, extension: string): FileType | undefined {
  if (archiveFormatOf(bytes) === 'zip') return zipContent(bytes)
  if (bytes.length >= 512 && isTarHeader(bytes))
    return { mime: 'application/x-tar', kind: 'archive', extension: 'tar' }
  if (isPortableExecutable(bytes))
    return { mime: 'application/vnd.microsoft.portable-executable', kind: 'executable', extension: 'exe' }
  if (isMp3Frame(bytes)) return { mime: 'audio/mpeg', kind: 'audio', extension: 'mp3' }
  const signature = signatureOf(bytes)
  if (signature === undefined || isOnlyText(signature, bytes)) return undefined
  const { mime, kind } = signature
  const dimensions = kind === 'image' ? imageSize(mime, bytes) : undefined
  return {
    mime,
    kind,
    extension: SAME_FORMAT[signature.extension]?.includes(extension) ? extension : signature.extension,
    ...(dimensions && { dimensions }),
  }
}

/** A text that begins with the letters of a binary format, such as "ID3 tags": the rest of those formats is no text. */
function isOnlyText({ bytes: mark, kind }: Signature, bytes: Buffer): boolean {
  if (kind === 'document' || !/^[\x20-\x7e]+$/.test(mark)) return false
  return bytes.length > mark.length && decodeText(bytes)?.encoding === 'utf-8'
}

/** Names that one format goes by. */
const SAME_FORMAT: Readonly<Record<string, readonly string[]>> = {
  jpg: ['jpeg'],
  tiff: ['tif'],
  gz: ['tgz'],
  sqlite: ['db', 'sqlite3'],
  doc: ['xls', 'ppt', 'msg'],
  h5: ['hdf5', 'keras'],
  webm: ['mkv'],
  ogg: ['oga', 'ogv', 'opus'],
  arrow: ['feather'],
}

function isPortableExecutable(bytes: Buffer): boolean {
  if (bytes.length < 64 || bytes.toString('latin1', 0, 2) !== 'MZ') return false
  const start = bytes.readUInt32LE(60)
  return bytes.toString('latin1', start, start + 4) === 'PE\0\0'
}

/** The first frame of an MP3 without tags: layer III, and no reserved bit rate or sampling rate. */
function isMp3Frame(bytes: Buffer): boolean {
  const [first, second = 0, third = 0] = bytes
  if (bytes.length < 4 || first !== 0xff || (second & 0xe6) !== 0xe2 || (second & 0x18) === 0x08) return false
  const bitRate = third >> 4
  return bitRate !== 0 && bitRate !== 15 && (third & 0x0c) !== 0x0c
}

function textFormat(bytes: Buffer, extension: string, isWhole: boolean): FileType | undefined {
  const decoded = decodeText(bytes)
  if (decoded === undefined) return undefined
  const { encoding, text } = decoded
  const type = textContent(text, extension, isWhole)
  const dimensions = type.extension === 'svg' ? svgSize(text) : undefined
  return { ...type, encoding, ...(dimensions && { dimensions }) }
}

const unknown = (extension: string): FileType => ({
  mime: 'application/octet-stream',
  kind: 'binary',
  extension,
})

/** In lower case, without the dot. */
function extensionOf(name: string): string {
  return /[^/\\]\.(\w{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? ''
}
