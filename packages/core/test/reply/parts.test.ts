// Blocks that belong together, and blocks that are not the program: old code, tests, patches.
import { describe, expect, test } from 'vitest'
import { codeOf, extract, fenced, filesOf } from './reply-text.js'

const now = 'def f(x):\n    return x + 1'
const before = 'def f(x):\n    y = x\n    y = y - 1\n    return y'

describe('one program in several blocks', () => {
  test.each([
    ['an import', ['import math', 'def f(x):\n    return math.sqrt(x)']],
    ['an import with another name', ['import numpy as np', 'def f(x):\n    return np.sqrt(x)']],
    ['names from a module', ['from math import (sqrt as root, pi)', 'def f(x):\n    return root(x)']],
    ['a constant', ['LIMIT = 5', 'def f(x):\n    return min(x, LIMIT)']],
    ['a constant without blanks', ['LIMIT=5', 'def f(x):\n    return f"{x:{LIMIT}}"']],
    ['an import for a script', ['import math', 'print(math.sqrt(2))']],
    ['a chain', ['import math', 'ROOT = math.sqrt(2)', 'def f(x):\n    return x * ROOT']],
    [
      'an import for two parts',
      ['import math', 'def f(x):\n    return math.sqrt(x)', 'def g(x):\n    return f(x)'],
    ],
  ])('%s', (_, parts) => {
    const found = extract(parts.map((part) => fenced('python', part)).join('Then:\n'))
    expect(codeOf(found)).toBe(`${parts.join('\n\n\n')}\n`)
    expect(found.warnings).toEqual(['blocks-joined'])
  })

  test('an entry point brings along what it needs', () => {
    const reply = ['import math', 'def f(x):\n    return math.sqrt(x)'].map((part) => fenced('python', part))
    expect(codeOf(extract(reply.join(''), { entryPoint: 'f' }))).toContain('import math')
  })

  test('javascript too', () => {
    const parts = [
      "import { readFileSync } from 'node:fs'",
      'export function f(path) {\n  return readFileSync(path)\n}',
    ]
    expect(codeOf(extract(parts.map((part) => fenced('js', part)).join(''), { language: 'js' }))).toBe(
      `${parts.join('\n\n\n')}\n`,
    )
  })

  test.each([
    ['an example whose variable is a parameter of the program', 'x = 3\nprint(f(x))'],
    ['a variable that only the program itself assigns', 'y = 3'],
    ['an import that the program has itself', 'import os'],
  ])('%s stays out', (_, other) => {
    const program = 'import os\n\n\ndef f(x):\n    y = x\n    return os.path.join(y)'
    expect(codeOf(extract(`${fenced('python', other)}${fenced('python', program)}`))).toBe(`${program}\n`)
  })
})

describe('old code', () => {
  test.each([
    'For reference, the old code was:',
    'Previously:',
    'Your original code',
    'Before:',
    '### Before',
    '**Old version:**',
    'Before the fix:',
    'Here is the original version:',
    "Here's your previous attempt, for reference:",
    'The buggy version looked like this:',
    'This was the broken code:',
    'Incorrect:',
    '❌ Wrong:',
    'Instead of:',
    'What you had before:',
    'The code you posted:',
    'The version with the bug:',
    'The following code is wrong:',
    'The original function you gave me was:',
    'Before this change it looked like:',
    'Do not use this one:',
    'My first attempt was:',
    'Current code:',
    'The previous implementation (which returned too little):',
    'Original (`solution.py`):',
  ])('%j introduces no program, before or after it', (intro) => {
    const old = `${intro}\n\n${fenced('python', before)}`
    expect(codeOf(extract(`${old}\nThe program:\n${fenced('python', now)}`))).toBe(`${now}\n`)
    expect(codeOf(extract(`Here you are.\n${fenced('python', now)}\n${old}`))).toBe(`${now}\n`)
  })

  test.each([
    'Here is the fixed version of your original code:',
    'This replaces the old code:',
    'The old code was wrong; here is the right one:',
    'The previous version did not work. Here it is again:',
    'It was broken.',
    'Before you run it, install numpy:',
    'Before this I had overlooked the limit, so here is the program:',
    'Better than the previous version:',
    'Here is the previous program with the fix applied:',
    'Modified original code:',
    'Rather than patching, I rewrote it:',
    'The first error is gone now. Full program:',
  ])('%j introduces the program', (intro) => {
    expect(codeOf(extract(`Draft:\n${fenced('python', before)}\n${intro}\n${fenced('python', now)}`))).toBe(
      `${now}\n`,
    )
  })

  test('a comment on its first line tells it too', () => {
    const old = fenced('python', `# Old version\n${before}`)
    expect(codeOf(extract(`${fenced('python', now)}\n${old}`))).toBe(`${now}\n`)
  })

  test('a new script without definitions goes before it', () => {
    expect(
      codeOf(extract(`Previously:\n${fenced('python', before)}Now:\n${fenced('python', 'print(1)')}`)),
    ).toBe('print(1)\n')
  })

  test('when nothing else can be the program it is taken', () => {
    const reply = `Your original code:\n${fenced('python', now)}`
    expect(codeOf(extract(reply))).toBe(`${now}\n`)
    expect(codeOf(extract(`${reply}Run:\n${fenced('python', 'print(f(1))')}`))).toBe(`${now}\n`)
  })

  test('a path does not make it new', () => {
    const reply = `Before:\n\n\`solution.py\`\n${fenced('python', before)}\nAfter:\n\n\`solution.py\`\n${fenced('python', now)}`
    expect(codeOf(extract(reply))).toBe(`${now}\n`)
    const other = `\`main.py\`\n${fenced('python', now)}\nBefore:\n${fenced('python', 'def g(x):\n    return x')}`
    expect(filesOf(extract(other))).toEqual({ 'solution.py': `${now}\n` })
  })
})

