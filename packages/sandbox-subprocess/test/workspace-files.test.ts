import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSandbox } from './helpers/open-sandbox.js'

/** A folder outside of any sandbox, with one secret in it. */
async function outsideFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'outside-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'secret.txt'), 'secret')
  return folder
}

test('what is written reads back byte for byte, in any name', async () => {
  const { files } = await openSandbox()
  const binary = Uint8Array.from({ length: 256 }, (_, index) => index)
  await files.write({
    'a/b/../c.txt': 'text',
    'ünï/✓ 世界.bin': binary,
    empty: '',
    'big.bin': new Uint8Array(3_000_000).fill(7),
  })
  expect(await files.readText('a/c.txt')).toBe('text')
  expect(await files.read('ünï/✓ 世界.bin')).toEqual(binary)
  expect(await files.read('empty')).toEqual(new Uint8Array(0))
  expect((await files.read('big.bin')).every((byte) => byte === 7)).toBe(true)
  expect(await files.list()).toEqual([
    { path: 'a/c.txt', sizeBytes: 4 },
    { path: 'big.bin', sizeBytes: 3_000_000 },
    { path: 'empty', sizeBytes: 0 },
    { path: 'ünï/✓ 世界.bin', sizeBytes: 256 },
  ])
  expect(await files.stat('a/c.txt')).toEqual({ path: 'a/c.txt', sizeBytes: 4 })
  expect(await files.stat('a')).toBeUndefined()
  expect(await files.stat('nothing/here')).toBeUndefined()
})

test.each([
  '../escape.txt',
  'ok/../../escape.txt',
  '/tmp/escape.txt',
  '..\\escape.txt',
  '',
  '.',
  'nul\0byte.txt',
  'link/inside.txt',
  'link',
  'deep/link/x',
  'file/x',
  'folder',
])('a set of files with the path %j is refused whole', async (path) => {
  const outside = await outsideFolder()
  const { files, workdir } = await openSandbox()
  await files.write({ file: 'old', 'folder/kept': 'old', 'deep/kept': 'old' })
  await symlink(outside, join(workdir, 'link'))
  await symlink('..', join(workdir, 'deep/link'))
  await expect(files.write({ 'before.txt': 'x', [path]: 'x', 'zz/after.txt': 'x' })).rejects.toMatchObject({
    code: 'PATH_REFUSED',
  })
  expect((await readdir(workdir)).sort()).toEqual(['deep', 'file', 'folder', 'link'])
  expect(await readdir(outside)).toEqual(['secret.txt'])
  expect(await readdir(join(workdir, '..'))).toEqual(['home', 'tmp', 'work'])
})

test('reading never follows a link, never waits for a pipe, and never hands out a file of the host', async () => {
  const outside = await outsideFolder()
  const { files, workdir } = await openSandbox()
  await symlink(join(outside, 'secret.txt'), join(workdir, 'link.txt'))
  await symlink(outside, join(workdir, 'folder'))
  await link(join(outside, 'secret.txt'), join(workdir, 'hard.txt'))
  await mkdir(join(workdir, 'real'))
  const unavailable = { code: 'FILE_UNAVAILABLE' }
  await expect(files.read('link.txt')).rejects.toMatchObject(unavailable)
  await expect(files.read('hard.txt')).rejects.toMatchObject(unavailable)
  await expect(files.read('real')).rejects.toMatchObject(unavailable)
  await expect(files.read('missing.txt')).rejects.toMatchObject(unavailable)
  await expect(files.read('missing/too.txt')).rejects.toMatchObject(unavailable)
  await expect(files.read('folder/secret.txt')).rejects.toMatchObject({ code: 'PATH_REFUSED' })
  await expect(files.stat('folder/secret.txt')).rejects.toMatchObject({ code: 'PATH_REFUSED' })
  await expect(files.remove('folder/secret.txt')).rejects.toMatchObject({ code: 'PATH_REFUSED' })
  await files.remove('folder')
  expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret')
})

test('a named pipe and a socket are no files', async () => {
  const sandbox = await openSandbox()
  await sandbox.exec([
    'python3',
    '-c',
    'import os, socket; os.mkfifo("pipe"); socket.socket(socket.AF_UNIX).bind("sock")',
  ])
  for (const path of ['pipe', 'sock'])
    await expect(sandbox.files.read(path)).rejects.toMatchObject({ code: 'FILE_UNAVAILABLE' })
  await expect(sandbox.files.write({ pipe: 'x' })).rejects.toMatchObject({ code: 'PATH_REFUSED' })
  expect(await sandbox.files.list()).toEqual([])
})

test('writing over a hard link leaves the other name alone, and over a script leaves it executable', async () => {
  const outside = await outsideFolder()
  const sandbox = await openSandbox()
  await link(join(outside, 'secret.txt'), join(sandbox.workdir, 'hard.txt'))
  await sandbox.files.write({ 'hard.txt': 'mine', 'run.sh': '#!/bin/sh\necho one' })
  expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret')
  await sandbox.exec('chmod +x run.sh')
  await sandbox.files.write({ 'run.sh': '#!/bin/sh\necho two' })
  expect((await sandbox.exec(['./run.sh'])).stdout.text).toBe('two\n')
})

test('removing takes a file or a whole folder, whatever its rights, and nothing is no error', async () => {
  const sandbox = await openSandbox()
  await sandbox.files.write({ 'a/b/c.txt': '1', 'a/d.txt': '2', e: '3' })
  await sandbox.exec('chmod 000 a/b; chmod 500 a')
  await sandbox.files.remove('a')
  await sandbox.files.remove('e')
  await sandbox.files.remove('never/was')
  expect(await sandbox.files.list()).toEqual([])
  await expect(sandbox.files.remove('.')).rejects.toMatchObject({ code: 'PATH_REFUSED' })
})
