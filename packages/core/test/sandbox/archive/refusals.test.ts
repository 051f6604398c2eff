import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { ArchiveRefusalReason } from '../../../src/contract/errors.js'
import { type ImportArchiveOptions, importArchive } from '../../../src/sandbox/archive/import-archive.js'
import { makeTar, paxRecords, type TarEntry, tarBlocks } from './make-tar.js'
import { makeZip, numbers, type ZipEntry } from './make-zip.js'
import { memoryFiles } from './memory-files.js'

const GOOD = { name: 'first.txt', content: 'first' }
const ZEROS = Buffer.alloc(11 * 1024 ** 2)

/** The archive is refused for this reason, names the entry, and leaves the workspace as it was. */
async function expectRefusal(
  archive: Uint8Array,
  reason: ArchiveRefusalReason,
  entry: string | undefined,
  options: ImportArchiveOptions = {},
): Promise<void> {
  const files = await memoryFiles()
  await files.write({ 'kept.txt': 'kept' })
  await expect(importArchive(files, archive, options)).rejects.toMatchObject({
    code: 'ARCHIVE_REFUSED',
    message: expect.stringMatching(/Nothing was written\. [A-Z]/),
    details: entry === undefined ? { reason } : { reason, entry },
  })
  expect(await files.list()).toEqual([{ path: 'kept.txt', sizeBytes: 4 }])
}

const NAMES: readonly [name: string, reason: ArchiveRefusalReason][] = [
  ['../escape.txt', 'bad-name'],
  ['a/../../escape.txt', 'bad-name'],
  ['a/../b.txt', 'bad-name'],
  ['..', 'bad-name'],
  ['/etc/passwd', 'bad-name'],
  ['//host/share', 'bad-name'],
  ['C:/windows.txt', 'bad-name'],
  ['c:windows.txt', 'bad-name'],
  ['a\\b.txt', 'bad-name'],
  ['..\\escape.txt', 'bad-name'],
  ['first.txt', 'conflict'],
  ['./first.txt', 'conflict'],
  ['FIRST.txt', 'conflict'],
  ['first.txt/inside', 'conflict'],
  ['First.txt/inside', 'conflict'],
  ['first.txt/', 'conflict'],
]

describe('a name that a workspace should not hold is refused before anything is written', () => {
  test.each(NAMES)('%j in a zip', (name, reason) => expectRefusal(makeZip([GOOD, { name }]), reason, name))
  test.each(NAMES)('%j in a tar', (name, reason) =>
    expectRefusal(
      makeTar([GOOD, { name: 'pax', type: 'x', content: paxRecords({ path: name }) }, { name: 'short' }]),
      reason,
      name,
    ),
  )
  test('a NUL', async () => {
    await expectRefusal(makeZip([GOOD, { name: 'a\0.txt' }]), 'bad-name', 'a\0.txt')
    const pax = { name: 'pax', type: 'x', content: paxRecords({ path: 'a\0.txt' }) }
    await expectRefusal(makeTar([GOOD, pax, { name: 'short' }]), 'bad-name', 'a\0.txt')
  })
  test('a name too long, or a path too long or too deep', async () => {
    for (const name of [`${'n'.repeat(256)}/x`, `${'d/'.repeat(40)}x`, `${'n'.repeat(200)}/`.repeat(6)]) {
      await expectRefusal(makeZip([GOOD, { name }]), 'bad-name', name)
      const pax = { name: 'pax', type: 'x', content: paxRecords({ path: name }) }
      await expectRefusal(makeTar([GOOD, pax, { name: 'short' }]), 'bad-name', name)
    }
  })
  test('bytes that are no text', async () => {
    await expectRefusal(makeZip([{ name: Buffer.from([0x61, 0xff]) }]), 'bad-name', 'a\ufffd')
    await expectRefusal(makeTar([{ name: Buffer.from([0x61, 0xff]) }]), 'bad-name', 'a\ufffd')
  })
  test('a file after the folder that it would have to be', async () => {
    await expectRefusal(makeZip([{ name: 'a/b' }, { name: 'a' }]), 'conflict', 'a')
    await expectRefusal(makeZip([{ name: 'é/b' }, { name: 'É' }]), 'conflict', 'É')
    await expectRefusal(makeTar([{ name: 'a/b' }, { name: 'a' }]), 'conflict', 'a')
    await expectRefusal(makeTar([{ name: 'a/', type: '5' }, { name: 'A' }]), 'conflict', 'A')
  })
})

