// What disturbs the processes of a runner: packages with threads, signals to supervisors, spares that die, no descriptors.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { childrenOf, confinementsHere, isAlive, openRunner } from '../../helpers/open-runner.js'
import { isRoot } from '../../helpers/requires.js'

const kinds = await confinementsHere(['plain', 'landlock', 'namespaces'])
const seesDescriptors = isRoot('what a process has open that its own user may not look into')

const THREADS = `
import threading, time

def work():
    while True:
        [str(number) for number in range(2000)]
        time.sleep(0.0005)

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
`

describe.each(kinds)('in %s', (confinement) => {
  test('packages that start threads when they are imported leave none behind where programs are forked', async () => {
    const { runner, channel, python } = await openRunner(confinement, {
      python: interpreterWith('threads_at_import', THREADS),
    })
    const preload = ['threads_at_import']
    expect(await runner.prepare({ preload })).toEqual({ loaded: preload, failed: {} })
    // The one with the threads is still on its way out.
    await vi.waitFor(() => expect(childrenOf(channel.pid)).toHaveLength(1), 10_000)
    const [zygote = 0] = childrenOf(channel.pid)
    expect(readdirSync(`/proc/${zygote}/task`)).toHaveLength(1)
    for (let round = 0; round < 20; round++) {
      const source = 'import threading, threads_at_import\nprint(threading.active_count())'
      expect(await python(source)).toMatchObject({ stdout: '1\n', how: { kind: 'exit', code: 0 } })
    }
    process.kill(zygote, 'SIGKILL')
    expect(await runner.lost).toContain('the process that forks all others has ended')
    expect([channel.pid, zygote].filter(isAlive)).toEqual([])
  }, 60_000)

  test('a spare that has died is not missed', async () => {
    const { runner, channel, python } = await openRunner(confinement)
    await runner.prepare({ spares: 2 })
    const [, ...spares] = childrenOf(channel.pid)
    expect(spares).toHaveLength(2)
    for (const pid of spares) process.kill(pid, 'SIGKILL')
    await vi.waitFor(() => expect(spares.filter(isAlive)).toEqual([]), 10_000)
    for (let round = 0; round < 3; round++) expect((await python('print(1)')).stdout).toBe('1\n')
  })

  test('programs that are killed before they begin leave no folders', async () => {
    const { start, workspace } = await openRunner(confinement)
    const given = Array.from({ length: 300 }, (_, number) => [`${number}`, Buffer.from('x')] as const)
    for (let round = 0; round < 10; round++) {
      const { execution, done } = start({
        program: { kind: 'python', entry: '0', args: [] },
        workspace: 'fresh',
        files: Object.fromEntries(given),
        collect: { files: 1000, bytes: 1000 },
      })
      execution.kill()
      await done
    }
    await vi.waitFor(() => expect(readdirSync(join(dirname(workspace), 'fresh'))).toEqual([]), 10_000)
  })

  test('what packages write while they are imported is gone, and no program is to remove it', async () => {
    const { runner, python, workspace } = await openRunner(confinement, {
      python: interpreterWith('leaves_things', LEAVES_THINGS),
    })
    expect((await runner.prepare({ preload: ['leaves_things'] })).failed).toEqual({})
    const source = `import leaves_things, os, tempfile
print([os.path.exists(one) for one in (leaves_things.written, leaves_things.made)])
print(tempfile.gettempdir() == os.environ.get('TMPDIR', '/tmp'), leaves_things.home == os.path.expanduser('~'))`
    for (let round = 0; round < 2; round++)
      expect(await python(source)).toMatchObject({
        stderr: '',
        stdout: '[False, False]\nTrue False\nbye\n',
      })
    const left = readdirSync(join(dirname(workspace), 'fresh')).filter((name) => name.includes('imports'))
    expect(left).toEqual([])
  })

  test('while packages are imported, what waits can be killed, and what runs goes on', async () => {
    const { runner, start, python, workspace } = await openRunner(confinement, {
      python: interpreterWith('slow_to_import', 'import time\ntime.sleep(4)\n'),
    })
    const talker = start({
      program: { kind: 'argv', argv: ['/bin/sh', '-c', 'echo ready; read line; echo got $line'] },
      stdin: 'pipe',
    })
    await talker.said('ready')
    const imported = runner.prepare({ preload: ['slow_to_import'] })
    const before = performance.now()
    // More than are asked for at a time.
    const waiting = Array.from({ length: 50 }, () =>
      start({ program: { kind: 'argv', argv: ['/bin/touch', 'ran'] } }),
    )
    await talker.execution.write(Buffer.from('it\n'))
    expect((await talker.done).stdout).toBe('ready\ngot it\n')
    for (const { execution } of waiting) execution.kill()
    for (const { done } of waiting) expect((await done).how).toEqual({ kind: 'signal', signal: 'SIGKILL' })
    expect(performance.now() - before).toBeLessThan(3_000)
    expect((await imported).loaded).toEqual(['slow_to_import'])
    expect(readdirSync(workspace)).toEqual([])
    expect((await python('print(1)')).stdout).toBe('1\n')
  })

  test('while packages are imported, the loss of a supervisor is told at once and holds nobody up', async () => {
    const { runner, start, python, channel } = await openRunner(confinement, {
      python: interpreterWith('slow_to_import', 'import time\ntime.sleep(4)\n'),
    })
    const [lost, talker] = ['sleep 1000', 'read line; echo got $line'].map((script) =>
      start({ program: { kind: 'argv', argv: ['/bin/sh', '-c', `echo ready; ${script}`] }, stdin: 'pipe' }),
    )
    await lost?.said('ready')
    const [, supervisor = 0] = childrenOf(channel.pid)
    await talker?.said('ready')
    const imported = runner.prepare({ preload: ['slow_to_import'] })
    const before = performance.now()
    const waiting = python('print(1)')
    process.kill(supervisor, 'SIGKILL')
    expect((await lost?.done)?.how).toMatchObject({ kind: 'lost', started: true })
    await talker?.execution.write(Buffer.from('it\n'))
    expect((await talker?.done)?.stdout).toBe('ready\ngot it\n')
    expect(performance.now() - before).toBeLessThan(3_000)
    expect((await imported).loaded).toEqual(['slow_to_import'])
    expect((await waiting).stdout).toBe('1\n')
  })

  test.runIf(seesDescriptors)(
    'more executions than there are descriptors for are refused with the reason, and cost none',
    async () => {
      const launcher = ['prlimit', '--nofile=150:150', '--']
      const { python, start, channel } = await openRunner(confinement, { launcher })
      const waits = { program: { kind: 'argv', argv: ['/bin/cat'] }, stdin: 'pipe' } as const
      const count = (): number => readdirSync(`/proc/${channel.pid}/fd`).length
      await python('pass')
      const before = count()
      const started = Array.from({ length: 60 }, () => start(waits))
      for (const { execution } of started) execution.endInput()
      const ends = await Promise.all(started.map(({ done }) => done))
      const refused = ends.filter(({ how }) => how.kind === 'not-started')
      expect(refused.length).toBeGreaterThan(0)
      for (const { how } of refused) expect(how).toMatchObject({ code: 'EMFILE' })
      expect((await python('print(1)')).stdout).toBe('1\n')
      // Those of up to four supervisors that wait for another execution are kept.
      expect(count() - before).toBeLessThanOrEqual(4)
    },
  )

  test.runIf(seesDescriptors)(
    'programs whose workspace there is no descriptor for are refused, and none of the others is lost',
    async () => {
      const launcher = ['prlimit', '--nofile=150:150', '--']
      const { python } = await openRunner(confinement, { launcher })
      const source = 'open("made", "w").write("x")\nprint(1)'
      const wanted = { collect: { files: 5, bytes: 100 } }
      const ends = await Promise.all(Array.from({ length: 60 }, () => python(source, wanted)))
      for (const end of ends)
        if (end.how.kind === 'not-started') expect(end.how.code).toBe('EMFILE')
        else
          expect(end).toMatchObject({ how: { kind: 'exit', code: 0 }, stdout: '1\n', texts: { made: 'x' } })
      expect(ends.some(({ how }) => how.kind === 'exit')).toBe(true)
      expect((await python('print(2)')).stdout).toBe('2\n')
    },
  )
})

