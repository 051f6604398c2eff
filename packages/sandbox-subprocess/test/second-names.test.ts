// Files with several names: read when all of them are in the workspace, however they got there.
import { link, mkdtemp, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MendloopError, type Sandbox } from '@mendloop/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { requires } from '../../core/test/helpers/requires.js'
import { openSandbox } from './helpers/open-sandbox.js'
import { openTier, workingTiers } from './helpers/tiers.js'

async function outsideFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'outside-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'secret.txt'), 'secret')
  return folder
}

async function streamed({ files }: Sandbox, path: string): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of files.readStream?.(path) ?? []) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

const REFUSED = { code: 'FILE_UNAVAILABLE', message: expect.stringContaining('has a second name') }

describe.each(['process', ...workingTiers] as const)('in the tier %s', (tier) => {
  test('every name of a file is read, in every way', async () => {
    const sandbox = await openTier(tier)
    // Landlock lets no name be made in another folder than the one that the file is in.
    const made = await sandbox.exec(
      'printf hello > a; ln a b; mkdir -p tree/deep copy; ln a tree/deep/c || printf hello > tree/deep/c; cp -l tree/deep/c copy/d || printf hello > copy/d',
    )
    expect(made.ok).toBe(true)
    for (const path of ['a', 'b', 'tree/deep/c', 'copy/d']) {
      expect(await sandbox.files.readText(path)).toBe('hello')
      expect(await streamed(sandbox, path)).toBe('hello')
      const range = (await sandbox.files.readRange?.(path, { offset: 1, length: 2 })) ?? []
      expect(Buffer.from(range).toString()).toBe('el')
    }
    await sandbox.files.remove('tree')
    await sandbox.files.write({ b: 'other' })
    const texts = await Promise.all(['a', 'b', 'copy/d'].map((path) => sandbox.files.readText(path)))
    expect(texts).toEqual(['hello', 'other', 'hello'])
  })
})

test('a file is not read while it has a name outside, and is as soon as it has none', async () => {
  const outside = await outsideFolder()
  const { files, workdir } = await openSandbox()
  await link(join(outside, 'secret.txt'), join(workdir, 'one'))
  await link(join(outside, 'secret.txt'), join(workdir, 'two'))
  for (const path of ['one', 'two', 'one']) await expect(files.read(path)).rejects.toMatchObject(REFUSED)
  await rename(join(workdir, 'one'), join(workdir, 'three'))
  await expect(files.read('three')).rejects.toMatchObject(REFUSED)
  await unlink(join(outside, 'secret.txt'))
  expect(await files.readText('three')).toBe('secret')
})

// One name of three is outside; the others change their places all the time, by themselves and with their folders.
const MOVER = `
import os
for folder in 'a', 'z': os.makedirs(folder + '/inner', exist_ok=True)
print('ready', flush=True)
while True:
    try:
        os.rename('a/inner/name', 'z/inner/name')
        os.rename('z/inner', 'z/other'); os.rename('z/other', 'z/inner')
        os.rename('z/inner/name', 'a/inner/name')
        os.rename('a', 'm'); os.rename('z', 'a'); os.rename('m', 'z')
        if os.path.exists('z/inner/name'): os.rename('z/inner/name', 'a/inner/name')
    except OSError: pass
`

test.runIf(requires('python3'))('names that move while they are counted are not counted twice', async () => {
  const outside = await outsideFolder()
  const sandbox = await openSandbox()
  const { files, workdir } = sandbox
  await files.write({ 'a/inner/empty': '', 'z/inner/empty': '' })
  await link(join(outside, 'secret.txt'), join(workdir, 'a/inner/name'))
  await link(join(outside, 'secret.txt'), join(workdir, 'still'))
  const calling = new AbortController()
  const running = sandbox.exec(['python3', '-c', MOVER], {
    signal: calling.signal,
    limits: { wallMs: 10_000 },
  })
  const until = Date.now() + 1_500
  let refused = 0
  while (Date.now() < until)
    for (const path of ['still', 'a/inner/name'])
      await files.readText(path).then(
        (text) => expect(text).not.toBe('secret'),
        (error: unknown) => {
          if (!MendloopError.is(error)) throw error
          refused++
        },
      )
  calling.abort()
  await running
  expect(refused).toBeGreaterThan(10)
})
