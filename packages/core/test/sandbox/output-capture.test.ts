import fc from 'fast-check'
import { expect, test } from 'vitest'
import { captureOutput } from '../../src/sandbox/output-capture.js'

const LIMIT = 1024

/** Cuts bytes into pieces at the given places. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

const captured = (chunks: readonly Uint8Array[], limit = LIMIT) => {
  const capture = captureOutput(limit)
  for (const chunk of chunks) capture.push(chunk)
  return capture.finish()
}

test('output within the limit is kept as it was, wherever the chunks were cut', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 250 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      (text, cuts) => {
        const bytes = Buffer.from(text)
        expect(captured(pieces(bytes, cuts))).toEqual({
          text,
          bytes: bytes.length,
          truncated: false,
          omittedBytes: 0,
        })
      },
    ),
  )
})

test('longer output keeps head and tail, counts exactly, and never splits a character', () => {
  const longText = fc
    .array(fc.constantFrom('a', 'é', '世', '😀', '\n'), { minLength: 1100, maxLength: 5000 })
    .map((characters) => characters.join(''))
  fc.assert(
    fc.property(longText, fc.array(fc.nat(), { maxLength: 30 }), (text, cuts) => {
      const bytes = Buffer.from(text)
      const result = captured(pieces(bytes, cuts))
      expect(result.truncated).toBe(true)
      expect(result.bytes).toBe(bytes.length)
      expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(LIMIT)
      const [head = '', tail = ''] = result.text.split(`\n… ${result.omittedBytes} bytes left out …\n`)
      expect(text.startsWith(head)).toBe(true)
      expect(text.endsWith(tail)).toBe(true)
      expect(Buffer.byteLength(head) + Buffer.byteLength(tail) + result.omittedBytes).toBe(bytes.length)
      expect(Buffer.byteLength(head)).toBeGreaterThan(LIMIT / 2 - 4)
      expect(Buffer.byteLength(tail)).toBeGreaterThan(LIMIT / 2 - 70)
    }),
  )
})

test('a single chunk larger than the limit is cut like many small ones', () => {
  const bytes = Buffer.from(Array.from({ length: 9000 }, (_, index) => `${index}\n`).join(''))
  const bySingleBytes = captured([...bytes].map((byte) => Uint8Array.of(byte)))
  expect(captured([bytes])).toEqual(bySingleBytes)
})

test('exactly the limit is not cut; one byte more is', () => {
  expect(captured([Buffer.alloc(LIMIT, 'x')]).truncated).toBe(false)
  expect(captured([Buffer.alloc(LIMIT + 1, 'x')]).truncated).toBe(true)
})

test('bytes that are not UTF-8 become replacement characters and are counted', () => {
  expect(captured([Buffer.from([0x61, 0xff, 0xfe, 0x62])])).toEqual({
    text: 'a\uFFFD\uFFFDb',
    bytes: 4,
    truncated: false,
    omittedBytes: 0,
  })
})

test('the listener hears whole characters, in order, up to the limit', () => {
  const heard: string[] = []
  const capture = captureOutput(LIMIT, (text) => heard.push(text))
  for (const byte of Buffer.from('é世😀')) capture.push(Uint8Array.of(byte))
  expect(heard).toEqual(['é', '世', '😀'])
  capture.push(Buffer.alloc(5000, 'x'))
  capture.push(Buffer.alloc(5000, 'y'))
  capture.finish()
  expect(heard.join('')).toBe(`é世😀${'x'.repeat(LIMIT - 9)}`)
})

test('the listener hears an unfinished character at the end as a replacement character', () => {
  const heard: string[] = []
  const capture = captureOutput(LIMIT, (text) => heard.push(text))
  capture.push(Buffer.from([0x61, 0xe4, 0xb8]))
  expect(capture.finish().text).toBe('a\uFFFD')
  expect(heard.join('')).toBe('a\uFFFD')
})

test('a listener that throws breaks nothing', () => {
  const capture = captureOutput(LIMIT, () => {
    throw new Error('listener')
  })
  capture.push(Buffer.from('kept'))
  expect(capture.finish().text).toBe('kept')
})

test('a listener that throws or rejects does not break what it listens to', async () => {
  const capture = captureOutput(1024, async () => {
    throw new Error('planned')
  })
  capture.push(Buffer.from('text'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(capture.finish().text).toBe('text')
})
