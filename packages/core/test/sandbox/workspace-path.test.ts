import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import { toWorkspaceFiles, toWorkspacePath } from '../../src/sandbox/workspace-path.js'

const codeOf = (run: () => unknown): string | undefined => {
  try {
    run()
  } catch (error) {
    return MendloopError.is(error) ? error.code : String(error)
  }
  return undefined
}

test.each([
  ['a/b/../c.txt', 'a/c.txt'],
  ['./a//b/./c', 'a/b/c'],
  ['ünï/çode ✓.txt', 'ünï/çode ✓.txt'],
  ['..a/b..', '..a/b..'],
  ['...', '...'],
  ['folder/', 'folder'],
])('%j becomes %j', (given, expected) => {
  expect(toWorkspacePath(given)).toBe(expected)
})

test.each([
  '',
  '.',
  './',
  '..',
  'a/..',
  '../escape.txt',
  'ok/../../escape.txt',
  'a/../../a/b',
  '/etc/passwd',
  '//server/share',
  'C:/Windows',
  '..\\escape.txt',
  'a\\b',
  'nul\0byte.txt',
  '\uD800.txt',
  `${'x'.repeat(256)}.txt`,
  `${'deep/'.repeat(1000)}file`,
])('the path %j is refused', (path) => {
  expect(codeOf(() => toWorkspacePath(path))).toBe('PATH_REFUSED')
})

test('whatever is accepted is canonical, relative and stays inside', () => {
  const part = fc.constantFrom('a', 'b', '.', '..', '', 'c d', '\\', '\0', 'é')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      let path: string
      try {
        path = toWorkspacePath(parts.join('/'))
      } catch (error) {
        expect(MendloopError.is(error, 'PATH_REFUSED')).toBe(true)
        return
      }
      expect(path).not.toMatch(/^\/|\\|\0|(^|\/)(\.{0,2})(\/|$)/)
      expect(toWorkspacePath(path)).toBe(path)
    }),
  )
})

test('a set of files is checked as a whole', () => {
  expect([...toWorkspaceFiles({ 'a/../b.txt': 'text', c: Uint8Array.of(1) })]).toEqual([
    ['b.txt', Buffer.from('text')],
    ['c', Uint8Array.of(1)],
  ])
  expect(codeOf(() => toWorkspaceFiles({ good: '', '../bad': '' }))).toBe('PATH_REFUSED')
  expect(codeOf(() => toWorkspaceFiles({ a: '', 'b/../a': '' }))).toBe('PATH_REFUSED')
  expect(codeOf(() => toWorkspaceFiles({ 'a/b/c': '', 'a/b': '' }))).toBe('PATH_REFUSED')
  expect(codeOf(() => toWorkspaceFiles({ a: 1 as unknown as string }))).toBe('INVALID_OPTION')
})

test.each(['a/', 'a/.', 'a/b/..', 'a/b/../', './a/./'])(
  'no file is called %j, which names a folder',
  (path) => {
    expect(codeOf(() => toWorkspaceFiles({ [path]: '' }))).toBe('PATH_REFUSED')
  },
)

test.each(['C:file.txt', 'c:a/b', 'Z:..'])(
  'no file is called %j, which would leave for another drive',
  (path) => {
    expect(codeOf(() => toWorkspaceFiles({ [path]: '' }))).toBe('PATH_REFUSED')
  },
)

test.each(['10:30.log', 'ab:c', 'a/b:c'])('%j is a name like others', (path) => {
  expect([...toWorkspaceFiles({ [path]: '' }).keys()]).toEqual([path])
})

test.each([
  ['a path', 'a.txt'],
  ['a list', ['a.txt']],
  ['a map', new Map([['a.txt', 'x']])],
  ['null', null],
  ['nothing', undefined],
])('%s is no set of files, and says so', (_, given) => {
  expect(codeOf(() => toWorkspaceFiles(given as never))).toBe('INVALID_OPTION')
})
