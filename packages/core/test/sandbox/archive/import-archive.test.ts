import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { WorkspaceFiles } from '../../../src/contract/workspace-files.js'
import { exportArchive } from '../../../src/sandbox/archive/export-archive.js'
import { importArchive } from '../../../src/sandbox/archive/import-archive.js'
import { collectBytes } from '../../../src/sandbox/archive/pieces.js'
import { makeTar, paxRecords } from './make-tar.js'
import { makeZip } from './make-zip.js'
import { memoryFiles } from './memory-files.js'

const spooled = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('mendloop-archive-'))

test('what macOS adds is skipped and told, and so is a folder with nothing in it', async () => {
  const entries = [
    'project/',
    'project/empty/',
    'project/.DS_Store',
    'project/a.txt',
    '__MACOSX/project/._a.txt',
  ]
  const files = await memoryFiles()
  const zip = await importArchive(files, makeZip(entries.map((name) => ({ name }))))
  expect(zip.files.map(({ path }) => path)).toEqual(['project/a.txt'])
  expect(zip.skipped).toEqual([
    { entry: 'project/.DS_Store', reason: 'system-file' },
    { entry: '__MACOSX/project/._a.txt', reason: 'system-file' },
    { entry: 'project/empty/', reason: 'empty-folder' },
  ])
  const tar = await importArchive(
    files,
    makeTar([{ name: './', type: '5' }, ...entries.map((name) => ({ name }))]),
  )
  expect(tar.skipped).toEqual(zip.skipped)
})

test('a program is told to be one, since a workspace does not keep the mark', async () => {
  const files = await memoryFiles()
  const zip = makeZip([{ name: 'run.sh', mode: 0o100755 }, { name: 'data' }])
  const tar = makeTar([{ name: 'run.sh', mode: '0000755' }, { name: 'data' }])
  for (const archive of [zip, tar]) {
    const { files: imported } = await importArchive(files, archive)
    expect(imported.map(({ path, executable }) => [path, executable])).toEqual([
      ['data', false],
      ['run.sh', true],
    ])
  }
})

test('names in UTF-8 are read with and without the mark, names of DOS by its table', async () => {
  const files = await memoryFiles()
  await importArchive(
    files,
    makeZip([
      { name: 'marked-✓.txt' },
      { name: 'unmarked-✓.txt', flags: 0 },
      { name: Buffer.from([0x64, 0x6f, 0x73, 0x81]), flags: 0 },
    ]),
  )
  expect((await files.list()).map(({ path }) => path)).toEqual(['dosü', 'marked-✓.txt', 'unmarked-✓.txt'])
})

test('a name that one of tar’s dialects spells out wins over the short one', async () => {
  const long = `${'folder/'.repeat(20)}${'n'.repeat(150)}.txt`
  const files = await memoryFiles()
  await importArchive(
    files,
    makeTar([
      { name: 'pax_global_header', type: 'g', content: paxRecords({ comment: 'of git' }) },
      { name: '././@LongLink', type: 'L', content: `${long}\0` },
      { name: 'short', content: 'gnu' },
      {
        name: 'PaxHeader/x',
        type: 'x',
        content: paxRecords({ path: 'ü/pax.txt', size: '3', 'SCHILY.xattr.a': '=\n' }),
      },
      { name: 'short', content: 'pax' },
      { name: 'plain', content: 'old' },
    ]),
  )
  expect((await files.list()).map(({ path }) => path)).toEqual([long, 'plain', 'ü/pax.txt'])
  expect(await files.readText(long)).toBe('gnu')
})

test('a source may be a Node stream, a web stream or an array; anything else is misuse', async () => {
  const bytes = makeZip([{ name: 'a.txt', content: 'a' }])
  const web = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })
  for (const source of [bytes, new Uint8Array(bytes), Readable.from([bytes]), web]) {
    const files = await memoryFiles()
    await importArchive(files, source as Uint8Array)
    expect(await files.readText('a.txt')).toBe('a')
  }
  const misuse = { code: 'INVALID_OPTION', details: { option: 'source' } }
  const files = await memoryFiles()
  for (const source of ['text', undefined, null, 7, [bytes], Readable.from(['text'])])
    await expect(importArchive(files, source as unknown as Uint8Array)).rejects.toMatchObject(misuse)
  await expect(importArchive(files, 'a.zip' as never)).rejects.toThrow('createReadStream(path) of node:fs')
  await expect(importArchive({ files } as never, bytes)).rejects.toThrow('give its files, sandbox.files')
  const limit = importArchive(files, bytes, { limits: { filse: 3 } as object })
  await expect(limit).rejects.toThrow(/unknown option "limits.filse"; did you mean "limits.files"\?/)
})

