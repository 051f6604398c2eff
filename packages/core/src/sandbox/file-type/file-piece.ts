// A piece of a file, small enough for a conversation: as text, as a hex dump, or as bytes.
import { z } from 'zod'
import { parseOptions } from '../../contract/options.js'
import { requireFiles } from '../../contract/require-parts.js'
import type { WorkspaceFiles } from '../../contract/workspace-files.js'
import { wholeCharactersEnd, wholeCharactersStart } from '../../internal/utf8.js'
import { hexDump } from './hex-dump.js'

/** Most bytes of one piece, whatever was asked for. */
export const LARGEST_PIECE_BYTES = 64 * 1024

/** Which piece of a file, and in which form. */
export interface FilePieceOptions<As extends 'text' | 'hex' | 'bytes' = 'text' | 'hex' | 'bytes'> {
  /** First byte. Default 0. */
  offset?: number
  /** Bytes; at most 65 536 are given. Default 4096. */
  length?: number
  /** `text`: as UTF-8, never half a character; `hex`: 16 bytes a line with their characters. Default `text`. */
  as?: As
}

/** A piece of a file. */
export interface FilePiece<As extends 'text' | 'hex' | 'bytes' = 'text' | 'hex' | 'bytes'> {
  /** Form of the content. */
  readonly as: As
  /** The content; empty beyond the end of the file. */
  readonly content: As extends 'bytes' ? Uint8Array : string
  /** First byte given; of text up to three later than asked, where a character begins. */
  readonly offset: number
  /** Bytes given. */
  readonly length: number
  /** Size of the whole file. */
  readonly sizeBytes: number
  /** Where the next piece starts; absent at the end of the file. */
  readonly nextOffset?: number
}

const wholeNumber = z.int('must be a whole number')
const optionsSchema: z.ZodType<FilePieceOptions> = z.strictObject({
  offset: wholeNumber.nonnegative('must not be negative').optional(),
  // Any character of UTF-8 has room.
  length: wholeNumber.min(4, 'must be at least 4').optional(),
  as: z.enum(['text', 'hex', 'bytes']).optional(),
})

/**
 * Reads a piece of a file without reading the rest of it, where the sandbox can.
 *
 * @throws MendloopError INVALID_OPTION, PATH_REFUSED, FILE_UNAVAILABLE
 */
export async function readFilePiece<As extends 'text' | 'hex' | 'bytes' = 'text'>(
  files: WorkspaceFiles,
  path: string,
  options: FilePieceOptions<As> = {},
): Promise<FilePiece<As>> {
  requireFiles(files, 'readFilePiece()')
  const {
    offset: asked = 0,
    length = 4096,
    as = 'text',
  } = parseOptions(optionsSchema, options, 'readFilePiece()')
  const part = await readPart(files, path, asked, Math.min(length, LARGEST_PIECE_BYTES))
  const size = (await files.stat(path))?.sizeBytes ?? 0
  // A program may be writing to it.
  const sizeBytes = part.length === 0 ? size : Math.max(size, asked + part.length)
  const atEnd = asked + part.length >= sizeBytes
  const start = as === 'text' && asked > 0 ? wholeCharactersStart(part) : 0
  const end = as === 'text' && !atEnd ? wholeCharactersEnd(part) : part.length
  const bytes = part.subarray(start, Math.max(start, end))
  const offset = asked + start
  const nextOffset = offset + bytes.length
  const piece: FilePiece = {
    as,
    content: as === 'bytes' ? bytes : as === 'hex' ? hexDump(bytes, offset) : Buffer.from(bytes).toString(),
    offset,
    length: bytes.length,
    sizeBytes,
    ...(nextOffset < sizeBytes && { nextOffset }),
  }
  return piece as FilePiece<As>
}

/** Bytes of a file, from a sandbox that can read parts or from one that cannot. */
export async function readPart(
  files: WorkspaceFiles,
  path: string,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  if (files.readRange !== undefined) return files.readRange(path, { offset, length })
  return (await files.read(path)).slice(offset, offset + length)
}
