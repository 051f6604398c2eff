// One block of 512 bytes of a tar file, as numbers and names (POSIX.1-2017 pax, "ustar Interchange Format"; GNU tar).

/** A header, read. */
export interface TarHeader {
  readonly name: Uint8Array
  readonly sizeBytes: number
  /** One character; `0` for a file. */
  readonly type: string
  readonly mode: number
}

const CHECKSUM_START = 148
const CHECKSUM_END = 156

/** True when the block carries the sum of its own bytes. */
export function isTarHeader(block: Buffer): boolean {
  const stated = numberIn(block, CHECKSUM_START, CHECKSUM_END)
  let sum = 8 * 0x20
  for (let index = 0; index < 512; index++)
    if (index < CHECKSUM_START || index >= CHECKSUM_END) sum += block[index] ?? 0
  return stated === sum && sum !== 8 * 0x20
}

/** @returns undefined when the block is no header, or holds a number that is none */
export function readTarHeader(block: Buffer): TarHeader | undefined {
  if (!isTarHeader(block)) return undefined
  const sizeBytes = numberIn(block, 124, 136)
  if (sizeBytes === undefined) return undefined
  const flag = block[156] ?? 0
  const name = textIn(block, 0, 100)
  // POSIX "ustar\0"; GNU's "ustar " has other things in the place of the prefix.
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? textIn(block, 345, 500) : Buffer.alloc(0)
  const full = prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name])
  const type = flag === 0 ? '0' : String.fromCharCode(flag)
  return { name: full, sizeBytes, type, mode: numberIn(block, 100, 108) ?? 0 }
}

function textIn(block: Buffer, start: number, end: number): Buffer {
  const field = block.subarray(start, end)
  const zero = field.indexOf(0)
  return zero === -1 ? field : field.subarray(0, zero)
}

/** Octal digits between spaces and zeros, or, with the first bit set, a number of 95 bits (GNU). */
function numberIn(block: Buffer, start: number, end: number): number | undefined {
  const field = block.subarray(start, end)
  if (((field[0] ?? 0) & 0x80) !== 0) {
    // Negative ones, and those that a double cannot hold, are no sizes.
    if (field[0] !== 0x80 || field.subarray(1, -6).some((byte) => byte !== 0)) return undefined
    return field.readUIntBE(field.length - 6, 6)
  }
  const digits = textIn(block, start, end).toString('latin1').trim()
  if (digits === '') return 0
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : undefined
}
