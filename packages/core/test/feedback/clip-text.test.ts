import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clipText } from '../../src/feedback/clip-text.js'

test('a text that fits is the same text', () => {
  expect(clipText('abc', 3)).toBe('abc')
  expect(clipText('', 0)).toBe('')
})

test('head and tail are kept and the amount that went is said', () => {
  const text = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join('\n')
  const clipped = clipText(text, 500)
  const [, dropped = '0', total = '0'] = /\n… (\d+) of (\d+) characters left out …\n/u.exec(clipped) ?? []
  expect(clipped.startsWith('line 0\nline 1\n')).toBe(true)
  expect(clipped.endsWith('\nline 999')).toBe(true)
  expect(Number(total)).toBe(text.length)
  expect(clipped.length - `\n… ${dropped} of ${total} characters left out …\n`.length + Number(dropped)).toBe(
    text.length,
  )
})

test('the limit holds and no code point is halved, whatever the text and the limit', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), fc.nat(700), (text, limit) => {
      const clipped = clipText(text, limit)
      expect(clipped.length).toBeLessThanOrEqual(Math.max(limit, text.length <= limit ? limit : 0))
      expect(clipped).not.toMatch(/\p{Surrogate}/u)
    }),
  )
})
