// Promises about the files of a workspace, without any program.
import type { FileEntry } from '../../../contract/workspace-files.js'
import { everyByte, sameBytes } from '../bytes.js'
import type { ConformanceCase } from '../conformance-case.js'
import { ensure, equal, refused } from '../expectations.js'

const group = 'files'
const needs = 'nothing'
const MANY = 3_000
const ODD_NAMES = [
  'with space.txt',
  'ünï/世界/🎉.txt',
  '-dash',
  'quote\'s "two".txt',
  'a/b/c/d/e/f/g/h/deep',
  '.hidden',
  'line\nbreak',
]

const OUTSIDE = [
  '../escape',
  'a/../../escape',
  '/escape',
  '/etc/passwd',
  '..\\escape',
  'a\\b',
  'C:/escape',
  'nul\0byte',
  '',
  '.',
  '..',
  'a/..',
]

const inOrder = (entries: readonly FileEntry[]): FileEntry[] =>
  [...entries].sort((a, b) => (a.path < b.path ? -1 : 1))

export const fileCases: readonly ConformanceCase[] = [
  {
    name: 'begins with an empty workspace of its own',
    group,
    needs,
    async check({ open }) {
      const [one, two] = [await open(), await open()]
      equal(await one.files.list(), [], 'the files of a new sandbox')
      ensure(one.id !== two.id, `two sandboxes have the id ${one.id}`)
      ensure(
        one.workdir.startsWith('/') || /^[A-Za-z]:/.test(one.workdir),
        `workdir is not absolute: ${one.workdir}`,
      )
      await one.files.write({ 'mine.txt': 'x' })
      equal(await two.files.list(), [], 'the files of the other sandbox')
    },
  },
  {
    name: 'gives back every byte that was written, and text as UTF-8',
    group,
    needs,
    async check({ open }) {
      const { files } = await open()
      await files.write({ 'bytes.bin': everyByte, 'text.txt': 'ünï 世界 🎉\r\n', empty: '' })
      sameBytes(await files.read('bytes.bin'), everyByte, 'a file of all bytes')
      equal(await files.readText('text.txt'), 'ünï 世界 🎉\r\n', 'a text')
      equal((await files.read('empty')).length, 0, 'the length of an empty file')
    },
  },
  {
    name: 'takes names with spaces, in any script and in deep folders',
    group,
    needs,
    async check({ open }) {
      const { files } = await open()
      await files.write(Object.fromEntries(ODD_NAMES.map((name) => [name, name])))
      for (const name of ODD_NAMES)
        equal(await files.readText(name), name, `the file ${JSON.stringify(name)}`)
      const expected = ODD_NAMES.map((path) => ({ path, sizeBytes: Buffer.byteLength(path) }))
      equal(await files.list(), inOrder(expected), 'the list of files')
    },
  },
  {
    name: 'lists three thousand files, sorted',
    group,
    needs,
    async check({ open }) {
      const { files } = await open()
      const paths = Array.from({ length: MANY }, (_, index) => `folder-${index % 30}/file-${index}.txt`)
      await files.write(Object.fromEntries(paths.map((path) => [path, path])))
      const expected = paths.map((path) => ({ path, sizeBytes: path.length }))
      equal(await files.list(), inOrder(expected), 'the list of files')
      equal(await files.readText(paths.at(-1) ?? ''), paths.at(-1), 'the last one')
    },
  },
  {
    name: 'writes over a file that is there, shorter or longer',
    group,
    needs,
    async check({ open }) {
      const { files } = await open()
      for (const content of ['a long first text', 'short', 'a longer text than the one before it']) {
        await files.write({ 'file.txt': content })
        equal(await files.readText('file.txt'), content, 'the file written anew')
      }
    },
  },
  {
    name: 'tells the size of a file, and nothing of what is no file',
    group,
    needs,
    async check({ open }) {
      const { files } = await open()
      await files.write({ 'a/b.txt': 'four' })
      equal(await files.stat('a/b.txt'), { path: 'a/b.txt', sizeBytes: 4 }, 'a file')
      equal(
        await files.stat('a/../a/./b.txt'),
        { path: 'a/b.txt', sizeBytes: 4 },
        'the same file by another name',
      )
      for (const path of ['a', 'missing', 'a/missing', 'missing/too'])
        equal(await files.stat(path), undefined, `stat(${JSON.stringify(path)})`)
    },
  },
  {
    name: 'says that a file is not there, or is a folder, when it is read',
    group,
    needs,
    async check({ open }) {
      const { files } = await open()
      await files.write({ 'folder/file': 'x' })
      for (const path of ['missing', 'missing/too', 'folder']) {
        await refused(`read(${JSON.stringify(path)})`, 'FILE_UNAVAILABLE', () => files.read(path))
        await refused(`readText(${JSON.stringify(path)})`, 'FILE_UNAVAILABLE', () => files.readText(path))
      }
    },
  },
  {
    name: 'removes a file or a whole folder, and what is not there is no error',
    group,
    needs,
    async check({ open }) {
      const { files } = await open()
      await files.write({ 'a/b/c': '1', 'a/d': '2', ab: '3', e: '4' })
      await files.remove('a')
      await files.remove('e')
      await files.remove('never/was')
      equal(await files.list(), [{ path: 'ab', sizeBytes: 1 }], 'what is left')
    },
  },
  {
    name: 'refuses to write a path that leaves the workspace, and writes none of the files beside it',
    group,
    needs,
    async check({ open }) {
      const { files } = await open()
      await files.write({ kept: 'old' })
      for (const path of [...OUTSIDE, 'kept/below', 'ends-in-slash/'])
        await refused(`write() to ${JSON.stringify(path)}`, 'PATH_REFUSED', () =>
          files.write({ 'before.txt': 'x', [path]: 'x', 'zz-after.txt': 'x', kept: 'new' }),
        )
      equal(await files.list(), [{ path: 'kept', sizeBytes: 3 }], 'the files after writes that were refused')
      equal(await files.readText('kept'), 'old', 'the file that was there')
    },
  },
  {
    name: 'refuses to read, look at or remove a path that leaves the workspace',
    group,
    needs,
    async check({ open }) {
      const { files } = await open()
      for (const path of OUTSIDE) {
        const name = JSON.stringify(path)
        await refused(`read(${name})`, 'PATH_REFUSED', () => files.read(path))
        await refused(`stat(${name})`, 'PATH_REFUSED', () => files.stat(path))
        await refused(`remove(${name})`, 'PATH_REFUSED', () => files.remove(path))
      }
    },
  },
]
