// An archive that can be read twice and anywhere: in memory while it is small, else in a temporary file without a name.
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isBytes } from '../../contract/foreign-values.js'
import { archiveRefused } from './archive-refused.js'
import { abortable, type ByteSource } from './pieces.js'

/** Up to this size a stream is held in memory. */
const IN_MEMORY_BYTES = 4 * 1024 ** 2
const PIECE_BYTES = 128 * 1024

/** An archive at hand. */
export interface Spool {
  readonly sizeBytes: number
  /** The bytes from `start` to `end`. Default: all of them. */
  pieces(start?: number, end?: number): AsyncIterable<Uint8Array>
  /** So many bytes from `start`; fewer at the end. */
  read(start: number, length: number): Promise<Uint8Array>
  /** Lets the memory or the file go. */
  close(): Promise<void>
}

/**
 * Takes in a whole archive.
 *
 * @param mostBytes - beyond which it is refused: what is packed in it cannot be within the limits
 */
export async function spool(
  source: ByteSource,
  { mostBytes, signal }: { mostBytes: number; signal: AbortSignal | undefined },
): Promise<Spool> {
  if (isBytes(source)) return inMemory(source)
  const held: Uint8Array[] = []
  let sizeBytes = 0
  let file: OpenFile | undefined
  try {
    for await (const piece of abortable(source, signal)) {
      sizeBytes += piece.length
      if (sizeBytes > mostBytes)
        throw archiveRefused('too-large', `is larger than ${mostBytes} bytes, packed`)
      // Copied, because a source may use its buffer again.
      if (sizeBytes <= IN_MEMORY_BYTES) held.push(Uint8Array.from(piece))
      else {
        if (file === undefined) {
          file = await openUnnamed()
          for (const one of held.splice(0)) await writeFully(file.handle, one)
        }
        await writeFully(file.handle, piece)
      }
    }
  } catch (error) {
    await file?.close()
    throw error
  }
  return file === undefined ? inMemory(Buffer.concat(held)) : inFile(file, sizeBytes)
}

function inMemory(bytes: Uint8Array): Spool {
  return {
    sizeBytes: bytes.length,
    async *pieces(start = 0, end = bytes.length) {
      for (let position = start; position < Math.min(end, bytes.length); position += PIECE_BYTES)
        yield bytes.subarray(position, Math.min(end, position + PIECE_BYTES))
    },
    read: async (start, length) => bytes.subarray(start, start + length),
    close: async () => undefined,
  }
}

function inFile({ handle, close }: OpenFile, sizeBytes: number): Spool {
  const read = async (start: number, length: number): Promise<Uint8Array> => {
    const piece = new Uint8Array(Math.max(0, Math.min(length, sizeBytes - start)))
    const { bytesRead } = await handle.read(piece, 0, piece.length, start)
    return piece.subarray(0, bytesRead)
  }
  return {
    sizeBytes,
    async *pieces(start = 0, end = sizeBytes) {
      for (let position = start; position < end; ) {
        const piece = await read(position, Math.min(PIECE_BYTES, end - position))
        if (piece.length === 0) return
        position += piece.length
        yield piece
      }
    },
    read,
    close,
  }
}

interface OpenFile {
  readonly handle: FileHandle
  close(): Promise<void>
}

/** Without a name no program can change it between the two passes; Windows keeps the name until it is closed. */
async function openUnnamed(): Promise<OpenFile> {
  const path = join(tmpdir(), `mendloop-archive-${randomBytes(9).toString('hex')}`)
  const handle = await open(path, 'wx+', 0o600)
  const named = process.platform === 'win32'
  try {
    if (!named) await unlink(path)
  } catch (error) {
    await handle.close()
    throw error
  }
  const close = async (): Promise<void> => {
    await handle.close()
    if (named) rmSync(path, { force: true })
  }
  return { handle, close }
}

async function writeFully(handle: FileHandle, piece: Uint8Array): Promise<void> {
  for (let written = 0; written < piece.length; )
    written += (await handle.write(piece, written, piece.length - written)).bytesWritten
}
