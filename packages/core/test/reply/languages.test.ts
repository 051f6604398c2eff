// What language a block is in, by its tag and by its text.
import { describe, expect, test } from 'vitest'
import { extractCandidate } from '../../src/reply/extract-candidate.js'
import { codeOf, extract, fenced, filesOf, messageOf } from './reply-text.js'

describe('tags', () => {
  test.each([
    ' python ',
    'Python3',
    'py',
    'python3.11',
    'py title="part c" {1,3}',
    '{.python .numberLines}',
    '{python}',
    '{ .py #id startFrom="3" }',
    'python:src/a.py',
    'lang-python',
    'python,linenos',
    'src/a.py',
    '12:30:src/a.py',
    'PYTHON',
  ])('%j names python and leaves nothing in the code', (tag) => {
    const found = extract(fenced(tag, 'a = 1'), { pick: 'all' })
    expect(found.blocks[0]?.language).toBe('python')
    expect(found.status === 'ok' && found.codes).toEqual(['a = 1\n'])
  })

  test.each([
    ['bash', 'shell'],
    ['zsh', 'shell'],
    ['node', 'javascript'],
    ['ts', 'typescript'],
    ['c++', 'cpp'],
    ['Brainfuck', 'brainfuck'],
  ])('%s is the language %s', (tag, language) => {
    expect(extract(fenced(tag, 'x')).blocks[0]?.language).toBe(language)
  })

  test('the language that is asked for may be given by any of its names', () => {
    expect(extract(fenced('python', 'a = 1'), { language: 'Py3' })).toMatchObject({
      status: 'ok',
      language: 'python',
    })
  })

  test('javascript is accepted where typescript was asked for, not the other way round', () => {
    expect(filesOf(extract(fenced('js', 'let a = 1'), { language: 'ts' }))).toEqual({
      'solution.ts': 'let a = 1\n',
    })
    expect(extract(fenced('ts', 'let a: number = 1'), { language: 'js' }).status).toBe('mismatch')
  })
})

describe('text against tag', () => {
  test.each([
    ['python', 'python', 'ls -1 | wc -l', 'shell'],
    ['python', 'python', 'pip install numpy\npython solution.py', 'shell'],
    ['python', 'bash', 'pip install numpy', 'shell'],
    ['python', '', 'echo ready && exit 3', 'shell'],
    ['python', 'python', 'const a = 1;\nconsole.log(a);', 'javascript'],
    ['python', 'python', 'for f in *.py; do\n  cat $f\ndone', 'shell'],
    ['python', 'python', 'for f in *.py\ndo\n  cat $f\ndone', 'shell'],
    ['python', '', 'if [ -f a ]\nthen\n  cat a\nfi', 'shell'],
    ['python', 'python', '[ "$A" = 1 ] && ls', 'shell'],
    ['python', 'python', './run.sh', 'shell'],
    ['python', 'python', '$ python a.py\nTraceback (most recent call last):', 'console'],
    ['python', 'python', '<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE', 'diff'],
    ['shell', 'bash', 'import os\nprint(os.getcwd())', 'python'],
    ['javascript', 'js', 'def f(x):\n    return x\n\nprint(f(1))', 'python'],
    ['javascript', 'js', 'npm install left-pad', 'shell'],
    ['javascript', 'js', 'export PATH=/bin\nexport DEBUG', 'shell'],
  ])('asked for %s, tag %j, %j is %s and not run', (language, tag, code, is) => {
    const found = extract(fenced(tag, code), { language })
    expect(found).toMatchObject({
      status: 'mismatch',
      reason: 'wrong-language',
      failure: { kind: 'no-code' },
    })
    expect(messageOf(found)).toContain(`Asked for ${language}`)
    expect(messageOf(found)).toContain(is)
  })

  test.each([
    ['shell', '', 'echo ready && exit 3'],
    ['shell', 'bash', 'for f in *.py; do\n  echo "$f"\ndone'],
    ['python', '', 'def f(x):\n    return x'],
    ['python', 'text', 'import os\nprint(os.getcwd())'],
    ['python', 'python', 'date = 5\nprint(date)'],
    ['python', 'python', 'cat = 3\ncat'],
    ['python', '', "print(f('a.txt'))  # => 'Yes'\nprint(f(''))  # => 'No'"],
    ['python', 'python', 'for i in range(3): print(i)'],
    ['python', '', 'for i in range(3): print(i)'],
    ['python', 'python', 'for l in open("x"): print(l)'],
    ['python', 'python', 'for i in a: print(i)\nfor j in b: print(j)'],
    ['python', 'python', 'for i in range(3)\n    print(i)'],
    ['python', '', 'for i in range(3)\n    print(i)'],
    ['python', 'python', 'if test(1): print(2)'],
    ['python', 'python', 'if test == 1\n    print(2)'],
    ['python', 'python', 'while [1]: break'],
    ['python', '', '[ print(i) for i in x ]'],
    ['python', 'python', '[ print(i) for i in x'],
    ['shell', '', 'for f in *.py\ndo\n  echo "$f"\ndone'],
    ['json', '', '{"a": [1, 2]}'],
    ['sql', '', 'SELECT * FROM t WHERE a = 1;'],
    ['javascript', '', 'const a = 1\nconsole.log(a)'],
    ['javascript', 'js', 'export const total = (xs) => xs.reduce((a, b) => a + b, 0)'],
    ['javascript', 'js', 'export const N = 3\n// three'],
    ['javascript', 'js', 'export default 3'],
    ['javascript', 'mjs', "export * from './other.mjs'\nexport { a as b } from './a.mjs'"],
    ['javascript', '', 'export function f() { return 2 }'],
    ['typescript', 'ts', 'export function f(): number { return 2 }'],
    ['typescript', 'ts', 'export type A = number\nexport interface B { a: A }'],
    ['typescript', 'ts', 'export enum C { a, b }'],
  ])('asked for %s, tag %j, %j is run', (language, tag, code) => {
    expect(codeOf(extract(fenced(tag, code), { language }))).toBe(`${code}\n`)
  })

  test('python under another tag is taken when there is no better block, and said so', () => {
    const found = extract(fenced('bash', 'import os\nprint(os.getcwd())'))
    expect(found).toMatchObject({ status: 'ok', warnings: ['language-mistagged'] })
  })

  test('broken python stays python: its syntax error is for the model to see', () => {
    expect(codeOf(extract(fenced('python', 'def f(:\n    return 1')))).toBe('def f(:\n    return 1\n')
  })
})

