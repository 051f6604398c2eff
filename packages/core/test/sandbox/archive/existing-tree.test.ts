import { expect, test } from 'vitest'
import type { WorkspaceFiles } from '../../../src/contract/workspace-files.js'
import { importArchive } from '../../../src/sandbox/archive/import-archive.js'
import { pathRefused } from '../../../src/sandbox/workspace-path.js'
import { makeZip } from './make-zip.js'
import { memoryFiles } from './memory-files.js'

/** A workspace with something at `path` that no list shows: an empty folder, a link, a pipe. */
function withUnlisted(files: WorkspaceFiles, path: string): WorkspaceFiles & { readonly removed: string[] } {
  const removed: string[] = []
  return {
    ...files,
    removed,
    async write(contents) {
      if (Object.hasOwn(contents, path)) throw pathRefused(path, 'is a folder already')
      await files.write(contents)
    },
    async remove(one) {
      removed.push(one)
      await files.remove(one)
    },
  }
}

test('what stands in the way and is in no list survives an import that is refused for it', async () => {
  const files = withUnlisted(await memoryFiles(), 'folder')
  const refused = importArchive(files, makeZip([{ name: 'folder' }]))
  await expect(refused).rejects.toMatchObject({ code: 'PATH_REFUSED', details: { path: 'folder' } })
  expect(files.removed).toEqual([])
})

test('a refusal that comes late leaves what was there with its content', async () => {
  const files = withUnlisted(await memoryFiles(), 'folder')
  await files.write({ 'kept.txt': 'old', 'last.txt': 'old' })
  const many = Array.from({ length: 600 }, (_, index) => ({ name: `new/${index}` }))
  const entries = [{ name: 'kept.txt' }, ...many, { name: 'folder' }, { name: 'last.txt' }]
  const refused = importArchive(files, makeZip(entries))
  await expect(refused).rejects.toMatchObject({ code: 'PATH_REFUSED', details: { path: 'folder' } })
  expect((await files.list()).map(({ path }) => path)).toEqual(['kept.txt', 'last.txt'])
  expect(await files.readText('kept.txt')).toBe('old')
})

test('new files and files written over come out of one archive', async () => {
  const files = await memoryFiles()
  await files.write({ 'a.txt': 'old' })
  const archive = makeZip(['a.txt', 'b.txt'].map((name) => ({ name, content: `new ${name}` })))
  const { files: imported } = await importArchive(files, archive)
  expect(imported.map(({ path }) => path)).toEqual(['a.txt', 'b.txt'])
  expect([await files.readText('a.txt'), await files.readText('b.txt')]).toEqual(['new a.txt', 'new b.txt'])
})
