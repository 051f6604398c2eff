// Which kind of archive some bytes are.
import { isTarHeader } from './tar-header.js'

/** Kinds of archives that are read and written. */
export type ArchiveFormat = 'zip' | 'tar' | 'tar.gz'

/** Bytes that {@link archiveFormatOf} wants to see. */
export const FORMAT_HEAD_BYTES = 512

/** The kind of archive that starts with `head`, or undefined when it is none. */
export function archiveFormatOf(head: Uint8Array): ArchiveFormat | undefined {
  const [first, second, third, fourth] = head
  // "PK" and an entry, or the end of an archive without any.
  if (first === 0x50 && second === 0x4b && third === 0x03 && fourth === 0x04) return 'zip'
  if (first === 0x50 && second === 0x4b && third === 0x05 && fourth === 0x06) return 'zip'
  if (first === 0x1f && second === 0x8b) return 'tar.gz'
  if (head.length < FORMAT_HEAD_BYTES) return undefined
  const block = Buffer.from(head.buffer, head.byteOffset, FORMAT_HEAD_BYTES)
  // An empty tar is nothing but zeros.
  return isTarHeader(block) || block.every((byte) => byte === 0) ? 'tar' : undefined
}