describe('tests', () => {
  test.each([
    [
      'a TestCase by any name',
      'import unittest\n\n\nclass Checks(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(1), 2)',
    ],
    [
      'a TestCase with a runner',
      'from unittest import TestCase, main\nclass T(TestCase):\n    def test_f(self):\n        assert f(1) == 2\n\n\nif __name__ == "__main__":\n    main()',
    ],
    ['pytest functions', 'def test_one():\n    assert f(1) == 2\n\n\ndef test_two():\n    assert f(2) == 3'],
    [
      'pytest with a helper',
      'import pytest\n\n\n@pytest.fixture\ndef number():\n    return 1\n\n\ndef helper(n):\n    return n + 1\n\n\ndef test_f(number):\n    assert f(number) == helper(number)',
    ],
    [
      'tests that import the program',
      'from solution import f\n\n\nclass T(__import__("unittest").TestCase):\n    def test_f(self):\n        assert f(1) == 2',
    ],
  ])('%s are not the program, before or after it', (_, tests) => {
    const long = `${tests}\n# ${'-'.repeat(200)}`
    expect(codeOf(extract(`${fenced('python', now)}Tests:\n${fenced('python', long)}`))).toBe(`${now}\n`)
    expect(codeOf(extract(`Tests:\n${fenced('python', long)}\nProgram:\n${fenced('python', now)}`))).toBe(
      `${now}\n`,
    )
  })

  test('a script without definitions goes before tests', () => {
    const tests = 'import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        pass'
    expect(codeOf(extract(`${fenced('python', 'print(1)')}${fenced('python', tests)}`))).toBe('print(1)\n')
  })

  test('a program with a test of its own is a program', () => {
    const own = `${now}\n\n\ndef test_f():\n    assert f(1) == 2`
    expect(codeOf(extract(`${fenced('python', own)}${fenced('python', 'print(f(1))')}`))).toBe(`${own}\n`)
  })

  test('tests alone are taken, and under a path of their own they are a file', () => {
    const tests = 'def test_f():\n    assert 1 + 1 == 2'
    expect(codeOf(extract(fenced('python', tests)))).toBe(`${tests}\n`)
    const reply = `\`solution.py\`\n${fenced('python', now)}\`test_f.py\`\n${fenced('python', tests)}`
    expect(Object.keys(filesOf(extract(reply)))).toEqual(['solution.py', 'test_f.py'])
  })
})

describe('patches', () => {
  test.each([
    ['every line marked', ' def f(x):\n-    return x\n+    return x + 1'],
    [
      'with a header',
      '--- a/solution.py\n+++ b/solution.py\n@@ -1,2 +1,2 @@\n def f(x):\n-    return x\n+    return x + 1',
    ],
    ['with a place only', '@@ -1,2 +1,2 @@\n def f(x):\n-    return x\n+    return x + 1'],
    ['only additions', '+def g(x):\n+    return x'],
    ['only statements that parse', '-print(1)\n+print(2)'],
    ['unmarked lines round it', 'def f(x):\n-    return x\n+    return x + 1'],
    ['unmarked lines that parse', 'x = 1\n-print(x)\n+print(x + 1)'],
  ])('%s is no program, although tagged as one', (_, patch) => {
    expect(extract(fenced('python', patch))).toMatchObject({ status: 'mismatch', reason: 'wrong-language' })
    expect(codeOf(extract(`${fenced('python', patch)}${fenced('python', now)}`))).toBe(`${now}\n`)
  })

  test.each([
    ['a continued sum', 'x = (1\n+ 2\n- 3\n)\nprint(x)'],
    ['a list within a string', 'TEXT = """\n- one\n+ two\n"""\nprint(TEXT)'],
    ['a sign in front', 'x = 3\n-x'],
    ['a patch within a string', 'P = """\n--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n"""\nprint(P)'],
  ])('%s is a program', (_, code) => {
    expect(codeOf(extract(fenced('python', code)))).toBe(`${code}\n`)
  })
})
