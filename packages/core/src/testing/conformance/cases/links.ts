// Promises about what a program leaves as traps: links that point outside, pipes that never end, folders that are swapped.
import { link, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MendloopError } from '../../../contract/errors.js'
import type { Sandbox } from '../../../contract/sandbox.js'
import type { WorkspaceFiles } from '../../../contract/workspace-files.js'
import type { ConformanceCase } from '../conformance-case.js'
import { ensure, equal, inShort, refused, succeeded, within } from '../expectations.js'
import { type Canary, openCanary, PATIENT, python } from '../probe.js'

const group = 'links'
const CLOSED = ['PATH_REFUSED', 'FILE_UNAVAILABLE'] as const
const RACE_MS = 1_500

/** Swaps the folder `d` for a link to the folder outside and back, until the file `stop` is there. */
const SWAPS = `
import os, shutil, sys, time
def begin():
    for name in "d", "aside", "link":
        if os.path.islink(name): os.unlink(name)
        else: shutil.rmtree(name, ignore_errors=True)
    os.makedirs("d", exist_ok=True)
    open("d/secret.txt", "w").write("mine")
    os.symlink(sys.argv[1], "link")
begin()
broken = False
end = time.time() + 15
print("ready", flush=True)
while time.time() < end and not os.path.exists("stop"):
    try:
        if broken: begin()
        broken = False
        os.rename("d", "aside"); os.rename("link", "d")
        os.rename("d", "link"); os.rename("aside", "d")
    except OSError: broken = True  # The host made a folder of that name meanwhile, perhaps while it was mended.`

/** What a call gave or threw, where both may happen; anything but a refusal is passed on. */
async function attempt<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call()
  } catch (error) {
    if (CLOSED.some((code) => MendloopError.is(error, code))) return undefined
    throw error
  }
}

/** A sandbox in which links to the secret outside were left. */
async function withLinks(open: () => Promise<Sandbox>, canary: Canary): Promise<Sandbox> {
  const sandbox = await open()
  const { path, folder } = canary
  const command = `ln -s '${path}' file.txt; ln -s '${folder}' folder; ln -s . here; ln -s nowhere dangling; mkdir real; ln -s ../.. real/up`
  succeeded(await sandbox.exec(command, PATIENT), 'making links')
  return sandbox
}

/** Throws when the secret or its folder are no longer as they were. */
async function untouched(canary: Canary): Promise<void> {
  equal(await canary.content(), canary.secret, 'the secret file outside')
  equal(await readdir(canary.folder), ['secret.txt'], 'the folder outside')
}

async function raceReads(files: WorkspaceFiles, canary: Canary): Promise<number> {
  let rounds = 0
  for (const end = performance.now() + RACE_MS; performance.now() < end; rounds++) {
    const text = await attempt(() => files.readText('d/secret.txt'))
    ensure(text !== canary.secret, `the secret outside was read through a swapped folder, in round ${rounds}`)
    await attempt(() => files.write({ 'd/planted.txt': 'x' }))
    await attempt(() => files.remove('d/planted.txt'))
  }
  return rounds
}

export const linkCases: readonly ConformanceCase[] = [
  {
    name: 'reads nothing through a link, whether of a file or of a folder',
    group,
    async check(context) {
      const canary = await openCanary(context)
      const { files } = await withLinks(context.open, canary)
      for (const path of [
        'file.txt',
        'folder/secret.txt',
        'folder',
        'dangling',
        'here/file.txt',
        'real/up/etc/passwd',
      ])
        await refused(`read(${JSON.stringify(path)})`, CLOSED, () => files.read(path))
      equal(await files.list(), [], 'the list of files, in which links are not')
      for (const path of ['file.txt', 'folder/secret.txt'])
        equal(await attempt(() => files.stat(path)), undefined, `stat(${JSON.stringify(path)})`)
    },
  },
  {
    name: 'writes nothing through a link',
    group,
    async check(context) {
      const canary = await openCanary(context)
      const { files } = await withLinks(context.open, canary)
      for (const path of ['file.txt', 'folder/new.txt', 'folder/secret.txt', 'real/up/new.txt'])
        await attempt(() => files.write({ [path]: 'written through' }))
      await untouched(canary)
    },
  },
  {
    name: 'removes a link, and nothing of what it points to',
    group,
    async check(context) {
      const canary = await openCanary(context)
      const { files } = await withLinks(context.open, canary)
      for (const path of ['folder/secret.txt', 'folder', 'file.txt', 'real'])
        await attempt(() => files.remove(path))
      await untouched(canary)
      equal(await attempt(() => files.stat('real/up')), undefined, 'what was in the folder that was removed')
    },
  },
  {
    name: 'gives out no file that has a second name outside, and writes none',
    group,
    async check(context) {
      const canary = await openCanary(context)
      const sandbox = await context.open()
      // By the host where it can, since a program may be kept from it; a sandbox elsewhere has nothing to link.
      const linked = await link(canary.path, join(sandbox.workdir, 'hard.txt')).then(
        () => true,
        () => false,
      )
      if (!linked) await sandbox.exec(['ln', canary.path, 'hard.txt'], PATIENT)
      ensure(
        (await attempt(() => sandbox.files.readText('hard.txt'))) !== canary.secret,
        'the secret outside was read through a hard link',
      )
      await attempt(() => sandbox.files.write({ 'hard.txt': 'written through' }))
      await untouched(canary)
      const { changes } = await sandbox.exec('true', PATIENT)
      ensure(changes.length === 0, `a run that did nothing tells of ${inShort(changes)}`)
    },
  },
  {
    name: 'never waits for a named pipe, and does not take it for a file',
    group,
    async check(context) {
      const sandbox = await context.open()
      const { changes } = await within(
        10_000,
        'exec()',
        sandbox.exec('mkfifo pipe && echo x > file', PATIENT),
      )
      ensure(
        changes.some(({ path }) => path === 'file'),
        'the file beside the pipe is not among the changes',
      )
      await within(
        5_000,
        'read() of a pipe',
        refused('read() of a pipe', CLOSED, () => sandbox.files.read('pipe')),
      )
      equal(
        await within(5_000, 'list()', sandbox.files.list()),
        [{ path: 'file', sizeBytes: 2 }],
        'the list of files',
      )
      equal(await within(5_000, 'stat()', sandbox.files.stat('pipe')), undefined, 'stat() of a pipe')
      await within(
        5_000,
        'write() over a pipe',
        attempt(() => sandbox.files.write({ pipe: 'x' })),
      )
    },
  },
  {
    name: 'keeps to the workspace while a program swaps folders for links',
    group,
    needs: 'python',
    async check(context) {
      const canary = await openCanary(context)
      const sandbox = await context.open()
      let tellReady = (): void => undefined
      const ready = new Promise<void>((resolve) => {
        tellReady = resolve
      })
      const swapping = sandbox.exec(python(context, SWAPS, canary.folder), {
        ...PATIENT,
        onOutput: tellReady,
      })
      await Promise.race([ready, swapping])
      const rounds = await raceReads(sandbox.files, canary)
      await sandbox.files.write({ stop: '' })
      succeeded(await swapping, 'the program that swaps')
      ensure(rounds > 5, `only ${rounds} rounds were possible`)
      await untouched(canary)
    },
  },
]