test.runIf(kinds.includes('namespaces'))(
  'a program that interrupts the first process of its namespace is not lost',
  async () => {
    const { python, exec } = await openRunner('namespaces')
    const source =
      'import os, time\nos.kill(1, 2)\ntime.sleep(0.05)\nprint("still here")\nos.kill(os.getpid(), 2)'
    const end = await python(source)
    expect(end).toMatchObject({ stdout: 'still here\n', how: { kind: 'signal', signal: 'SIGINT' } })
    expect(await exec('kill -INT 1; echo $?')).toMatchObject({
      stdout: '0\n',
      how: { kind: 'exit', code: 0 },
    })
  },
)

/** A package that keeps things in the home, as matplotlib does, and has something done at the end of each program. */
const LEAVES_THINGS = `import atexit, os, shutil, tempfile
home = os.path.expanduser('~')
written = os.path.join(home, 'written')
open(written, 'w').close()
made = tempfile.mkdtemp()
atexit.register(shutil.rmtree, made)
atexit.register(print, 'bye')
`

/** An interpreter in an environment of its own, in which there is a module of this name. */
function interpreterWith(name: string, source: string): string {
  const root = mkdtempSync(join(tmpdir(), 'mendloop-test-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const ask = 'import os, sys; print(os.path.realpath(sys.executable), "python%d.%d" % sys.version_info[:2])'
  const [real = '', version = ''] = spawnSync('python3', ['-c', ask], { encoding: 'utf8' })
    .stdout.trim()
    .split(' ')
  const packages = join(root, 'lib', version, 'site-packages')
  mkdirSync(packages, { recursive: true })
  mkdirSync(join(root, 'bin'))
  symlinkSync(real, join(root, 'bin', 'python3'))
  writeFileSync(join(root, 'pyvenv.cfg'), `home = ${dirname(real)}\ninclude-system-site-packages = false\n`)
  writeFileSync(join(packages, `${name}.py`), source)
  return join(root, 'bin', 'python3')
}
