// Answers between the tags that models were trained to answer in.
import { expect, test } from 'vitest'
import { extractCandidate } from '../../src/reply/extract-candidate.js'

const read = (text: string, language = 'python') => extractCandidate(text, { language })
const codeOf = (text: string): string | undefined => {
  const found = read(text)
  return found.status === 'ok' ? found.code : undefined
}

test('code between tags is the program, the final answer before what was only tried', () => {
  const tried = '<thought>Let me see.</thought>\n<execute>\nprint(1)\n</execute>\n'
  expect(codeOf(tried)).toBe('print(1)\n')
  expect(codeOf(`${tried}<solution>\nprint(2)\n</solution>`)).toBe('print(2)\n')
})

test('a fence within the tags is opened', () => {
  expect(codeOf('<solution>\n```python\nprint(2)\n```\n</solution>')).toBe('print(2)\n')
})

test.each([
  ['in a fence', '```python\ntext = """\n<solution>\nprint(1)\n</solution>\n"""\nprint(text)\n```\n'],
  ['within a line', 'Put it between <solution> and </solution>.\n\n```python\nprint(3)\n```\n'],
])('a tag %s is none', (_, text) => {
  expect(codeOf(text)).toMatch(/print\((?:text|3)\)\n$/)
})

test('a language that has tags of its own keeps them', () => {
  const page = '```html\n<b>\n</b>\n```\n'
  const found = read(`<solution>\n${page}</solution>`, 'html')
  expect(found.blocks.map(({ text }) => text)).toEqual(['<b>\n</b>\n'])
})
