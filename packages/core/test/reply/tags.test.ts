// Code between a pair of markers of the caller's own.
import { expect, test } from 'vitest'
import { extractCandidate } from '../../src/reply/extract-candidate.js'
import { codeOf, extract, fenced } from './reply-text.js'

const tags = ['<code>', '</code>'] as const

test.each(['</code>', '</code', '</co', '</', '<', ''])(
  'the closing marker may be whole or cut: %j',
  (end) => {
    const found = extract(`Sure.\n<code>\nresult = 6 * 7\nprint(result)\n${end}`, { tags })
    expect(codeOf(found)).toBe('result = 6 * 7\nprint(result)\n')
    expect(found.blocks).toHaveLength(1)
    expect(found.warnings).toEqual(
      end === '</code>' ? [] : [end === '' ? 'fence-unclosed' : 'closing-marker-cut'],
    )
  },
)

test.each([
  ['the marker in a string', '<code>\nprint("</code>")\n</code>\nbye', 'print("</code>")\n'],
  ['a fence inside', `<code>\n${fenced('python', 'print(1)')}</code>`, 'print(1)\n'],
  ['an opener that was in the prompt', 'print(1)\n</code>', 'print(1)\n'],
  ['a fence instead of the markers', fenced('python', 'print(1)'), 'print(1)\n'],
  [
    'a fence with another program before',
    `${fenced('python', 'print(0)')}<code>\nprint(1)\n</code>`,
    'print(1)\n',
  ],
])('%s', (_, reply, code) => {
  expect(codeOf(extract(reply, { tags }))).toBe(code)
})

test('a block that a length stop left open is not run, one whose marker was cut is whole', () => {
  const cut = (text: string) =>
    extractCandidate({ text, finish: 'length' }, { language: 'python', tags: [...tags] })
  expect(cut('<code>\nprint(1)\n')).toMatchObject({
    status: 'incomplete',
    failure: { kind: 'truncated-reply' },
  })
  expect(cut('<code>\nprint(1)\n</co')).toMatchObject({ status: 'ok', warnings: ['closing-marker-cut'] })
})

test.each([
  ['x = 3\nprint(x <', 'length', 'reply-cut'],
  ['print(1)\nx = a <', 'stop', 'block-unclosed'],
  ['x = (a\n<', 'length', 'reply-cut'],
  ['x = (a\n<', 'stop', 'block-unclosed'],
] as const)('an operator at the end is no closing marker that was cut: %j, %s', (code, finish, reason) => {
  const found = extractCandidate({ text: `<code>\n${code}`, finish }, { language: 'python', tags: [...tags] })
  expect(found).toMatchObject({ status: 'incomplete', reason })
})

test('a name at the end is no closing word that was cut, a word on a line of its own is', () => {
  const worded = { tags: ['BEGIN', 'END'] as const }
  expect(codeOf(extract('BEGIN\nE = 1\nx = E', worded))).toBe('E = 1\nx = E\n')
  expect(codeOf(extract('BEGIN\nx = 1\nEN', worded))).toBe('x = 1\n')
})

test('prose between the markers is not run', () => {
  expect(extract('<code>The output is correct, so I am done here.</code>', { tags }).status).toBe('none')
})
