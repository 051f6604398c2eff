import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sandbox, WorkspaceFiles } from '@mendloop/core'
import { expect, onTestFinished, test } from 'vitest'
import { onLinux } from '../../core/test/helpers/requires.js'
import { openSandbox } from './helpers/open-sandbox.js'

type StreamingFiles = Required<WorkspaceFiles>

/** A sandbox whose files stream, as they all do here. */
async function open(): Promise<Sandbox & { readonly files: StreamingFiles }> {
  return (await openSandbox()) as Sandbox & { readonly files: StreamingFiles }
}

async function gather(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

async function* inPieces(...pieces: readonly (Uint8Array | string)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece)
}

const LARGE = randomBytes(1_500_000)

test('what streams in streams out, and any range of it can be had', async () => {
  const { files } = await open()
  await files.writeStream('ünï/large.bin', inPieces(LARGE.subarray(0, 7), LARGE.subarray(7)))
  await files.writeStream('empty', inPieces())
  // All pieces are kept until the end: none may be used again for the next.
  expect((await gather(files.readStream('ünï/large.bin'))).equals(LARGE)).toBe(true)
  expect(await gather(files.readStream('empty'))).toEqual(Buffer.alloc(0))
  const range = async (offset: number, length: number) =>
    Buffer.from(await files.readRange('ünï/large.bin', { offset, length }))
  expect((await range(1_000_000, 400_000)).equals(LARGE.subarray(1_000_000, 1_400_000))).toBe(true)
  expect((await range(1_499_990, 400)).equals(LARGE.subarray(1_499_990))).toBe(true)
  expect(await range(1_500_000, 10)).toEqual(Buffer.alloc(0))
  expect(await range(9e15, 9e15)).toEqual(Buffer.alloc(0))
  expect(await range(5, 0)).toEqual(Buffer.alloc(0))
})

test.each([
  { offset: -1, length: 1 },
  { offset: 0, length: 0.5 },
  { offset: 0, length: Number.NaN },
])('a range of %j is refused', async (range) => {
  const { files } = await open()
  await files.write({ a: 'a' })
  await expect(files.readRange('a', range)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
})

test('links, folders, pipes and files with a second name are read in no other way either', async () => {
  const { files, workdir } = await open()
  const outside = await mkdtemp(join(tmpdir(), 'outside-'))
  onTestFinished(() => rm(outside, { recursive: true }))
  await writeFile(join(outside, 'secret.txt'), 'secret')
  await symlink(join(outside, 'secret.txt'), join(workdir, 'link.txt'))
  await symlink(outside, join(workdir, 'folder'))
  await link(join(outside, 'secret.txt'), join(workdir, 'hard.txt'))
  await mkdir(join(workdir, 'real'))
  for (const path of ['link.txt', 'hard.txt', 'real', 'missing', 'missing/too']) {
    const unavailable = { code: 'FILE_UNAVAILABLE', details: { path } }
    await expect(files.readRange(path, { offset: 0, length: 9 })).rejects.toMatchObject(unavailable)
    await expect(gather(files.readStream(path))).rejects.toMatchObject(unavailable)
  }
  const refused = { code: 'PATH_REFUSED' }
  await expect(files.readRange('folder/secret.txt', { offset: 0, length: 9 })).rejects.toMatchObject(refused)
  await expect(gather(files.readStream('folder/secret.txt'))).rejects.toMatchObject(refused)
  let asked = false
  const content = async function* () {
    asked = true
    yield Buffer.from('x')
  }
  for (const path of ['folder/new', 'link.txt', 'real', 'real/', '../x', '/x', '.'])
    await expect(files.writeStream(path, content())).rejects.toMatchObject(refused)
  expect(asked).toBe(false)
  expect(await readdir(outside)).toEqual(['secret.txt'])
  expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret')
})

test('a streamed file appears when it is complete, and not at all when its source throws', async () => {
  const { files, workdir } = await open()
  await files.write({ 'old.txt': 'old' })
  const broken = async function* () {
    yield Buffer.from('new')
    expect(await files.list()).toEqual([{ path: 'old.txt', sizeBytes: 3 }])
    throw new RangeError('the connection was reset')
  }
  for (const path of ['old.txt', 'new.txt', 'a/b/new.txt'])
    await expect(files.writeStream(path, broken())).rejects.toThrow(RangeError)
  const text = async function* () {
    yield 'text' as unknown as Uint8Array
  }
  await expect(files.writeStream('old.txt', text())).rejects.toThrow(/must give pieces that are Uint8Arrays/)
  for (const content of [undefined, 'text', [Buffer.from('x')]])
    await expect(files.writeStream('old.txt', content as never)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    })
  expect(await files.readText('old.txt')).toBe('old')
  expect(await readdir(workdir)).toEqual(['old.txt'])
  expect(await readdir(join(workdir, '..'))).toEqual(['home', 'tmp', 'work'])
})

test.runIf(onLinux('open descriptors'))(
  'the descriptor is let go when a reader stops early, or its sandbox is closed',
  async () => {
    const sandbox = await open()
    await sandbox.files.write({ 'large.bin': LARGE })
    const openHere = (): number => readdirSync('/proc/self/fd').length
    const before = openHere()
    for await (const piece of sandbox.files.readStream('large.bin')) {
      expect(piece.length).toBeGreaterThan(0)
      expect(openHere()).toBe(before + 1)
      break
    }
    expect(openHere()).toBe(before)
    const reader = sandbox.files.readStream('large.bin')[Symbol.asyncIterator]()
    await reader.next()
    await sandbox.close()
    await expect(reader.next()).rejects.toMatchObject({ code: 'SANDBOX_CLOSED' })
    expect(openHere()).toBeLessThanOrEqual(before)
  },
)

test('closing the sandbox ends a write under way, and its source with it', async () => {
  const sandbox = await open()
  let released = false
  const content = async function* () {
    try {
      yield Buffer.from('first')
      await sandbox.close()
      yield Buffer.from('second')
    } finally {
      released = true
    }
  }
  await expect(sandbox.files.writeStream('a.txt', content())).rejects.toMatchObject({
    code: 'SANDBOX_CLOSED',
  })
  expect(released).toBe(true)
  for (const call of [
    () => sandbox.files.readRange('a.txt', { offset: 0, length: 1 }),
    () => gather(sandbox.files.readStream('a.txt')),
    () => sandbox.files.writeStream('a.txt', inPieces('x')),
  ])
    await expect(call()).rejects.toMatchObject({ code: 'SANDBOX_CLOSED' })
})

test('what the host streamed in is no change of a program, and what a program does to it is one', async () => {
  const sandbox = await open()
  await sandbox.files.writeStream('a.csv', inPieces('a,b\n', '1,2\n'))
  await sandbox.files.writeStream('run.sh', inPieces('#!/bin/sh\necho one\n'))
  expect((await sandbox.exec('chmod +x run.sh; cat a.csv')).changes).toEqual([])
  await sandbox.files.writeStream('run.sh', inPieces('#!/bin/sh\necho two\n'))
  const same = await sandbox.exec("./run.sh; printf 'a,b\\n1,2\\n' > copy && mv copy a.csv")
  expect(same.stdout.text).toBe('two\n')
  expect(same.changes).toEqual([])
  const { changes } = await sandbox.exec('echo 3,4 >> a.csv; rm run.sh')
  expect(changes.map(({ path, kind }) => [path, kind])).toEqual([
    ['a.csv', 'modified'],
    ['run.sh', 'deleted'],
  ])
})
