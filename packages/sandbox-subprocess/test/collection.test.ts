// What a program leaves to be collected may be a trap, and may change while it is collected.
import { spawn } from 'node:child_process'
import { link, mkdtemp, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MendloopError, type Sandbox } from '@mendloop/core'
import { expect, onTestFinished, test } from 'vitest'
import { requires } from '../../core/test/helpers/requires.js'
import { openSandbox } from './helpers/open-sandbox.js'

async function outsideFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'outside-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'secret.txt'), 'secret')
  return folder
}

test.runIf(requires('python3'))('traps are listed as what they are, and never opened', async () => {
  const outside = await outsideFolder()
  const sandbox = await openSandbox()
  const { workdir, files } = sandbox
  const program = `
import os, socket
os.symlink('${outside}/secret.txt', 'link'); os.symlink('${outside}', 'folder-link'); os.symlink('.', 'loop')
os.symlink('/proc/self/environ', 'environment'); os.mkfifo('pipe'); socket.socket(socket.AF_UNIX).bind('sock')
open('ok.txt', 'w').write('fine'); os.mkdir('d'); open('d/empty', 'w').close()
try: open(b'bad\\xff', 'w').write('x')
except OSError: pass
try: os.link('${outside}/secret.txt', 'hard')
except OSError: pass
`
  const { outcome, changes } = await sandbox.exec(['python3', '-c', program])
  expect(outcome).toEqual({ kind: 'exit', code: 0 })
  const hashed = changes.filter(({ sha256 }) => sha256 !== undefined).map(({ path }) => path)
  expect(hashed).toEqual([...(process.platform === 'linux' ? ['bad\uDCFF'] : []), 'd/empty', 'ok.txt'])
  expect(changes.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['environment', 'folder-link', 'link', 'loop', 'pipe', 'sock']),
  )
  await writeFile(join(workdir, 'sparse'), '')
  await truncate(join(workdir, 'sparse'), 1e12)
  expect(Buffer.from((await files.readRange?.('sparse', { offset: 9e11, length: 4 })) ?? '')).toEqual(
    Buffer.alloc(4),
  )
  for (const path of ['link', 'environment', 'loop', 'pipe', 'sock'])
    await expect(files.read(path)).rejects.toMatchObject({ code: 'FILE_UNAVAILABLE' })
  await expect(files.read('folder-link/secret.txt')).rejects.toMatchObject({ code: 'PATH_REFUSED' })
})

test('a second name of a file of the host is listed and not handed out', async () => {
  const outside = await outsideFolder()
  const { files, workdir } = await openSandbox()
  await link(join(outside, 'secret.txt'), join(workdir, 'hard.txt'))
  await expect(files.read('hard.txt')).rejects.toThrow(/has a second name/)
})

// Puts a link to a folder outside in the place of a folder, and back, as fast as it can.
const SWAPPER = `
import os, shutil, sys
while True:
    try:
        os.rename('d', 'aside')
        os.symlink(sys.argv[1], 'd')
        os.unlink('d')
        os.rename('aside', 'd')
    except OSError:
        # The host has made the folder anew meanwhile.
        shutil.rmtree('aside', ignore_errors=True)
`

/** How often each end was met. */
interface Tally {
  own: number
  refused: number
  leaked: number
}

/** Tries so often, and until both honest ends were met: else the swapper was not at work, and nothing is shown. */
async function tallyOf(attempts: number, attempt: () => Promise<string>): Promise<Tally> {
  const tally: Tally = { own: 0, refused: 0, leaked: 0 }
  const deadline = performance.now() + 10_000
  for (let index = 0; index < attempts || tally.own === 0 || tally.refused === 0; index++) {
    if (performance.now() > deadline) throw new Error(`The swapper is not at work: ${JSON.stringify(tally)}`)
    try {
      tally[(await attempt()) === 'mine' ? 'own' : 'leaked']++
    } catch (error) {
      if (!MendloopError.is(error)) throw error
      tally.refused++
    }
  }
  return tally
}

