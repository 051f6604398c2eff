import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textForModel } from '../../src/language/text-for-model.js'

test('a progress line redrawn a hundred times is one line in its last state', () => {
  const redrawn = Array.from(
    { length: 101 },
    (_, i) => `\r${String(i).padStart(3)}% |${'#'.repeat(i / 5)}|`,
  ).join('')
  expect(textForModel(`${redrawn}\n`)).toBe('100% |####################|\n')
})

test.each([
  ['colours', '\u001b[32mdone\u001b[0m\n', 'done\n'],
  ['256 colours', '\u001b[38;5;196mred\u001b[m', 'red'],
  ['hyperlinks', '\u001b]8;;https://x.example\u001b\\here\u001b]8;;\u001b\\', 'here'],
  ['window titles', '\u001b]0;title\u0007text', 'text'],
  ['an unfinished title', '\u001b]0;title\nnext', '\nnext'],
  ['eight-bit sequences', '\u009b31mred', 'red'],
  ['charset switches', '\u001b(Btext', 'text'],
  ['a lone escape at the end', 'text\u001b', 'text'],
  ['Windows line ends', 'a\r\nb\r\r\nc', 'a\nb\nc'],
  ['a carriage return at the end', '50%\r', '50%'],
  ['a shorter line over a longer one', 'abcdef\rxy', 'xycdef'],
  ['erasing to the end of the line', 'loading…\r\u001b[Kok', 'ok'],
  ['erasing the whole line', 'loading…\u001b[2K\rok', 'ok'],
  ['blanks drawn over a line', 'abc\r   \r', ''],
  ['backspaces', '10%\b\b\b20%', '20%'],
  ['other controls', 'a\u0000b\u0007c\u007fd\te', 'abcd\te'],
  ['half a code point', 'a\ud83d b', 'a\ufffd b'],
  ['nothing to do', 'größe 😀 "x"\n\n  y\n', 'größe 😀 "x"\n\n  y\n'],
])('%s', (_name, text, expected) => {
  expect(textForModel(text)).toBe(expected)
})

test('cleaned text is clean: no control characters, and nothing more to do', () => {
  const piece = fc.constantFrom(
    '\u001b[',
    '\u001b]',
    '\u001b',
    '\u009b',
    '\r',
    '\b',
    '\n',
    'K',
    'm',
    '\\',
    '\u0007',
    'é',
    '😀',
    '\ud83d',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string())), (all) => {
      const cleaned = textForModel(all.join(''))
      expect(cleaned).not.toMatch(/(?![\t\n])\p{Cc}|\p{Surrogate}/u)
      expect(textForModel(cleaned)).toBe(cleaned)
    }),
  )
})

test('the work grows with the text and no faster', () => {
  const timeOf = (text: string): number => {
    const start = performance.now()
    textForModel(text)
    return performance.now() - start
  }
  for (const piece of ['\u001b]', '\r', `${'a'.repeat(1000)}\r`]) {
    const size = Math.ceil(200_000 / piece.length)
    timeOf(piece.repeat(size))
    // Eight times the text: about eight times the time; a square would be 64 times.
    expect(timeOf(piece.repeat(size * 8))).toBeLessThan(40 * timeOf(piece.repeat(size)) + 200)
  }
})