test.each([
  ['javascript', 'js', 'const fs = require("fs")\nfs.readdirSync(".")', 'solution.cjs'],
  ['javascript', 'cjs', 'module.exports = 1', 'solution.cjs'],
  ['node', 'node', 'const { join } = require("path")', 'solution.cjs'],
  ['javascript', 'js', 'import fs from "fs"\nfs.readdirSync(".")', 'solution.mjs'],
  ['java', 'java', 'public class Foo {}', 'Foo.java'],
  ['java', 'java', 'class Foo {}', 'Main.java'],
])('%s, tag %s, %j is a file that its text can run in', (language, tag, code, entry) => {
  expect(extract(fenced(tag, code), { language })).toMatchObject({ candidate: { entry } })
  expect(Object.keys(filesOf(extract(fenced(tag, code), { language })))).toEqual([entry])
  const own = `own/${entry}`
  expect(Object.keys(filesOf(extract(fenced(tag, code), { language, entry: own })))).toEqual([own])
})

test('a file that is there already keeps its name, a label that is renamed follows the text', () => {
  const code = 'const fs = require("fs")\nfs.readdirSync(".")'
  const files = { 'solution.mjs': 'let a = 1\n' }
  const known = extract(fenced('js', code), { language: 'js', files })
  expect(Object.keys(filesOf(known))).toEqual(['solution.mjs'])
  const labelled = extract(`app.js\n${fenced('js', code)}`, { language: 'js' })
  expect(Object.keys(filesOf(labelled))).toEqual(['solution.cjs'])
})

describe('replies without a fence', () => {
  test.each([
    'import sys\n\n\ndef f():\n    return 1\n\n\nprint(f())',
    'print("hi")',
    'x = 5\nprint(x)',
    'for i in range(3): print(i)',
    "def f(x):\n    names = {\n        'one': 1,\n        'two': 2,\n        'three': 3,\n        'four': 4,\n    }\n\n    return names[x]",
  ])('plain code is taken whole: %j', (code) => {
    const found = extract(code)
    expect(codeOf(found)).toBe(`${code}\n`)
    expect(found.warnings).toEqual(['fence-missing'])
  })

  test('indented code between paragraphs is code', () => {
    expect(codeOf(extract('So:\n\n    def f():\n        return 1\n\nBye.'))).toBe('def f():\n    return 1\n')
  })

  test.each([
    'The answer is to use a loop.',
    'yes',
    '42',
    'Done',
    "I can't help with that.",
    '',
    '  \n',
    '[1, 2, 3]',
    'Hello world',
    'Sorry, I cannot run code here.\n\n1. Open the file.\n2. Count the lines.',
    'True',
    'total',
    '"quoted"',
  ])('prose is never run: %j', (text) => {
    expect(extract(text)).toMatchObject({ status: 'none', failure: { kind: 'no-code' } })
  })

  test('an empty block is no code, and does not hide a full one', () => {
    expect(extract('```python\n\n```')).toMatchObject({ status: 'none', reason: 'empty-block' })
    expect(codeOf(extract(`\`\`\`python\n\`\`\`\n${fenced('python', 'print(1)')}`))).toBe('print(1)\n')
  })
})

test.each([undefined, null, 7, {}, { text: 7 }])('%j is no reply and is refused with a sentence', (reply) => {
  expect(() => extractCandidate(reply as never, { language: 'python' })).toThrow(
    expect.objectContaining({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(/^extractCandidate\(\): option "reply"/u),
    }),
  )
})
