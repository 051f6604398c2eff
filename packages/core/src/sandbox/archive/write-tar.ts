// Files into a tar (POSIX.1-2017 pax): a header of 512 bytes for each, one more where a name or a size is too large for it.
import type { FileEntry } from '../../contract/workspace-files.js'

/** The content of one file. */
export type ContentOf = (file: FileEntry) => AsyncIterable<Uint8Array>

const BLOCK_BYTES = 512
const LONGEST_NAME_BYTES = 100
/** Eleven octal digits. */
const LARGEST_SIZE = 8 ** 11 - 1
/** The day that a zip says, in seconds since 1970. */
const OLDEST = Date.UTC(1980, 0, 1) / 1000

/** @param contentOf - must give as many bytes as the entry says */
export async function* tarPieces(
  files: readonly FileEntry[],
  contentOf: ContentOf,
): AsyncGenerator<Uint8Array, void> {
  for (const file of files) {
    const { path, sizeBytes } = file
    const records = paxRecords(file)
    if (records !== '') {
      const bytes = Buffer.from(records)
      yield header('PaxHeader', bytes.length, 'x')
      yield padded(bytes)
    }
    yield header(path, sizeBytes, '0')
    yield* contentOf(file)
    yield Buffer.alloc(paddingAfter(sizeBytes))
  }
  yield Buffer.alloc(2 * BLOCK_BYTES)
}

/** What the header cannot say. */
function paxRecords({ path, sizeBytes }: FileEntry): string {
  const isPlain = /^[\x20-\x7e]+$/.test(path) && path.length <= LONGEST_NAME_BYTES
  return (
    (isPlain ? '' : record('path', path)) + (sizeBytes > LARGEST_SIZE ? record('size', `${sizeBytes}`) : '')
  )
}

/** "LENGTH KEY=VALUE\n", of which the length is part. */
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest
  while (length !== rest + String(length).length) length = rest + String(length).length
  return `${length} ${key}=${value}\n`
}

function header(name: string, sizeBytes: number, type: string): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES)
  Buffer.from(name).copy(block, 0, 0, LONGEST_NAME_BYTES)
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')
  block.write('0000644', 100)
  block.write('0000000', 108)
  block.write('0000000', 116)
  block.write(octal(Math.min(sizeBytes, LARGEST_SIZE), 11), 124)
  block.write(octal(OLDEST, 11), 136)
  block.write(' '.repeat(8), 148)
  block.write(type, 156)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 6)}\0 `, 148)
  return block
}

const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(paddingAfter(bytes.length))])

const paddingAfter = (sizeBytes: number): number => (BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES
