import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wholeCharactersEnd, wholeCharactersStart } from '../../src/internal/utf8.js'

test('any cut through valid UTF-8 can be mended to whole characters by dropping at most three bytes a side', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, at) => {
      const bytes = Buffer.from(text)
      const cut = bytes.length === 0 ? 0 : at % (bytes.length + 1)
      const left = bytes.subarray(0, cut)
      const right = bytes.subarray(cut)
      const head = left.subarray(0, wholeCharactersEnd(left))
      const tail = right.subarray(wholeCharactersStart(right))
      expect(text.startsWith(head.toString())).toBe(true)
      expect(text.endsWith(tail.toString())).toBe(true)
      expect(left.length - head.length).toBeLessThan(4)
      expect(right.length - tail.length).toBeLessThan(4)
    }),
  )
})

test('bytes that belong to no character are left to the decoder', () => {
  const stray = Buffer.from([0x80, 0x80, 0x80, 0x80])
  expect(wholeCharactersStart(stray)).toBe(0)
  expect(wholeCharactersEnd(stray)).toBe(4)
  expect(wholeCharactersEnd(Buffer.from([0x41, 0xff]))).toBe(2)
})
