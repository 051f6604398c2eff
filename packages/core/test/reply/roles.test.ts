// Which of several blocks is the program.
import { describe, expect, test } from 'vitest'
import { codeOf, extract, fenced } from './reply-text.js'

const definition = 'def f(x):\n    return x + 1'
const program = fenced('python', definition)

describe('best', () => {
  test.each([
    [
      'install, run and output',
      `${fenced('bash', 'pip install x')}${program}${fenced('', '2')}${fenced('bash', 'python a.py')}`,
    ],
    ['a usage example after it', `${program}Use:\n${fenced('python', 'print(f(1))  # 2')}`],
    ['a usage example before it', `Goal:\n${fenced('python', 'assert f(1) == 2')}\n${program}`],
    ['a doctest', `${fenced('python', '>>> f(1)\n2')}${program}`],
    [
      'tests',
      `${program}${fenced('python', 'import unittest\nclass TestF(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(1), 2)')}`,
    ],
    ['an untagged sketch', `${fenced('', 'def f(x): ...')}Code:\n${program}`],
    ['a draft', `${fenced('python', 'def f(x):\n    return x')}Oops:\n${program}`],
    ['an excerpt', `${program}The key line:\n${fenced('python', 'return x + 1')}`],
    ['a broken draft', `${fenced('python', 'def f(x:\n    return x')}${program}`],
    [
      'a version with code left out',
      `${program}In short:\n${fenced('python', 'def f(x):\n    # ... rest of the code ...\n    return 1')}`,
    ],
    [
      'an untagged program and a tagged example',
      `${fenced('', definition)}${fenced('python', 'print(f(1))')}`,
    ],
  ])('is the program itself, next to %s', (_, reply) => {
    expect(codeOf(extract(reply))).toBe(`${definition}\n`)
  })

  test('is broken code rather than the example that calls it', () => {
    const broken = 'def f(x:\n    return x'
    expect(codeOf(extract(`${fenced('python', broken)}${fenced('python', 'print(f(1))')}`))).toBe(
      `${broken}\n`,
    )
  })

  test('is a whole program rather than a later excerpt of it', () => {
    const whole = 'def f(x):\n    return g(x)\n\n\ndef g(x):\n    return x'
    expect(
      codeOf(extract(`${fenced('python', whole)}Where:\n${fenced('python', 'def g(x):\n    return x')}`)),
    ).toBe(`${whole}\n`)
  })

  test('joins parts that build on each other', () => {
    const parts = `${fenced('python', 'def area(r):\n    return 3 * r * r')}Then:\n${fenced('python', 'def volume(r, h):\n    return area(r) * h')}`
    const found = extract(parts)
    expect(codeOf(found)).toBe(
      'def area(r):\n    return 3 * r * r\n\n\ndef volume(r, h):\n    return area(r) * h\n',
    )
    expect(found.warnings).toEqual(['blocks-joined'])
    const script = extract(`${fenced('python', 'x = 20')}${fenced('python', 'print(x + 1)')}`)
    expect(codeOf(script)).toBe('x = 20\n\n\nprint(x + 1)\n')
  })

  test('is the last of two scripts that stand for each other', () => {
    expect(codeOf(extract(`${fenced('python', 'print(1)')}Better:\n${fenced('python', 'print(2)')}`))).toBe(
      'print(2)\n',
    )
  })

  test('is the block with the entry point, with what it needs', () => {
    const reply = `${fenced('python', 'def other(): return 0\ndef more(): return 1')}${fenced('python', 'def helper(): return 1')}${fenced('python', 'def main(): return helper()')}`
    expect(codeOf(extract(reply, { entryPoint: 'main' }))).toBe(
      'def helper(): return 1\n\n\ndef main(): return helper()\n',
    )
    expect(codeOf(extract(reply, { entryPoint: 'helper' }))).toBe('def helper(): return 1\n')
  })

  test('javascript is chosen by the same rules', () => {
    const code = 'export function f(x) {\n  return x + 1\n}'
    const reply = `${fenced('bash', 'node a.mjs')}${fenced('js', code)}Use:\n${fenced('js', 'console.log(f(1))')}`
    expect(codeOf(extract(reply, { language: 'javascript' }))).toBe(`${code}\n`)
  })
})

describe('first, last, all', () => {
  const reply = `${fenced('bash', 'ls')}${fenced('python', 'a = 1')}${fenced('python', 'b = 2')}${fenced('python', 'c = 3')}`

  test.each([
    ['first', ['a = 1\n']],
    ['last', ['c = 3\n']],
    ['all', ['a = 1\n', 'b = 2\n', 'c = 3\n']],
  ] as const)('%s', (pick, codes) => {
    const found = extract(reply, { pick })
    expect(found.codes).toEqual(codes)
    expect(found.blocks).toHaveLength(4)
    expect(found.notRun).toHaveLength(4 - codes.length)
  })

  test('the model is told which blocks were not run', () => {
    expect(extract(reply, { pick: 'first' }).notice).toBe(
      'Only the code at line 4 of the reply was used; one shell block and 2 python blocks were not run (line 1, 7, 10).',
    )
    expect(extract(fenced('python', 'a = 1').repeat(2), { pick: 'all' }).notice).toBeUndefined()
  })

  test.each([
    ['bash', 'pip install x', 'one shell block was not run (line 4).'],
    ['js', 'let a = 1', 'one javascript block was not run (line 4).'],
    ['', 'python main.py', 'one shell block was not run (line 4).'],
  ])('also of another language: %s %j', (tag, code, notice) => {
    expect(extract(`${fenced('python', 'a = 1')}${fenced(tag, code)}`).notice).toContain(notice)
  })

  test.each([
    ['', '1\n2'],
    ['text', 'Nothing to see here.'],
    ['json', '{}'],
    ['console', '$ python main.py\n1'],
  ])('nothing is said of output and data: %s %j', (tag, code) => {
    expect(extract(`${fenced('python', 'a = 1')}${fenced(tag, code)}`).notice).toBeUndefined()
  })
})