describe('what is neither file nor folder is refused', () => {
  const modes: [string, number, ArchiveRefusalReason][] = [
    ['a symbolic link', 0o120777, 'link'],
    ['a pipe', 0o010644, 'special-file'],
    ['a device', 0o060644, 'special-file'],
    ['a socket', 0o140644, 'special-file'],
  ]
  test.each(modes)('%s in a zip', (_kind, mode, reason) =>
    expectRefusal(makeZip([GOOD, { name: 'odd', content: '/etc/passwd', mode }]), reason, 'odd'),
  )

  const types: [string, string, ArchiveRefusalReason][] = [
    ['a hard link', '1', 'link'],
    ['a symbolic link', '2', 'link'],
    ['a character device', '3', 'special-file'],
    ['a block device', '4', 'special-file'],
    ['a pipe', '6', 'special-file'],
    ['a sparse file', 'S', 'unsupported'],
    ['a part of another volume', 'M', 'unsupported'],
  ]
  test.each(types)('%s in a tar', (_kind, type, reason) =>
    expectRefusal(makeTar([GOOD, { name: 'odd', type, link: '/etc/passwd' }]), reason, 'odd'),
  )

  test('a sparse file of the newer kind', () => {
    const pax = { name: 'pax', type: 'x', content: paxRecords({ 'GNU.sparse.major': '1' }) }
    return expectRefusal(makeTar([pax, { name: 'odd' }]), 'unsupported', 'odd')
  })
})

describe('a zip whose two lists disagree, or that is damaged, is refused', () => {
  const entry = { name: 'a.txt', content: 'some content, some content' }
  const extra = (data: Buffer) => Buffer.concat([numbers([1, 2], [data.length, 2]), data])
  const wrong: [string, ZipEntry, ArchiveRefusalReason][] = [
    ['another name before the content', { ...entry, local: { name: 'b.txt' } }, 'corrupt'],
    ['another method before the content', { ...entry, local: { method: 0 } }, 'corrupt'],
    ['another size before the content', { ...entry, local: { unpacked: 1 } }, 'corrupt'],
    ['a wrong checksum', { ...entry, listed: { crc: 1 }, local: { crc: 1 } }, 'corrupt'],
    ['a size too small', { ...entry, listed: { unpacked: 5 }, local: { unpacked: 5 } }, 'corrupt'],
    ['a size too large', { ...entry, listed: { unpacked: 99 }, local: { unpacked: 99 } }, 'corrupt'],
    [
      'a packed size beyond the end',
      { ...entry, listed: { packed: 9999 }, local: { packed: 9999 } },
      'corrupt',
    ],
    ['an offset into nowhere', { ...entry, listed: { offset: 7 } }, 'corrupt'],
    [
      'a zip64 field without numbers',
      { ...entry, listed: { unpacked: 0xffffffff }, extra: extra(Buffer.alloc(0)) },
      'corrupt',
    ],
    ['a password', { ...entry, flags: 0x0801 }, 'encrypted'],
    ['a password in the list alone', { ...entry, listed: { flags: 1 } }, 'encrypted'],
    ['a method that nobody knows', { ...entry, method: 99 }, 'unsupported'],
    ['a patch', { ...entry, flags: 0x0820 }, 'unsupported'],
  ]
  test.each(wrong)('%s', (_what, bad, reason) => {
    const expected = bad.extra === undefined ? 'a.txt' : undefined
    return expectRefusal(makeZip([GOOD, bad]), reason, expected)
  })
  test('entries that share their bytes', async () => {
    const twin = { ...entry, name: 'b.txt', local: { name: 'a.txt' } }
    await expectRefusal(makeZip([entry, { ...twin, listed: { offset: 0 } }]), 'corrupt', 'b.txt')
    const same = { ...entry, listed: { offset: 0 } }
    await expectRefusal(makeZip([entry, same]), 'corrupt', 'a.txt')
  })
  test('more entries in the list than it counts, or fewer', async () => {
    await expectRefusal(makeZip([GOOD, entry], { entryCount: 1 }), 'corrupt', undefined)
    await expectRefusal(makeZip([GOOD, entry], { entryCount: 3 }), 'corrupt', undefined)
  })
  test('any beginning of it', async () => {
    const whole = makeZip([GOOD, entry])
    for (let length = 4; length < whole.length; length += 7)
      await expectRefusal(whole.subarray(0, length), 'corrupt', undefined)
  })
})

