// The frames between host and runner: `u32 length of what follows, u8 type, u32 id, payload`, little end first. What
// comes from the runner is hostile until proven otherwise: every count is checked before anything is kept.

/** Frames that the host sends. */
export const TO_RUNNER = {
  execute: 1,
  stdin: 2,
  stdinEnd: 3,
  kill: 4,
  prepare: 5,
  pause: 6,
  resume: 7,
  terminate: 8,
} as const

/** Frames that the runner sends. */
export const FROM_RUNNER = {
  hello: 16,
  started: 17,
  stdout: 18,
  stderr: 19,
  file: 20,
  exit: 21,
  ready: 22,
  stdinTaken: 23,
  gone: 24,
} as const

/** Precedes the first frame of a runner; what comes before it is somebody else's. */
export const MAGIC = Buffer.from('\0MENDLOOP-RUN-1\n', 'latin1')

/** Most bytes before the magic. */
export const MOST_JUNK_BYTES = 64 * 1024
/** Most bytes of one frame, its type and id included. */
export const MOST_FRAME_BYTES = 64 * 1024 * 1024

const LENGTH_BYTES = 4
const HEAD_BYTES = 9
const NAMED_BYTES = HEAD_BYTES - LENGTH_BYTES
const FIRST_BODY_BYTES = 4096

/** Why a runner cannot be talked to any longer; the message completes "the runner was lost: …". */
export class RunnerFault extends Error {
  override readonly name = 'RunnerFault'
}

/** One frame. @param payload - pieces that are sent one after the other */
export function encodeFrame(type: number, id: number, ...payload: readonly Uint8Array[]): Buffer {
  const size = payload.reduce((sum, piece) => sum + piece.length, 0)
  const head = Buffer.allocUnsafe(HEAD_BYTES)
  head.writeUInt32LE(size + NAMED_BYTES, 0)
  head.writeUInt8(type, LENGTH_BYTES)
  head.writeUInt32LE(id, LENGTH_BYTES + 1)
  return Buffer.concat([head, ...payload], HEAD_BYTES + size)
}

/** One frame, or a piece of one when it is output. */
export interface Frame {
  readonly type: number
  readonly id: number
  /** May share memory with the chunk it came in. */
  readonly payload: Uint8Array
}

/**
 * Cuts a stream into frames, whatever the chunks it comes in. Output is handed on piece by piece as it arrives, so that
 * a flood costs no memory and no copy; every other frame comes whole.
 */
export class FrameDecoder {
  readonly #onFrame: (frame: Frame) => void
  #junkBytes = 0
  /** Bytes of the magic seen in a row; all of them once it is behind us. */
  #magicBytes = 0
  readonly #head = Buffer.alloc(HEAD_BYTES)
  #headBytes = 0
  #type = 0
  #id = 0
  /** Bytes of the present frame's payload that are still to come. */
  #left = 0
  #body = Buffer.alloc(0)
  #bodyBytes = 0

  /** @param onFrame - called for each frame in order; what it throws, `push` throws */
  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame
  }

  /**
   * Takes the next chunk.
   *
   * @throws RunnerFault when this is not a runner's stream; the decoder is of no use then
   */
  push(chunk: Uint8Array): void {
    let rest = this.#magicBytes < MAGIC.length ? this.#skipToMagic(chunk) : chunk
    while (rest.length > 0) {
      if (this.#headBytes < HEAD_BYTES) rest = this.#takeHead(rest)
      else rest = isOutput(this.#type) ? this.#passOn(rest) : this.#gather(rest)
    }
  }

  /** @returns what follows the magic */
  #skipToMagic(chunk: Uint8Array): Uint8Array {
    for (const [index, byte] of chunk.entries()) {
      // Its first byte occurs in it once, so a broken row can only begin anew at the byte that broke it.
      if (byte === MAGIC[this.#magicBytes]) this.#magicBytes++
      else {
        this.#junkBytes += this.#magicBytes
        this.#magicBytes = byte === MAGIC[0] ? 1 : 0
        this.#junkBytes += 1 - this.#magicBytes
        if (this.#junkBytes > MOST_JUNK_BYTES)
          throw new RunnerFault(`it wrote ${MOST_JUNK_BYTES} bytes without introducing itself`)
      }
      if (this.#magicBytes === MAGIC.length) return chunk.subarray(index + 1)
    }
    return chunk.subarray(chunk.length)
  }

  #takeHead(chunk: Uint8Array): Uint8Array {
    const part = chunk.subarray(0, HEAD_BYTES - this.#headBytes)
    this.#head.set(part, this.#headBytes)
    this.#headBytes += part.length
    if (this.#headBytes === HEAD_BYTES) {
      const length = this.#head.readUInt32LE(0)
      this.#type = this.#head.readUInt8(LENGTH_BYTES)
      this.#id = this.#head.readUInt32LE(LENGTH_BYTES + 1)
      if (length < NAMED_BYTES || length > MOST_FRAME_BYTES)
        throw new RunnerFault(`it sent a frame of ${length} bytes`)
      this.#left = length - NAMED_BYTES
      if (this.#left === 0) this.#finish(Buffer.alloc(0))
    }
    return chunk.subarray(part.length)
  }

  #passOn(chunk: Uint8Array): Uint8Array {
    const payload = chunk.subarray(0, this.#left)
    this.#left -= payload.length
    if (this.#left === 0) this.#headBytes = 0
    this.#onFrame({ type: this.#type, id: this.#id, payload })
    return chunk.subarray(payload.length)
  }

  #gather(chunk: Uint8Array): Uint8Array {
    const part = chunk.subarray(0, this.#left)
    if (this.#bodyBytes === 0 && part.length === this.#left) this.#finish(part)
    else {
      this.#keep(part)
      this.#left -= part.length
      if (this.#left === 0) this.#finish(this.#body.subarray(0, this.#bodyBytes))
    }
    return chunk.subarray(part.length)
  }

  /** Room is made for what arrives, not for what was announced. */
  #keep(part: Uint8Array): void {
    const needed = this.#bodyBytes + part.length
    if (needed > this.#body.length) {
      const announced = this.#bodyBytes + this.#left
      const grown = Buffer.allocUnsafe(Math.min(announced, Math.max(needed * 2, FIRST_BODY_BYTES)))
      this.#body.copy(grown, 0, 0, this.#bodyBytes)
      this.#body = grown
    }
    this.#body.set(part, this.#bodyBytes)
    this.#bodyBytes = needed
  }

  #finish(payload: Uint8Array): void {
    // Given away, so not used again.
    this.#body = Buffer.alloc(0)
    this.#bodyBytes = 0
    this.#headBytes = 0
    this.#onFrame({ type: this.#type, id: this.#id, payload })
  }
}

const isOutput = (type: number): boolean => type === FROM_RUNNER.stdout || type === FROM_RUNNER.stderr
