// Bytes for people and models to look at.

const BYTES_A_LINE = 16

/**
 * Bytes in hex beside their ASCII characters, 16 a line, in the form of `hexdump -C`.
 *
 * @param offset - what the first byte is counted as
 */
export function hexDump(bytes: Uint8Array, offset = 0): string {
  const lines: string[] = []
  for (let start = 0; start < bytes.length; start += BYTES_A_LINE) {
    const line = [...bytes.subarray(start, start + BYTES_A_LINE)]
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0'))
    const columns = `${hex.slice(0, 8).join(' ').padEnd(23)}  ${hex.slice(8).join(' ').padEnd(23)}`
    const characters = line
      .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'))
      .join('')
    lines.push(`${(offset + start).toString(16).padStart(8, '0')}  ${columns}  |${characters}|\n`)
  }
  return lines.join('')
}