describe('a tar that is damaged is refused', () => {
  const entries: TarEntry[] = [GOOD, { name: 'b.bin', content: Buffer.alloc(3000, 1) }]
  test('any beginning of it, packed or not', async () => {
    const whole = makeTar(entries)
    const end = tarBlocks(entries).length
    for (const length of [512, 600, 1024, 1300, 2000, end - 1, end])
      for (const archive of [whole.subarray(0, length), gzipSync(whole.subarray(0, length))])
        await expect(importArchive(await memoryFiles(), archive)).rejects.toMatchObject({
          details: { reason: 'corrupt' },
        })
    const packed = gzipSync(whole)
    for (let length = 20; length < packed.length; length += 11)
      await expectRefusal(packed.subarray(0, length), 'corrupt', undefined)
  })
  test('a header, a number or an attribute that is none, and data after the end', async () => {
    const whole = makeTar(entries)
    const damaged = Buffer.from(whole)
    damaged[1024] = 0xff
    await expectRefusal(damaged, 'corrupt', undefined)
    await expectRefusal(makeTar([GOOD, { name: 'a', size: '0000000009z' }]), 'corrupt', undefined)
    await expectRefusal(makeTar([GOOD, { name: 'a', size: '\xff-1' }]), 'corrupt', undefined)
    for (const content of ['-5 path=x\n', '99 path=x\n', '0 a=b\n', 'x', '9 pathx\n\n', '11 path=abc'])
      await expectRefusal(
        makeTar([GOOD, { name: 'p', type: 'x', content }, { name: 'a' }]),
        'corrupt',
        undefined,
      )
    const size = { name: 'p', type: 'x', content: paxRecords({ size: '-1' }) }
    await expectRefusal(makeTar([GOOD, size, { name: 'a' }]), 'corrupt', 'a')
    const long = { name: 'p', type: 'L', content: 'n'.repeat(100_000) }
    await expectRefusal(makeTar([GOOD, long, { name: 'a' }]), 'corrupt', undefined)
    await expectRefusal(Buffer.concat([whole, makeTar([{ name: 'hidden' }])]), 'corrupt', undefined)
  })
})

describe('what is beyond a limit is refused', () => {
  const three = ['a', 'b', 'c'].map((name) => ({ name, content: '12345' }))
  const limited: [string, ImportArchiveOptions['limits'], ArchiveRefusalReason, string][] = [
    ['files', { files: 2 }, 'too-many-entries', 'c'],
    ['fileBytes', { fileBytes: 4 }, 'too-large', 'a'],
    ['totalBytes', { totalBytes: 14 }, 'too-large', 'c'],
    ['pathBytes', { pathBytes: 3 }, 'bad-name', 'long'],
    ['depth', { depth: 1 }, 'bad-name', 'd/e/f'],
  ]
  test.each(limited)('%s, in a zip and in a tar', async (_limit, limits, reason, entry) => {
    const entries = limits?.pathBytes || limits?.depth ? [{ name: entry }] : three
    for (const archive of [makeZip(entries), makeTar(entries), gzipSync(makeTar(entries))])
      await expectRefusal(archive, reason, entry, { limits: limits ?? {} })
  })
  test('folders without end', async () => {
    const folders = Array.from({ length: 9 }, (_, index) => ({ name: `f${index}/`, type: '5' }))
    await expectRefusal(makeTar(folders), 'too-many-entries', undefined, { limits: { files: 2 } })
    await expectRefusal(makeZip(folders), 'too-many-entries', undefined, { limits: { files: 2 } })
    await expectRefusal(makeZip(folders, { entryCount: 60_000 }), 'too-many-entries', undefined)
  })
  test('a bomb, whether or not it says so', async () => {
    const limits = { ratio: 100 }
    await expectRefusal(makeZip([{ name: 'zeros', content: ZEROS }]), 'too-compressed', 'zeros', { limits })
    await expectRefusal(gzipSync(makeTar([{ name: 'zeros', content: ZEROS }])), 'too-compressed', undefined, {
      limits,
    })
    const liar = { name: 'zeros', content: ZEROS, listed: { unpacked: 9 }, local: { unpacked: 9 } }
    await expectRefusal(makeZip([liar]), 'corrupt', 'zeros', { limits })
    const parts = Array.from({ length: 3 }, (_, index) => ({
      name: `${index}`,
      content: ZEROS.subarray(0, 5e6),
    }))
    await expectRefusal(makeZip(parts), 'too-compressed', undefined, { limits })
  })
  test('a stream without end', async () => {
    const endless = async function* () {
      while (true) yield Buffer.alloc(8 * 1024 ** 2)
    }
    const limits = { totalBytes: 1000 }
    await expect(importArchive(await memoryFiles(), endless(), { limits })).rejects.toMatchObject({
      details: { reason: 'too-large' },
    })
  })
})

test.each(['', 'hello', 'x'.repeat(2000), '%PDF-1.7', '7z\xbc\xaf\x27\x1c'])('%j is no archive', (text) =>
  expectRefusal(Buffer.from(text, 'latin1'), 'not-an-archive', undefined),
)
test('packed data that is no tar is no archive of files, however short', async () => {
  await expectRefusal(gzipSync('short'), 'not-an-archive', undefined)
  await expectRefusal(
    gzipSync('just text, and not very much of it, but more than one block.'.repeat(20)),
    'not-an-archive',
    undefined,
  )
})
