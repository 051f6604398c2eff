// Where UTF-8 may be cut without splitting a character.

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Bytes that a character takes whose first byte is `lead`; 1 for what cannot lead. */
function characterLength(lead: number): number {
  if (lead >= 0xf0 && lead < 0xf5) return 4
  if (lead >= 0xe0) return lead < 0xf0 ? 3 : 1
  return lead >= 0xc2 ? 2 : 1
}

/** The length of `bytes` without an unfinished character at its end. */
export function wholeCharactersEnd(bytes: Uint8Array): number {
  // A lead byte lies at most three bytes before its last continuation.
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    return characterLength(byte) > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** The first position in `bytes` that is not the rest of a character begun before it. */
export function wholeCharactersStart(bytes: Uint8Array): number {
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start++
  // Four continuation bytes in a row belong to no character at all: leave them to the decoder.
  return start === 3 && isContinuation(bytes[3]) ? 0 : start
}
