// Names of files: to the system they are bytes, to callers they are text.
import { isUtf8 } from 'node:buffer'

/** How the system takes an address: as text, or as bytes where no text says it. */
export type Address = string | Buffer

const encoder = new TextEncoder()

/**
 * A name as text. Bytes that are not UTF-8 become U+DC80 to U+DCFF, which no UTF-8 does: as in Python
 * (`surrogateescape`), so that no two names are the same and each can be found again.
 */
export function toName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString()
  let name = ''
  for (let start = 0; start < bytes.length; ) {
    const length = lengthOfCharacter(bytes, start)
    name +=
      length === 0
        ? String.fromCharCode(0xdc00 + (bytes[start] ?? 0))
        : bytes.toString('utf8', start, start + length)
    start += Math.max(1, length)
  }
  return name
}

/** How many bytes the character at `start` has; 0 where there is none. */
function lengthOfCharacter(bytes: Buffer, start: number): number {
  for (let length = 1; length <= 4 && start + length <= bytes.length; length++)
    if (isUtf8(bytes.subarray(start, start + length))) return length
  return 0
}

/** The address of `name` in a folder. */
export function addressIn(folder: string, name: string): Address {
  if (name.isWellFormed()) return `${folder}/${name}`
  return Buffer.concat([encoder.encode(`${folder}/`), ...[...name].map(toBytes)])
}

function toBytes(character: string): Uint8Array {
  const code = character.charCodeAt(0)
  return isByte(character) ? Uint8Array.of(code - 0xdc00) : encoder.encode(character)
}

const isByte = (character: string): boolean => /^[\uDC80-\uDCFF]$/.test(character)

/** False for text with half a character that stands for no byte: no file can have it in its name. */
export const isSayable = (text: string): boolean =>
  [...text].every((one) => one.isWellFormed() || isByte(one))
