import { expect, test } from 'vitest'
import { excerptOf } from '../../src/language/excerpt.js'

const text = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join('\n')

test('three lines on either side are shown with their numbers, the line itself is marked', () => {
  expect(excerptOf(`${text}\n`, 9)).toBe(
    [
      '   6 | line 6',
      '   7 | line 7',
      '   8 | line 8',
      '>  9 | line 9',
      '  10 | line 10',
      '  11 | line 11',
      '  12 | line 12',
    ].join('\n'),
  )
})

test('the ends of the text are no lines', () => {
  expect(excerptOf('a\nb\n', 1)).toBe('> 1 | a\n  2 | b')
  expect(excerptOf('a\nb\n', 2)).toBe('  1 | a\n> 2 | b')
  expect(excerptOf('a\r\nb', 2)).toBe('  1 | a\n> 2 | b')
  expect(excerptOf('a', 2)).toBeUndefined()
  expect(excerptOf('a', 0)).toBeUndefined()
})

test('marks stand below what they mark, behind tabs too', () => {
  expect(excerptOf('\tx = y', 1, { column: 6, carets: '^' })).toBe('> 1 | \tx = y\n    | \t    ^')
})

test('a very long line is cut between characters', () => {
  const shown = excerptOf(`${'a'.repeat(199)}😀${'b'.repeat(9999)}`, 1) ?? ''
  expect(shown.length).toBeLessThan(230)
  expect(shown.isWellFormed?.() ?? true).toBe(true)
})
