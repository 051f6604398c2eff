// What a program writes, kept within bounds while it is read: exact count, head and tail, no character split.
import { StringDecoder } from 'node:string_decoder'
import type { CapturedText } from '../contract/execution.js'
import { notify } from '../internal/notify.js'
import { wholeCharactersEnd, wholeCharactersStart } from '../internal/utf8.js'

/** Room for the marker line, which counts towards the limit. */
const MARKER_BYTES = 64
/** Most programs write little; so much comes out of a pool. */
const FIRST_BUFFER_BYTES = 1024

/** Takes the chunks of one stream and keeps at most `limitBytes` of them. */
export interface OutputCapture {
  /** Bytes seen so far, kept or not. */
  readonly bytes: number
  /** Takes the next chunk; the bytes are copied. */
  push(chunk: Uint8Array): void
  /** Ends the stream and gives what was kept. */
  finish(): CapturedText
}

/**
 * Keeps the first and the last half of a stream, because compilers put the cause first and interpreters put it last.
 *
 * Shape when cut: `head + "\n… N bytes left out …\n" + tail`; the marker counts towards the limit. Bytes that are not
 * UTF-8 become U+FFFD.
 *
 * @param limitBytes - at least 1024; memory in use never exceeds it by more than the text of the result
 * @param onText - called with decoded text as it arrives, for the first `limitBytes`; what it throws is ignored
 */
export function captureOutput(limitBytes: number, onText?: (text: string) => void): OutputCapture {
  const headBytes = limitBytes >> 1
  const tailBytes = limitBytes - headBytes
  // Filled from the start; once full, everything past the head is a ring that holds the latest bytes.
  let kept = Buffer.alloc(0)
  let total = 0

  const put = (bytes: Uint8Array): void => {
    const needed = Math.min(limitBytes, total + bytes.length)
    if (needed > kept.length) {
      const grown = Buffer.allocUnsafe(
        Math.min(limitBytes, Math.max(needed, FIRST_BUFFER_BYTES, kept.length * 4)),
      )
      kept.copy(grown)
      kept = grown
    }
    const linear = Math.min(bytes.length, Math.max(0, limitBytes - total))
    if (linear > 0) kept.set(bytes.subarray(0, linear), total)
    total += linear
    // Of what does not fit, only the last tailBytes can survive.
    let rest = bytes.subarray(linear)
    const skipped = Math.max(0, rest.length - tailBytes)
    total += skipped
    rest = rest.subarray(skipped)
    while (rest.length > 0) {
      const offset = (total - headBytes) % tailBytes
      const step = Math.min(rest.length, tailBytes - offset)
      kept.set(rest.subarray(0, step), headBytes + offset)
      total += step
      rest = rest.subarray(step)
    }
  }

  const tell = onText === undefined ? undefined : liveText(limitBytes, onText)
  return {
    get bytes() {
      return total
    },
    push(chunk) {
      put(chunk)
      tell?.push(chunk)
    },
    finish() {
      tell?.end()
      if (total <= limitBytes) {
        const text = kept.toString('utf8', 0, total)
        return { text, bytes: total, truncated: false, omittedBytes: 0 }
      }
      const offset = (total - headBytes) % tailBytes
      const ring = Buffer.concat([
        kept.subarray(headBytes + offset, limitBytes),
        kept.subarray(headBytes, headBytes + offset),
      ])
      const head = kept.subarray(0, wholeCharactersEnd(kept.subarray(0, headBytes)))
      const cut = ring.subarray(MARKER_BYTES)
      const tail = cut.subarray(wholeCharactersStart(cut))
      const omittedBytes = total - head.length - tail.length
      const text = `${head.toString()}\n… ${omittedBytes} bytes left out …\n${tail.toString()}`
      return { text, bytes: total, truncated: true, omittedBytes }
    },
  }
}

/** Decodes up to a limit, holding back the beginning of a character until the rest of it is there. */
function liveText(
  limitBytes: number,
  onText: (text: string) => void,
): { push(chunk: Uint8Array): void; end(): void } {
  const decoder = new StringDecoder('utf8')
  let left = limitBytes
  const tell = (text: string): void => {
    if (text !== '') notify(onText, text)
  }
  return {
    push(chunk) {
      if (left === 0) return
      const part = chunk.subarray(0, left)
      left -= part.length
      tell(decoder.write(Buffer.from(part.buffer, part.byteOffset, part.length)))
    },
    end() {
      // At the limit the held-back bytes are half a character that was cut, not something the program wrote wrongly.
      if (left > 0) tell(decoder.end())
    },
  }
}
