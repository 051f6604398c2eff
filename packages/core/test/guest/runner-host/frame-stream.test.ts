// Cutting a runner's stream into frames, whatever it comes in and whatever it holds.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  encodeFrame,
  FROM_RUNNER,
  type Frame,
  FrameDecoder,
  MAGIC,
  MOST_FRAME_BYTES,
  MOST_JUNK_BYTES,
  RunnerFault,
} from '../../../src/guest/runner/frame-stream.js'

const frameArbitrary = fc.record({
  type: fc.constantFrom(...Object.values(FROM_RUNNER)),
  id: fc.nat({ max: 2 ** 32 - 1 }),
  payload: fc.uint8Array({ maxLength: 300 }),
})

const encode = ({ type, id, payload }: Frame): Buffer => encodeFrame(type, id, payload)

/** Cuts bytes at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length))
}

function decode(chunks: readonly Uint8Array[]): Frame[] {
  const frames: Frame[] = []
  const decoder = new FrameDecoder((frame) => frames.push({ ...frame, payload: Buffer.from(frame.payload) }))
  for (const chunk of chunks) decoder.push(chunk)
  return frames
}

/** What was sent by type and id, in order: where output is cut says nothing. */
function contents(frames: readonly Frame[]): unknown[] {
  const joined: { type: number; id: number; hex: string }[] = []
  for (const { type, id, payload } of frames) {
    const last = joined.at(-1)
    const hex = Buffer.from(payload).toString('hex')
    const isOutput = type === FROM_RUNNER.stdout || type === FROM_RUNNER.stderr
    if (isOutput && last?.type === type && last.id === id) last.hex += hex
    else if (!isOutput || hex !== '') joined.push({ type, id, hex })
  }
  return joined
}

describe('FrameDecoder', () => {
  test('gives the same frames however the stream is split', () => {
    fc.assert(
      fc.property(
        fc.array(frameArbitrary, { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 40 }),
        fc.uint8Array({ maxLength: 60 }),
        (frames, places, junk) => {
          const bytes = Buffer.concat([Buffer.from(junk), MAGIC, ...frames.map(encode)])
          expect(contents(decode(cut(bytes, places)))).toEqual(contents(frames))
        },
      ),
    )
  })

  test('gives the same frames byte by byte', () => {
    const frames = [
      { type: FROM_RUNNER.exit, id: 7, payload: Buffer.from('{"a":1}') },
      { type: FROM_RUNNER.stdout, id: 7, payload: Buffer.from('hello') },
      { type: FROM_RUNNER.ready, id: 0, payload: Buffer.alloc(0) },
    ]
    const bytes = Buffer.concat([MAGIC, ...frames.map(encode)])
    expect(contents(decode([...bytes].map((byte) => Buffer.of(byte))))).toEqual(contents(frames))
  })

  test('finds the magic behind beginnings of itself', () => {
    const frame = { type: FROM_RUNNER.exit, id: 1, payload: Buffer.from('x') }
    for (let length = 1; length < MAGIC.length; length++) {
      const begun = MAGIC.subarray(0, length)
      const bytes = Buffer.concat([begun, begun, MAGIC, encode(frame)])
      expect(contents(decode([bytes])), `after ${length} bytes`).toEqual(contents([frame]))
    }
  })

  test('never throws anything but a RunnerFault, whatever it is given', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), fc.boolean(), (chunks, introduced) => {
        try {
          decode(introduced ? [MAGIC, ...chunks] : chunks)
        } catch (error) {
          expect(error).toBeInstanceOf(RunnerFault)
        }
      }),
    )
  })

  test('gives up on a stream without the magic after 64 KiB, and not before', () => {
    const decoder = new FrameDecoder(() => undefined)
    decoder.push(Buffer.alloc(MOST_JUNK_BYTES, 'x'))
    expect(() => decoder.push(Buffer.from('x'))).toThrow(RunnerFault)
    const just = decode([Buffer.alloc(MOST_JUNK_BYTES, 'x'), MAGIC, encodeFrame(FROM_RUNNER.ready, 3)])
    expect(just).toHaveLength(1)
  })

  test.each([0, 4, MOST_FRAME_BYTES + 1, 2 ** 32 - 1])(
    'refuses a frame of %i bytes by its head',
    (length) => {
      const head = Buffer.alloc(9)
      head.writeUInt32LE(length)
      expect(() => decode([MAGIC, head])).toThrow(`it sent a frame of ${length} bytes`)
    },
  )

  test('keeps no room for what was only announced', () => {
    const decoder = new FrameDecoder(() => undefined)
    const head = Buffer.alloc(9)
    head.writeUInt32LE(MOST_FRAME_BYTES)
    head.writeUInt8(FROM_RUNNER.exit, 4)
    const before = process.memoryUsage().arrayBuffers
    decoder.push(Buffer.concat([MAGIC, head, Buffer.from('{')]))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MOST_FRAME_BYTES / 4)
  })

  test('hands on a flood without holding it', () => {
    const block = encodeFrame(FROM_RUNNER.stdout, 1, Buffer.alloc(60_000, 'x'))
    const stream = Buffer.concat(Array.from({ length: 40 }, () => block))
    let bytes = 0
    const decoder = new FrameDecoder(({ payload }) => {
      bytes += payload.length
    })
    decoder.push(MAGIC)
    const before = process.memoryUsage().arrayBuffers
    // A gigabyte, in the chunks that a pipe gives.
    while (bytes < 1024 ** 3)
      for (let at = 0; at < stream.length; at += 65_536) decoder.push(stream.subarray(at, at + 65_536))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024)
  })
})