test('what stands in the way in the workspace is found before anything is written', async () => {
  const files = await memoryFiles()
  await files.write({ 'a/b': 'file in a folder', c: 'file' })
  const before = await files.list()
  for (const name of ['a', 'c/d'])
    await expect(importArchive(files, makeZip([{ name: 'first' }, { name }]))).rejects.toMatchObject({
      code: 'PATH_REFUSED',
      details: { path: name },
    })
  expect(await files.list()).toEqual(before)
  for (const into of ['../x', '/x', '', `${'n'.repeat(250)}/`.repeat(13)]) {
    const refused = importArchive(files, makeZip([{ name: 'first' }]), { into })
    await expect(refused).rejects.toMatchObject({ code: 'PATH_REFUSED' })
  }
})

/** A workspace that is full after so many writes. */
function fullAfter(files: WorkspaceFiles, writes: number): WorkspaceFiles {
  let left = writes
  const take = (): void => {
    if (left-- === 0) throw new Error('no space left')
  }
  return {
    ...files,
    async write(contents) {
      take()
      await files.write(contents)
    },
    async writeStream(path, content) {
      take()
      await files.writeStream?.(path, content)
    },
  }
}

test('when the workspace is full, what was new is taken back and what was there stays', async () => {
  const files = await memoryFiles()
  await files.write({ 'kept.txt': 'kept' })
  const large = Buffer.alloc(2 * 1024 ** 2, 'text ')
  const archive = makeZip([1, 2, 3].map((index) => ({ name: `new/${index}`, content: large, method: 0 })))
  await expect(importArchive(fullAfter(files, 2), archive)).rejects.toThrow('no space left')
  expect(await files.list()).toEqual([{ path: 'kept.txt', sizeBytes: 4 }])
})

test('a sandbox that cannot stream gets whole files', async () => {
  const files = await memoryFiles()
  const { readStream, writeStream, readRange, ...plain } = files
  expect([readStream, writeStream, readRange]).not.toContain(undefined)
  const large = Buffer.alloc(3 * 1024 ** 2, 'text ')
  await importArchive(plain, makeZip([{ name: 'large', content: large }]))
  const copy = await memoryFiles()
  await importArchive(copy, exportArchive(plain))
  expect(Buffer.from(await copy.read('large')).equals(large)).toBe(true)
})

test('an abort ends an import at once, also while its source says nothing, and lets the source and the file go', async () => {
  const files = await memoryFiles()
  const controller = new AbortController()
  let released = false
  const silent: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () =>
      ({
        pieces: 8,
        async next() {
          if (this.pieces-- > 0) return { done: false, value: new Uint8Array(1024 ** 2) }
          controller.abort()
          return new Promise(() => undefined)
        },
        async return() {
          released = true
          return { done: true, value: undefined }
        },
      }) as AsyncIterator<Uint8Array> & { pieces: number },
  }
  const imported = importArchive(files, silent, { signal: controller.signal })
  await expect(imported).rejects.toMatchObject({ code: 'ABORTED' })
  expect(released).toBe(true)
  expect(spooled()).toEqual([])
  await expect(importArchive(files, makeZip([]), { signal: controller.signal })).rejects.toMatchObject({
    code: 'ABORTED',
  })
  const exported = collectBytes(exportArchive(files, { signal: controller.signal }))
  await expect(exported).rejects.toMatchObject({ code: 'ABORTED' })
})

test('what a source throws is thrown as it is', async () => {
  const broken = async function* () {
    yield makeZip([]).subarray(0, 5)
    throw new RangeError('the connection was reset')
  }
  await expect(importArchive(await memoryFiles(), broken())).rejects.toThrow(RangeError)
})

test.each(['zip', 'tar', 'tar.gz'] as const)(
  'an export of a %s that nobody finishes lets its file go',
  async (format) => {
    const files = await memoryFiles()
    await files.write({ 'a.bin': 'x', 'b.bin': 'y' })
    let open = 0
    const watched: WorkspaceFiles = {
      ...files,
      async *readStream(path) {
        open++
        try {
          while (true) yield Buffer.from(`${path}${Math.random()}`.repeat(4000))
        } finally {
          open--
        }
      },
      list: async () => [{ path: 'a.bin', sizeBytes: 1e9 }],
    }
    for await (const piece of exportArchive(watched, { format })) if (piece.length > 512) break
    await expect.poll(() => open).toBe(0)
  },
)

test.each(['zip', 'tar', 'tar.gz'] as const)(
  'a file that changes while it is packed into a %s is an error',
  async (format) => {
    const files = await memoryFiles()
    await files.write({ 'a.txt': 'abc', 'b.txt': 'abc' })
    for (const sizeBytes of [2, 4]) {
      const lying = {
        ...files,
        list: async () => [
          { path: 'a.txt', sizeBytes },
          { path: 'b.txt', sizeBytes: 3 },
        ],
      }
      await expect(collectBytes(exportArchive(lying, { format }))).rejects.toMatchObject({
        code: 'FILE_UNAVAILABLE',
        details: { path: 'a.txt', reason: 'was changed while it was packed' },
      })
    }
    const gone = { ...files, list: async () => [{ path: 'gone.txt', sizeBytes: 1 }] }
    await expect(collectBytes(exportArchive(gone, { format }))).rejects.toMatchObject({
      code: 'FILE_UNAVAILABLE',
    })
  },
)
