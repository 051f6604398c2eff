import { expect, test } from 'vitest'
import { pathPattern, sampleOf } from '../../src/sandbox/path-pattern.js'

test.each([
  ['conftest.py', ['conftest.py', 'a/b/conftest.py'], ['my_conftest.py', 'conftest.pyc', 'conftest_py']],
  ['test_*.py', ['test_a.py', 'tests/test_.py'], ['a_test_b.py', 'test_a.txt', 'test_a/b.pyi']],
  ['tests/', ['tests/a.py', 'tests', 'x/tests/y/z'], ['tests.py', 'mytests/a']],
  ['tests/*.py', ['tests/a.py'], ['x/tests/a.py', 'tests/a/b.py', 'tests/a.pyc']],
  ['./tests/*.py', ['tests/a.py'], ['a.py']],
  ['/top.txt', ['top.txt'], ['a/top.txt']],
  ['a/**', ['a/b', 'a/b/c'], ['b/a/c', 'ab/c']],
  ['a/**/z.py', ['a/z.py', 'a/b/c/z.py'], ['z.py', 'a/xz.py']],
  ['d?ta[1].csv', ['data[1].csv', 'x/dota[1].csv'], ['data1.csv', 'd/ta[1].csv']],
])('%s', (pattern, matched, others) => {
  const matches = pathPattern(pattern)
  expect(matched.filter((path) => !matches(path))).toEqual([])
  expect(others.filter(matches)).toEqual([])
})

test.each(['a/*.py', '/top.txt', 'a/**/z?.py', './tests/'])('a sample of %s is one', (pattern) => {
  expect(pathPattern(pattern)(sampleOf(pattern))).toBe(true)
})
