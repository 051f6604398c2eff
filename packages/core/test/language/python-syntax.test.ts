// What counts as Python that parses, and what a text looks like.
import { describe, expect, test } from 'vitest'
import {
  defaultEntry,
  extensionOf,
  languageId,
  languageOfPath,
  runsAs,
} from '../../src/contract/language-names.js'
import { looksLike } from '../../src/language/looks-like.js'
import { outlinePython } from '../../src/language/python-outline.js'
import { parsesAsPython } from '../../src/language/python-syntax.js'

describe('parsesAsPython', () => {
  test.each([
    '',
    'x = 1',
    'def f():\n    return 1\n',
    'x = """a\n```\n"""',
    "rb'a' b'c'",
    'x = (1,\n  2)\n',
    'x = yield',
    'def f():\n    yield',
    'x = 2.',
    'with (open(a) as f, open(b) as g):\n    pass',
    'with a as (b, c):\n    pass',
    'match x:\n    case [1, *rest]:\n        pass',
    'if (n := 1): pass',
    'try:\n    pass\nexcept* E:\n    pass',
    'async def f():\n    async with a as b:\n        await b',
    'f"{x!r:>{w}}"',
    'é = 1',
    'x = 1 \\\n  + 2',
    'class A[T]: pass',
    'if 1:\n\tx\n\ty',
    '# only a comment',
    'def f(a, /, b, *, c): ...',
    'x = [\n# note\n1]',
  ])('accepts %j', (text) => {
    expect(parsesAsPython(text)).toBe(true)
  })

  test.each([
    'x = (',
    "x = 'abc\n",
    'x = """abc',
    'def f():\n',
    'if x:\nprint(1)',
    '  x = 1',
    'x = 1\n  y = 2',
    'if x:\n    y\n  z',
    'print(1))',
    'x = (1]',
    'echo ready && exit 3',
    'This is prose.',
    'print(“hi”)',
    'x\u00a0= 1',
    'a ? b : c',
    '>>> 1',
    `${'('.repeat(300)}${')'.repeat(300)}`,
    '\0',
  ])('refuses %j', (text) => {
    expect(parsesAsPython(text)).toBe(false)
  })
})

test('an outline tells what is defined, assigned, mentioned, imported', () => {
  const outline = outlinePython(
    'from a.b import c\n@d\ndef f(x):\n    y = z\n    return y\n\nif 1:\n    class K: pass\nn, m = o = f(2)\n',
  )
  expect(outline?.defines).toEqual(new Set(['f', 'K']))
  expect(outline?.assigns).toEqual(new Set(['n', 'm', 'o']))
  expect(outline?.imports).toEqual(new Set(['a']))
  expect(outline?.mentions.has('z')).toBe(true)
  expect(outlinePython('[1, 2, "a"]\nTrue')?.acts).toBe(false)
  expect(outlinePython('print(1)')?.acts).toBe(true)
  expect(outlinePython('x = (')).toBeUndefined()
})

describe('looksLike', () => {
  test.each([
    ['def f(x):\n    return x\n\nprint(f(2))', 'python'],
    ['import os\nimport sys', 'python'],
    ['x = 5', 'python'],
    ['ls -1 | wc -l', 'shell'],
    ['pip install numpy', 'shell'],
    ['if [ -f a ]; then\n  cat a\nfi', 'shell'],
    ['#!/bin/bash\nfoo', 'shell'],
    ['const a = 1;\nconsole.log(a);', 'javascript'],
    ['function f(a) {\n  return a + 1;\n}', 'javascript'],
    ['export function f(a: number): number {\n  return a\n}', 'typescript'],
    ['interface A { x: number }\nconst a: A = { x: 1 };', 'typescript'],
    ['{"a": 1}', 'json'],
    ['SELECT * FROM t\nWHERE a = 1;', 'sql'],
    ['<!DOCTYPE html>\n<p>x</p>', 'html'],
    ['--- a/x\n+++ b/x\n@@ -1 +1 @@', 'diff'],
    ['$ ls\na b', 'console'],
    ['Traceback (most recent call last):\n  File "a.py"', 'console'],
    ['Here is a sentence about code.', 'prose'],
    ['14', undefined],
    ['', undefined],
  ])('%j is %s', (text, look) => {
    expect(looksLike(text)).toBe(look)
  })
})

test('names go to ids and extensions both ways', () => {
  expect(['Py3', 'python 3.11', 'language-python', ' PYTHON '].map(languageId)).toEqual(
    Array(4).fill('python'),
  )
  expect(languageId('  ')).toBeUndefined()
  expect(languageOfPath('a/b.MJS')).toBe('javascript')
  expect(languageOfPath('Makefile')).toBe('makefile')
  expect(languageOfPath('.py')).toBeUndefined()
  expect(extensionOf('typescript')).toBe('ts')
  expect(defaultEntry('python')).toBe('solution.py')
  expect(runsAs('javascript', 'typescript')).toBe(true)
  expect(runsAs('typescript', 'javascript')).toBe(false)
})
