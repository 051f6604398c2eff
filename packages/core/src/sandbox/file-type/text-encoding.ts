// Whether bytes are text, and in which encoding.
import { wholeCharactersEnd } from '../../internal/utf8.js'
import type { TextEncoding } from './file-type.js'

/**
 * Of control characters only these stand in text: tab, line feed, vertical tab, form feed, carriage return; and what
 * programs write for a terminal: bell, backspace, escape for colours.
 */
const CONTROLS_IN_TEXT = new Set([0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b])

/** Text, decoded. */
export interface DecodedText {
  readonly encoding: TextEncoding
  /** Without a byte order mark. */
  readonly text: string
}

/**
 * Decodes the beginning of a file, or says that it is no text.
 *
 * @param head - may end in the middle of a character
 */
export function decodeText(head: Buffer): DecodedText | undefined {
  const marked = byMark(head)
  if (marked !== undefined) return marked
  const utf16 = withoutMark(head)
  if (utf16 !== undefined) return decoded(utf16, head)
  if (hasControls(head)) return undefined
  return decoded('utf-8', head.subarray(0, wholeCharactersEnd(head))) ?? asLatin1(head)
}

function byMark(head: Buffer): DecodedText | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf)
    return decoded('utf-8', head.subarray(3, wholeCharactersEnd(head)))
  if (head[0] === 0xff && head[1] === 0xfe) return decoded('utf-16le', head.subarray(2))
  if (head[0] === 0xfe && head[1] === 0xff) return decoded('utf-16be', head.subarray(2))
  return undefined
}

/** Text in a Latin script has a zero in every second byte, and nowhere else. */
function withoutMark(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const pairs = head.length >> 1
  if (pairs < 4) return undefined
  let [first, second] = [0, 0]
  for (let index = 0; index < pairs * 2; index += 2) {
    if (head[index] === 0) first++
    if (head[index + 1] === 0) second++
  }
  const most = pairs * 0.7
  if (first === 0 && second >= most) return 'utf-16le'
  return second === 0 && first >= most ? 'utf-16be' : undefined
}

function decoded(encoding: 'utf-8' | 'utf-16le' | 'utf-16be', bytes: Buffer): DecodedText | undefined {
  const whole = encoding === 'utf-8' ? bytes : wholePairs(bytes, encoding)
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(whole)
    return hasControls(Buffer.from(text)) ? undefined : { encoding, text }
  } catch {
    return undefined
  }
}

/** Without half a unit, or half a pair of them, at the end. */
function wholePairs(bytes: Buffer, encoding: 'utf-16le' | 'utf-16be'): Buffer {
  const end = bytes.length & ~1
  const highByte = bytes[encoding === 'utf-16le' ? end - 1 : end - 2] ?? 0
  return bytes.subarray(0, highByte >= 0xd8 && highByte <= 0xdb ? end - 2 : end)
}

/** Never used by Windows-1252, which is what the web means by Latin-1. */
const UNUSED_IN_LATIN1 = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])

/** One byte a character: most of it must be ASCII, since almost any bytes decode so. */
function asLatin1(head: Buffer): DecodedText | undefined {
  let plain = 0
  for (const byte of head) {
    if (UNUSED_IN_LATIN1.has(byte)) return undefined
    if (byte < 0x80) plain++
  }
  if (plain < head.length * 0.7) return undefined
  return { encoding: 'latin1', text: new TextDecoder('latin1').decode(head) }
}

const hasControls = (bytes: Buffer): boolean =>
  bytes.some((byte) => (byte < 0x20 && !CONTROLS_IN_TEXT.has(byte)) || byte === 0x7f)