/** Starts the swapper over the sandbox's folder `d`. */
function startSwapper({ workdir }: Sandbox, outside: string): void {
  const swapper = spawn('python3', ['-c', SWAPPER, outside], { cwd: workdir, stdio: 'ignore' })
  const ended = new Promise((resolve) => swapper.once('close', resolve))
  onTestFinished(async () => {
    swapper.kill('SIGKILL')
    await ended
  })
}

test.runIf(requires('python3'))(
  'a folder that turns into a link while it is read never leads outside',
  async () => {
    const outside = await outsideFolder()
    const sandbox = await openSandbox()
    const { files } = sandbox
    await files.write({ 'd/secret.txt': 'mine' })
    startSwapper(sandbox, outside)
    const text = async (pieces: AsyncIterable<Uint8Array> | undefined) => {
      let all = ''
      for await (const piece of pieces ?? []) all += Buffer.from(piece)
      return all
    }
    const ways = [
      () => files.readText('d/secret.txt'),
      async () =>
        Buffer.from((await files.readRange?.('d/secret.txt', { offset: 0, length: 99 })) ?? '').toString(),
      () => text(files.readStream?.('d/secret.txt')),
    ]
    for (const way of ways) expect(await tallyOf(1500, way)).toMatchObject({ leaked: 0 })
  },
)

test.runIf(requires('python3'))(
  'a folder that turns into a link while it is written to or removed never leads outside',
  async () => {
    const outside = await outsideFolder()
    const sandbox = await openSandbox()
    const { files } = sandbox
    await files.write({ 'd/new.txt': 'first' })
    startSwapper(sandbox, outside)
    await tallyOf(1000, async () => {
      await files.write({ 'd/new.txt': 'mine' })
      await files.remove('d/secret.txt')
      return 'mine'
    })
    expect(await readdir(outside)).toEqual(['secret.txt'])
  },
)

test.runIf(requires('python3'))(
  'a folder that turns into a link while files are listed shows none of the names behind it',
  async () => {
    const outside = await outsideFolder()
    const sandbox = await openSandbox()
    // Others beside it, so that there is time between the look at the folder above and the one into it.
    const others = Array.from({ length: 300 }, (_, index) => [`other${index}`, ''])
    await sandbox.files.write({ 'd/mine.txt': 'mine', ...Object.fromEntries(others) })
    startSwapper(sandbox, outside)
    const seen = new Set<string>()
    const deadline = performance.now() + 10_000
    for (let index = 0; index < 300 || seen.size < 2; index++) {
      if (performance.now() > deadline) {
        if (seen.size > 1) break
        throw new Error(`The swapper is not at work: ${[...seen]}`)
      }
      const paths = (await sandbox.files.list()).map(({ path }) => path)
      seen.add(paths.filter((path) => !path.startsWith('other')).join())
    }
    // Nothing at all where the folder was found and then was a link.
    expect(['', 'aside/mine.txt', 'd/mine.txt']).toEqual(expect.arrayContaining([...seen]))
  },
)

test('what is deeper than can be held open is not listed, and not told to be deleted', async () => {
  const sandbox = await openSandbox()
  const deep = `${'d/'.repeat(150)}file.txt`
  await sandbox.files.write({ [deep]: 'deep', 'a.txt': 'a' })
  expect(await sandbox.files.list()).toEqual([{ path: 'a.txt', sizeBytes: 1 }])
  expect((await sandbox.exec('echo b > b.txt')).changes.map(({ path }) => path)).toEqual(['b.txt'])
  expect(await sandbox.files.readText(deep)).toBe('deep')
})

test('a link in the place of the workspace itself is not followed', async () => {
  const outside = await outsideFolder()
  const sandbox = await openSandbox()
  await rm(sandbox.workdir, { recursive: true })
  await symlink(outside, sandbox.workdir)
  expect(await sandbox.files.list()).toEqual([])
  await symlink(outside, join(sandbox.workdir, 'inner'))
  await expect(sandbox.files.read('secret.txt')).rejects.toMatchObject({ code: 'FILE_UNAVAILABLE' })
})
