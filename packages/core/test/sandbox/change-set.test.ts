import { expect, test } from 'vitest'
import { compareWorkspaces, type FileState } from '../../src/sandbox/change-set.js'

const state = (files: Record<string, FileState>) => new Map(Object.entries(files))

test('created, modified and deleted files are told apart and sorted by path', () => {
  const before = state({
    b: { sizeBytes: 1, sha256: 'one' },
    gone: { sizeBytes: 2 },
    z: { sizeBytes: 3, sha256: 'z' },
  })
  const after = state({
    z: { sizeBytes: 3, sha256: 'zz' },
    b: { sizeBytes: 1, sha256: 'one' },
    a: { sizeBytes: 0, sha256: 'a' },
  })
  expect(compareWorkspaces(before, after)).toEqual([
    { path: 'a', kind: 'created', sizeBytes: 0, sha256: 'a' },
    { path: 'gone', kind: 'deleted' },
    { path: 'z', kind: 'modified', sizeBytes: 3, sha256: 'zz' },
  ])
})

test('without a hash on both sides only the same state counts as unchanged', () => {
  const same: FileState = { sizeBytes: 5 }
  expect(compareWorkspaces(state({ a: same }), state({ a: same }))).toEqual([])
  expect(compareWorkspaces(state({ a: same }), state({ a: { sizeBytes: 5 } }))).toEqual([
    { path: 'a', kind: 'modified', sizeBytes: 5 },
  ])
})

test('what a state carries besides size and hash does not reach the change', () => {
  const after = new Map([['a', { sizeBytes: 1, sha256: 'x', identity: 'private' }]])
  expect(compareWorkspaces(new Map(), after)).toEqual([
    { path: 'a', kind: 'created', sizeBytes: 1, sha256: 'x' },
  ])
})
