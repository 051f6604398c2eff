import { expect, test } from 'vitest'
import { cutToWidth, plainLine, plainLines, textWidth, wrap } from '../demo/view/text-width.js'

test('escape sequences, control characters and turns of direction never reach the terminal', () => {
  expect(plainLine('\u001b[31mred\u001b[0m \u001b]0;title\u0007bell\u0007 a\u202eb\tc\r')).toBe(
    'red bell ab    c',
  )
  expect(plainLines('one\r\ntwo\n\nfour\n')).toEqual(['one', 'two', '', 'four'])
})

test('wide characters count two columns, marks none, colours none', () => {
  expect(textWidth('abc')).toBe(3)
  expect(textWidth('日本')).toBe(4)
  expect(textWidth('e\u0301')).toBe(1)
  expect(textWidth('👩‍👩‍👧')).toBe(2)
  expect(textWidth('\u001b[1mab\u001b[22m')).toBe(2)
})

test('a cut text fits its width and never holds half a character', () => {
  expect(cutToWidth('short', 10)).toBe('short')
  expect(cutToWidth('a long line', 6)).toBe('a lon…')
  expect(cutToWidth('日本語日本語', 6)).toBe('日本…')
  expect(cutToWidth('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 4)).toBe('👩‍👩‍👧…')
})

test('text wraps at blanks, and within a word only when the word alone is too long', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three'])
  expect(wrap('abcdefghij kl', 4)).toEqual(['abcd', 'efgh', 'ij', 'kl'])
  expect(wrap('日本語日', 4)).toEqual(['日本', '語日'])
  expect(wrap('', 10)).toEqual([''])
  for (const line of wrap('漢字 and a much longer tail of words'.repeat(5), 20))
    expect(textWidth(line)).toBeLessThanOrEqual(20)
})
