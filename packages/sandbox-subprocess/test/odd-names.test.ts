// A program may give a file any name; under the name by which it is told, the file is found again.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sandbox } from '@mendloop/core'
import { expect, test } from 'vitest'
import { requires } from '../../core/test/helpers/requires.js'
import { addressIn, isSayable, toName } from '../src/file-name.js'
import { openSandbox } from './helpers/open-sandbox.js'
import { openTier, workingTiers } from './helpers/tiers.js'

const isLinux = process.platform === 'linux'

/** As Python writes them. */
const NAMES = [
  "'back\\\\slash'",
  "'..\\\\up'",
  "'C:/in-a-drive'",
  "'line\\nbreak'",
  "'-dash'",
  "'--'",
  "'dot.'",
  "'space '",
  "' '",
  "'...'",
  "'\\ufffd'",
  "'e\\u0301'",
  "'\\u00e9'",
  "'x' * 255",
  "'世' * 85",
  "'__proto__'",
  "b'not-text-\\xff'",
  "b'not-text-\\xfe'",
  "b'half-\\xe2\\x82'",
  "b'folder-\\xc3/\\xed\\xa0\\x80'",
]

/** Writes into each file its own name, as bytes. */
const WRITES = `
import os
for name in [${NAMES.join(', ')}]:
    name = os.fsencode(name)
    if b'/' in name: os.makedirs(os.path.dirname(name), exist_ok=True)
    open(name, 'wb').write(name)
`

async function writeOddNames(sandbox: Sandbox): Promise<readonly string[]> {
  const { outcome, changes, unseen } = await sandbox.exec(['python3', '-c', WRITES])
  expect([outcome, unseen]).toEqual([{ kind: 'exit', code: 0 }, undefined])
  expect(changes.every(({ kind, sha256 }) => kind === 'created' && sha256 !== undefined)).toBe(true)
  return changes.map(({ path }) => path)
}

const tiers = ['process', ...workingTiers] as const

test.runIf(isLinux && requires('python3')).each(tiers)(
  'whatever a program calls a file, it reads back under the name it is listed by, tier %s',
  async (tier) => {
    const sandbox = await openTier(tier)
    const { files } = sandbox
    const changed = await writeOddNames(sandbox)
    const listed = (await files.list()).map(({ path }) => path)
    expect(listed).toEqual(changed)
    expect(new Set(listed).size).toBe(NAMES.length)
    for (const path of listed) {
      const bytes = Buffer.from(await files.read(path))
      expect(bytes.toString('utf8').toWellFormed(), path).toBe(
        Buffer.from(addressIn('', path)).subarray(1).toString('utf8').toWellFormed(),
      )
      expect(Buffer.from(addressIn('', path)).subarray(1).equals(bytes), path).toBe(true)
      expect(await files.stat(path)).toEqual({ path, sizeBytes: bytes.length })
      expect(Buffer.from((await files.readRange?.(path, { offset: 0, length: 999 })) ?? '')).toEqual(bytes)
      const pieces: Uint8Array[] = []
      for await (const piece of files.readStream?.(path) ?? []) pieces.push(piece)
      expect(Buffer.concat(pieces)).toEqual(bytes)
      await files.remove(path)
    }
    expect(await files.list()).toEqual([])
  },
)

test.runIf(isLinux && requires('python3')).each(tiers)(
  'a program is given such a name as an argument where the tier can pass it on, and else it is refused, tier %s',
  async (tier) => {
    const sandbox = await openTier(tier)
    await writeOddNames(sandbox)
    const reading = sandbox.exec(['cat', 'not-text-\udcff'])
    if (tier === 'process') await expect(reading).rejects.toThrow('bytes that are no UTF-8')
    else expect((await reading).outcome).toEqual({ kind: 'exit', code: 0 })
  },
)

test.runIf(isLinux && requires('python3'))(
  'a path as long as it may get reads back, and one too deep is told',
  async () => {
    const sandbox = await openSandbox()
    const code = `
import os
for depth, length in ((20, 250), (150, 9)):
    here = os.open('.', os.O_RDONLY)
    for _ in range(depth):
        os.mkdir('d' * length); os.chdir('d' * length)
    open('file', 'w').write('deep')
    os.fchdir(here)
`
    const { changes, unseen } = await sandbox.exec(['python3', '-c', code])
    const long = `${`${'d'.repeat(250)}/`.repeat(20)}file`
    expect(changes.map(({ path }) => path)).toEqual([long])
    expect(await sandbox.files.readText(long)).toBe('deep')
    expect(unseen).toEqual([{ path: Array(128).fill('d'.repeat(9)).join('/'), reason: 'too-deep' }])
    expect((await sandbox.exec('true')).changes).toEqual([])
  },
)

test('a name that no caller may give is refused as before where there is no such file', async () => {
  const { files } = await openSandbox()
  for (const path of [
    'a\\b',
    '..\\up',
    'C:/x',
    'half\uD83D',
    'byte\uDCFF',
    '/etc/passwd',
    'C:/../../x',
    'x\\/..',
  ]) {
    await expect(files.read(path)).rejects.toMatchObject({ code: 'PATH_REFUSED' })
    await expect(files.stat(path)).rejects.toMatchObject({ code: 'PATH_REFUSED' })
    await expect(files.write({ [path]: '' })).rejects.toMatchObject({ code: 'PATH_REFUSED' })
  }
})

test.runIf(isLinux)('an odd name leads outside no more than any other', async () => {
  const { files, workdir } = await openSandbox()
  await mkdir(join(workdir, 'a\\b'))
  await writeFile(join(workdir, 'a\\b', 'x'), 'x')
  expect(await files.readText('a\\b/x')).toBe('x')
  for (const path of ['a\\b/../../../etc/passwd', 'a\\b/../x', 'a\\b//x', './a\\b/x', '/a\\b/x', 'a\\b/x\0'])
    await expect(files.read(path)).rejects.toMatchObject({ code: 'PATH_REFUSED' })
})

test('text and bytes of a name are one to one', () => {
  for (const bytes of [
    [0x61],
    [0xff],
    [0xc3, 0x61],
    [0xf0, 0x9f, 0x8e, 0x89, 0xff],
    [0xed, 0xb3, 0xbf],
    [0xe2, 0x82],
  ]) {
    const name = toName(Buffer.from(bytes))
    expect([...Buffer.from(addressIn('', name))]).toEqual([0x2f, ...bytes])
    expect(isSayable(name)).toBe(true)
  }
  expect(toName(Buffer.from([0x61, 0xff]))).toBe('a\uDCFF')
  expect(['\uD83D', '\uDC00', 'a\uDC7F'].map(isSayable)).toEqual([false, false, false])
})
