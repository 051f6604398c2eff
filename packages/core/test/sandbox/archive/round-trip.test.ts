import { createHash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ArchiveFormat } from '../../../src/sandbox/archive/archive-format.js'
import { exportArchive } from '../../../src/sandbox/archive/export-archive.js'
import { importArchive } from '../../../src/sandbox/archive/import-archive.js'
import { collectBytes } from '../../../src/sandbox/archive/pieces.js'
import { memoryFiles } from './memory-files.js'

const FORMATS: readonly ArchiveFormat[] = ['zip', 'tar', 'tar.gz']

// Upper case is left out: names that differ in case only are refused.
const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .map((text) =>
    text
      .replace(/[/\\\0:]|\p{Surrogate}/gu, '_')
      .normalize('NFC')
      .toLowerCase()
      .normalize('NFC'),
  )
  .filter((text) => !/^\.{1,2}$/.test(text) && text !== '.ds_store' && Buffer.byteLength(text) <= 200)
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'))
const content = fc.uint8Array({ maxLength: 2000 })
const workspace = fc
  .uniqueArray(fc.tuple(path, content), { maxLength: 8, selector: ([one]) => one })
  .filter((all) => all.every(([one]) => !all.some(([other]) => other.startsWith(`${one}/`))))

test.each(FORMATS)('every workspace comes back from a %s byte for byte', async (format) => {
  await fc.assert(
    fc.asyncProperty(workspace, fc.integer({ min: 1, max: 3000 }), async (entries, pieceBytes) => {
      const from = await memoryFiles()
      await from.write(Object.fromEntries(entries))
      const packed = await collectBytes(exportArchive(from, { format }))
      const to = await memoryFiles()
      const imported = await importArchive(to, cut(packed, pieceBytes))
      expect(imported).toMatchObject({ format, skipped: [] })
      expect(await to.list()).toEqual(await from.list())
      for (const [one, bytes] of entries) expect(Buffer.from(await to.read(one)).equals(bytes)).toBe(true)
      expect(imported.files.map(({ path, sizeBytes }) => ({ path, sizeBytes }))).toEqual(await from.list())
    }),
    { numRuns: 60 },
  )
})

async function* cut(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  // The same buffer each time, as some sources do.
  const buffer = new Uint8Array(pieceBytes)
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    const piece = bytes.subarray(start, start + pieceBytes)
    buffer.set(piece)
    yield buffer.subarray(0, piece.length)
  }
}

test.each(FORMATS)('the same files give the same %s, whenever it is made', async (format) => {
  const files = await memoryFiles()
  await files.write({ 'b.txt': 'b', 'a/ü.txt': 'a', empty: '' })
  const once = await collectBytes(exportArchive(files, { format }))
  expect(await collectBytes(exportArchive(files, { format }))).toEqual(once)
})

test.each(FORMATS)('a large file streams through a %s, and its hash is told', async (format) => {
  const bytes = randomBytes(9 * 1024 ** 2)
  const from = await memoryFiles()
  await from.write({ 'large.bin': bytes, 'small.txt': 'small' })
  const to = await memoryFiles()
  const { files } = await importArchive(to, exportArchive(from, { format }))
  expect(files).toEqual([
    {
      path: 'large.bin',
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      executable: false,
    },
    {
      path: 'small.txt',
      sizeBytes: 5,
      sha256: createHash('sha256').update('small').digest('hex'),
      executable: false,
    },
  ])
  expect(Buffer.from(await to.read('large.bin')).equals(bytes)).toBe(true)
})

test('an export takes the files and folders named, without those filtered out', async () => {
  const files = await memoryFiles()
  await files.write({ 'a/1.txt': '1', 'a/2.log': '2', 'ab.txt': '3', 'c/d/e.txt': '4', 'f.txt': '5' })
  const to = await memoryFiles()
  const archive = exportArchive(files, {
    format: 'tar',
    paths: ['a', 'c/d/', 'f.txt', './a/1.txt'],
    filter: ({ path }) => !path.endsWith('.log'),
  })
  await importArchive(to, archive, { into: 'copy' })
  expect((await to.list()).map(({ path }) => path)).toEqual(['copy/a/1.txt', 'copy/c/d/e.txt', 'copy/f.txt'])
})

test('an export of nothing is an archive of nothing, and a path that is not there an error', async () => {
  const files = await memoryFiles()
  for (const format of FORMATS) {
    const imported = await importArchive(files, exportArchive(files, { format }))
    expect(imported).toEqual({ format, files: [], skipped: [] })
  }
  await expect(collectBytes(exportArchive(files, { paths: ['gone.txt'] }))).rejects.toMatchObject({
    code: 'FILE_UNAVAILABLE',
    details: { path: 'gone.txt' },
  })
  await expect(collectBytes(exportArchive(files, { paths: ['../x'] }))).rejects.toMatchObject({
    code: 'PATH_REFUSED',
  })
  expect(() => exportArchive(files, { format: 'rar' as 'zip' })).toThrow(/"format".*"zip", "tar", "tar.gz"/)
})
