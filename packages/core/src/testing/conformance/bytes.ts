// Bytes of every value, and whether they came back.
import { ensure } from './expectations.js'

/** Seventy thousand bytes, in which every value comes. */
export const everyByte = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 31) & 255)

/** Throws unless both are the same. */
export const sameBytes = (actual: Uint8Array, expected: Uint8Array, what: string): void =>
  ensure(
    Buffer.compare(actual, expected) === 0,
    `${what} came back otherwise than it was written (${actual.length} bytes of ${expected.length})`,
  )
