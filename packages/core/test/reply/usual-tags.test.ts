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

const program = 'def f(x):\n    return x + 1\n'
const fence = (code: string, tag = 'python'): string => `\n\`\`\`${tag}\n${code}\`\`\`\n`

test.each([
  ['nothing in the tags', `${fence(program)}\n<execute>\n</execute>\n`],
  ['another language', `<execute>\nls -la\n</execute>\n${fence(program)}`],
  ['a snippet that was tried', `<execute>\nprint(f(3))\n</execute>\n${fence(program)}`],
  ['a draft that was tried', `<execute>\ndef f(x):\n    return x\n</execute>\n${fence(program)}`],
])('beside %s the program in a fence counts', (_, text) => {
  expect(codeOf(text)).toBe(program)
})

test.each([
  ['a fence beside a solution', `<solution>\n${program}</solution>\n${fence('print(3)\n')}`],
  ['a fence before what is tried', `${fence('print(3)\n')}\n<execute>\n${program}</execute>\n`],
  ['an example of what is tried', `<execute>\n${program}</execute>\n${fence('print(f(3))\n')}`],
  ['a fence of output', `<execute>\n${program}</execute>\n${fence('4\n', 'text')}`],
  ['a fence that is broken', `<execute>\n${program}</execute>\n${fence('def g(:\n')}`],
])('%s leaves the tags as they are', (_, text) => {
  expect(codeOf(text)).toBe(program)
})

test.each(['Use two pointers.', ''])(
  'a final answer of "%s" is no program, whatever stands beside it',
  (words) => {
    expect(read(`<solution>\n${words}\n</solution>\n${fence(program)}`).status).not.toBe('ok')
  },
)

test('tags of the caller count, whatever stands beside them', () => {
  const text = `<solution>\nUse two pointers.\n</solution>\n${fence(program)}`
  const found = extractCandidate(text, { language: 'python', tags: ['<solution>', '</solution>'] })
  expect(found.status).toBe('none')
})

test('many tags and many fences are read to their end', () => {
  const tried = `<execute>\n${program}</execute>\n`.repeat(1500)
  const found = read(`${tried}${fence('print(f(3))\n').repeat(1500)}`)
  expect(found).toMatchObject({ status: 'ok', code: program })
})
