// What may differ between the old lines of an edit and the file, and what of the file stays as it is.
import { describe, expect, test } from 'vitest'
import { apply, block, edited, outcome } from './edit-text.js'

const change = (before: string, search: string, replace: string): unknown => {
  const after = outcome({ 'a.py': before }, edited('a.py', block(search, replace)))
  return typeof after === 'string' ? after : after['a.py']
}

describe('tolerance', () => {
  test.each([
    [
      'white space at line ends',
      'if x:  \n    y()\t\n',
      'if x:\n    y()',
      'if x:\n    z()',
      'if x:  \n    z()\n',
    ],
    [
      'further in',
      'class A:\n    def f(self):\n        return 1\n',
      'def f(self):\n    return 1',
      'def f(self):\n    if a:\n        return 2',
      'class A:\n    def f(self):\n        if a:\n            return 2\n',
    ],
    [
      'further out',
      'def f():\n    return 1\n',
      '    def f():\n        return 1',
      '    def f():\n        return 2',
      'def f():\n    return 2\n',
    ],
    [
      'spaces for tabs',
      'if x:\n\tif y:\n\t\tz()\n',
      'if x:\n    if y:\n        z()',
      'if x:\n    if y:\n        a()\n        b()',
      'if x:\n\tif y:\n\t\ta()\n\t\tb()\n',
    ],
    [
      'two spaces for tabs',
      'if x:\n\tif y:\n\t\tz()\n',
      'if x:\n  if y:\n    z()',
      'if x:\n  if y:\n    a()',
      'if x:\n\tif y:\n\t\ta()\n',
    ],
    [
      'tabs for spaces',
      'if x:\n    if y:\n        z()\n',
      'if x:\n\tif y:\n\t\tz()',
      'if x:\n\tif y:\n\t\ta()',
      'if x:\n    if y:\n        a()\n',
    ],
    ['an empty line among shifted ones', '    a\n\n    b\n', 'a\n\nb', 'a\n\nc', '    a\n\n    c\n'],
  ])('%s', (_, before, search, replace, after) => {
    expect(change(before, search, replace)).toBe(after)
  })

  test('is named, and never used where the exact lines are', () => {
    const before = 'x = 1\nif y:\n    x = 1\n'
    expect(change(before, 'x = 1\nif y:', 'x = 2\nif y:')).toBe('x = 2\nif y:\n    x = 1\n')
    expect(apply({ 'a.py': 'x = 1  \n' }, edited('a.py', block('x = 1', 'x = 2')))).toMatchObject({
      warnings: ['whitespace-adapted'],
    })
  })

  test.each([
    ['an indentation that differs unevenly', 'if x:\n    y()\n', 'if x:\n  y()', 'if x:\n  z()'],
    ['other text', 'x = 1\n', 'x  = 1', 'x = 2'],
    ['new lines that cannot be moved as the old ones are', '    a\n', '        a', 'b'],
  ])('%s is no match', (_, before, search, replace) => {
    expect(change(before, search, replace)).toBe('no-match')
  })

  test('shifted lines that fit twice are ambiguous', () => {
    expect(change('    a\nb\n  a\n', 'a', 'c')).toBe('ambiguous')
  })
})

describe('the file keeps', () => {
  test.each([
    ['CR LF', 'a\r\nb\r\nc\r\n', 'a\r\nx\r\ny\r\nc\r\n'],
    ['mixed line ends', 'a\nb\r\nc\n', 'a\nx\r\ny\r\nc\n'],
    ['its byte order mark', '\ufeffa\nb\nc\n', '\ufeffa\nx\ny\nc\n'],
    ['a missing final newline', 'a\nb\nc', 'a\nx\ny\nc'],
    ['empty lines at its end', 'a\nb\nc\n\n\n', 'a\nx\ny\nc\n\n\n'],
  ])('%s', (_, before, after) => {
    expect(change(before, 'b', 'x\ny')).toBe(after)
  })

  test('a missing final newline, where the last line changes or goes', () => {
    expect(change('a\nb', 'b', 'c')).toBe('a\nc')
    expect(change('a\nb', 'a\nb', 'a')).toBe('a')
    expect(change('\ufeffa', 'a', 'b')).toBe('\ufeffb')
  })

  test('white space at the ends of lines that an edit only repeats', () => {
    expect(change('a  \nb\nc\t\n', 'a\nb\nc', 'a\nx\nc')).toBe('a  \nx\nc\t\n')
  })

  test('what was deleted leaves nothing', () => {
    expect(change('a\nb\nc\n', 'b', '')).toBe('a\nc\n')
    expect(change('a\n', 'a', '')).toBe('')
  })
})
