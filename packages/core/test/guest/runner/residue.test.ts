// What an execution of the fork runner leaves: nothing for the next one, only the files that were asked for.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { confinementsHere, isAlive, openRunner } from '../../helpers/open-runner.js'

const kinds = await confinementsHere(['plain', 'landlock', 'namespaces'])

const DIRTY = `
import os, ctypes, subprocess
for folder in ('.', os.environ.get('TMPDIR', '/tmp'), os.environ['HOME'], '/dev/shm'):
    try:
        open(os.path.join(folder, 'residue-%d' % os.getuid()), 'w').write('left')
    except OSError:
        pass
try:
    os.setxattr('.', 'user.left', b'1')
except OSError:
    pass
deep = '.'
for level in range(300):
    deep = os.path.join(deep, 'd')
    os.mkdir(deep)
os.chmod('d/d', 0)
os.chmod('.', 0o500)
subprocess.Popen(['sleep', '1000'], start_new_session=True, stdout=subprocess.DEVNULL)
print('done')
`
const LOOK = `
import os
found = []
for folder in ('.', os.environ.get('TMPDIR', '/tmp'), os.environ['HOME'], '/dev/shm'):
    try:
        found += [os.path.join(folder, name) for name in os.listdir(folder) if name != 'main.py' and (folder == '.' or 'residue' in name)]
    except OSError:
        pass
print(found, os.listxattr('.'), oct(os.stat('.').st_mode & 0o777))
`

describe.each(kinds)('after an execution in %s', (confinement) => {
  // In plain there is no wall in front of /dev/shm, and nobody says there is one.
  const shm = confinement === 'plain' ? LOOK.replaceAll("'/dev/shm'", "'.'") : LOOK
  const dirty = confinement === 'plain' ? DIRTY.replaceAll("'/dev/shm'", "'.'") : DIRTY

  test.each([0, 1])('the next finds nothing of it, with %i spare processes', async (spares) => {
    const { python, runner, workspace } = await openRunner(confinement)
    await runner.prepare({ spares })
    for (let round = 0; round < 2; round++) {
      expect(await python(dirty)).toMatchObject({ stdout: 'done\n', stderr: '', leftover: false })
      expect(await python(shm)).toMatchObject({ stdout: '[] [] 0o700\n', stderr: '' })
    }
    expect(readdirSync(workspace)).toEqual([])
  })

  test('files come back that are new or changed, and those gone or unfit are named', async () => {
    const { python } = await openRunner(confinement)
    const source = `
import os
os.makedirs('out/deep')
open('out/new.txt', 'w').write('new')
open('out/deep/empty', 'w').close()
open('changed.txt', 'w').write('SAME SIZE')
os.remove('gone.txt')
os.symlink('/etc/passwd', 'link')
os.symlink('..', 'up')
os.mkfifo('fifo')
os.link('same.txt', 'hard')
open('big', 'wb').write(b'x' * 5000)
open(b'bad-\\xff', 'w').write('name')
`
    const files = Object.fromEntries(
      ['changed', 'same', 'gone'].map((name) => [`${name}.txt`, Buffer.from('same size')]),
    )
    const end = await python(source, { files, collect: { files: 10, bytes: 4000 } })
    expect(end).toMatchObject({ stderr: '', how: { kind: 'exit', code: 0 }, deleted: ['gone.txt'] })
    expect(end.texts).toEqual({
      'out/new.txt': 'new',
      'out/deep/empty': '',
      'changed.txt': 'SAME SIZE',
      'bad-\udcff': 'name',
    })
    // A hard link has two names; neither is believed to be the program's own.
    const withheld = ['big', 'fifo', 'hard', 'link', 'same.txt', 'up']
    expect([...(end.withheld ?? [])].sort()).toEqual(withheld)
    expect(end).toMatchObject({ links: ['link', 'up'], special: ['fifo'] })
  })

  test('a large file comes back whole, and no more files than were asked for', async () => {
    const { python } = await openRunner(confinement)
    const source =
      'open("a", "wb").write(bytes(range(256)) * 12000)\nfor n in range(5): open("z%d" % n, "w").write("z")'
    const end = await python(source, { collect: { files: 3, bytes: 10_000_000 } })
    expect(end.files?.map(({ path }) => path)).toEqual(['a', 'z0', 'z1'])
    expect(end.withheld).toEqual(['z2', 'z3', 'z4'])
    const [large] = end.files ?? []
    expect(
      Buffer.from(large?.content ?? []).equals(Buffer.alloc(3_072_000, Buffer.from([...Array(256).keys()]))),
    ).toBe(true)
  })

  test('nothing is left when the host goes, whether it says so or the runner is killed', async () => {
    for (const farewell of ['close', 'kill'] as const) {
      const { start, runner, channel, workspace } = await openRunner(confinement)
      const command =
        'touch runs; (setsid sh -c "while :; do touch beat; sleep 0.02; done" &) ; echo on; sleep 1000'
      const { said, done } = start({ program: { kind: 'argv', argv: ['/bin/sh', '-c', command] } })
      await said('on')
      if (farewell === 'close') await runner.close()
      else channel.kill()
      expect((await done).how.kind).toBe('lost')
      await stopsBeating(join(workspace, 'beat'))
      expect(isAlive(channel.pid)).toBe(false)
    }
  })

  test('the folders of fresh workspaces go with the runner', async () => {
    const { python, runner, workspace } = await openRunner(confinement)
    await Promise.all([python('open("x", "w")'), python('open("y", "w")')])
    await runner.close()
    expect(readdirSync(join(dirname(workspace), 'fresh'))).toEqual([])
  })
})

/** Waits until nobody writes the file any more. @throws after ten seconds */
async function stopsBeating(path: string): Promise<void> {
  const deadline = performance.now() + 10_000
  for (;;) {
    rmSync(path, { force: true })
    // Several times as long as the pause between two beats.
    await new Promise((resolve) => setTimeout(resolve, 200))
    if (!existsSync(path)) return
    if (performance.now() > deadline) throw new Error(`${path} is still being written`)
  }
}
