// Limits that the fork runner has the kernel enforce, and the processes that it keeps ready.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Confinement, confinementsHere, openRunner, ordinaryUser } from '../../helpers/open-runner.js'

const kinds = await confinementsHere(['landlock', 'namespaces'])
const asUser = ordinaryUser()

/** Forks at most 150 times, whatever it is held to. */
const BOMB = `
import os, time
born = 0
try:
    for _ in range(150):
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)
        born += 1
except OSError as error:
    print(born, type(error).__name__)
else:
    print(born, 'unlimited')
`

describe.each(kinds)('limits in %s', (confinement: Confinement) => {
  test('bound memory, files, open files and processor time', async () => {
    const { python, exec } = await openRunner(confinement)
    const memory = await python('bytearray(300_000_000)', { limits: { memoryBytes: 200_000_000 } })
    expect(memory).toMatchObject({ outOfMemory: true, how: { kind: 'exit', code: 1 } })
    const file = 'with open("f", "wb") as file:\n    file.write(bytes(5000))'
    expect((await python(file, { limits: { fileBytes: 4096 } })).stderr).toContain('File too large')
    expect((await exec('head -c 5000 /dev/zero > f', { limits: { fileBytes: 4096 } })).how).not.toEqual({
      kind: 'exit',
      code: 0,
    })
    const open = await python('import os\nprint(len([os.dup(1) for _ in range(50)]))', {
      limits: { openFiles: 32 },
    })
    expect(open.stderr).toContain('Too many open files')
    const spin = await python('while True: pass', { limits: { cpuSeconds: { soft: 1, hard: 2 } } })
    expect(spin.how).toEqual({ kind: 'signal', signal: 'SIGXCPU' })
    expect(spin.cpuMs).toBeGreaterThan(700)
  })

  test.runIf(asUser !== undefined)('stop a fork bomb of an ordinary user', async () => {
    // An ordinary user's other processes come and go meanwhile, and are counted with these.
    const alone = asUser?.length !== 0
    const { python } = await openRunner(confinement, {
      launcher: asUser ?? [],
      python: '/usr/bin/python3',
      setup: { ownUid: alone },
    })
    for (const processes of [10, 30]) {
      const { stdout, leftover } = await python(BOMB, { limits: { processes } })
      const [born, why] = stdout.trim().split(' ')
      expect(why).toBe('BlockingIOError')
      if (alone || confinement === 'namespaces') {
        expect(Number(born)).toBeLessThan(processes)
        expect(Number(born)).toBeGreaterThan(processes - 5)
      }
      expect(leftover).toBe(false)
    }
  })

  test('bound the whole workspace', async ({ skip }) => {
    skip(confinement !== 'namespaces', 'a whole workspace is bounded in namespaces only')
    const { python } = await openRunner(confinement)
    const source = `
try:
    for n in range(100):
        open('f%d' % n, 'wb').write(bytes(100_000))
except OSError as error:
    print(error.strerror)`
    const limits = { diskBytes: 1_000_000 }
    expect((await python(source, { limits })).stdout).toBe('No space left on device\n')
    const large = { 'data.bin': Buffer.alloc(2_000_000) }
    const none = await python('print(1)', { limits, files: large })
    expect(none.how).toMatchObject({ kind: 'not-started', code: 'ENOSPC' })
    expect((await python('print(1)', { limits })).stdout).toBe('1\n')
  })

  test('leave nothing behind in the runner after some hundred executions', async () => {
    const { python, exec, runner, channel } = await openRunner(confinement)
    const state = (): { descriptors: number; residentKiB: number } => ({
      // Only root may look at what a private process has open.
      descriptors: process.getuid?.() === 0 ? readdirSync(`/proc/${channel.pid}/fd`).length : 0,
      residentKiB: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${channel.pid}/status`, 'utf8'))?.[1]),
    })
    const some = async (count: number): Promise<void> => {
      for (let round = 0; round < count; round += 4)
        await Promise.all([python('x = 1'), exec(['true']), exec(['no-such']), python('1 / 0')])
    }
    await runner.prepare({ preload: ['json'] })
    await some(40)
    const before = state()
    await some(240)
    const after = state()
    expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + 4)
    expect(after.residentKiB).toBeLessThan(before.residentKiB + 1024)
  })
})

describe.each(kinds)('what a program runs short of in %s', (confinement: Confinement) => {
  test('processor time is that of all its processes together', async () => {
    const { python, exec } = await openRunner(confinement)
    const limits = { cpuSeconds: { soft: 1, hard: 2 } }
    const spin =
      'import os\nfor _ in range(3): os.fork() or exec("while True: pass")\nfor _ in range(3): os.wait()'
    const many = await python(spin, { limits })
    expect(many.how).toEqual({ kind: 'signal', signal: 'SIGKILL' })
    expect(many.cpuMs).toBeGreaterThan(1_900)
    const shell = 'for _ in 1 2 3; do (while :; do :; done) & done; wait'
    const below = await exec(shell, { limits })
    expect(below).toMatchObject({ how: { kind: 'signal', signal: 'SIGKILL' }, leftover: false })
    expect((await exec('sleep 0.4', { limits })).how).toEqual({ kind: 'exit', code: 0 })
  }, 60_000)

  test('threads that find no memory for their stacks ran short of memory, not of threads', async () => {
    const { python } = await openRunner(confinement)
    const source =
      'import threading, time\nfor _ in range(900): threading.Thread(target=time.sleep, args=(9,), daemon=True).start()'
    for (const stack of [0, 4 << 20]) {
      const bomb = `import threading\nthreading.stack_size(${stack})\n${source}`
      const end = await python(bomb, { limits: { processes: 1000, memoryBytes: 128 << 20 } })
      expect(end.stderr).toContain("can't start new thread")
      expect(end).toMatchObject({ outOfMemory: true, how: { kind: 'exit', code: 1 } })
      expect(end.processesRefused).toBeUndefined()
    }
  }, 60_000)

  test.runIf(asUser !== undefined)(
    'processes and threads are told, other failures of that name are not',
    async () => {
      const { python } = await openRunner(confinement, {
        launcher: asUser ?? [],
        python: '/usr/bin/python3',
        setup: { ownUid: asUser?.length !== 0 },
      })
      // An ordinary user's other processes come and go meanwhile: there is room for those, and less than 40 are forked.
      const limits = { processes: 25 }
      const children = '"import os, time\\nfor _ in range(40): os.fork() or time.sleep(5)"'
      const refused = {
        forks: 'import os, time\nfor _ in range(40): os.fork() or (time.sleep(5), os._exit(0))',
        threads:
          'import threading, time\nfor _ in range(40): threading.Thread(target=time.sleep, args=(3,), daemon=True).start()',
        programs: 'import subprocess\nfor _ in range(40): subprocess.Popen(["/bin/sleep", "5"])',
      }
      for (const [what, source] of Object.entries(refused))
        expect(await python(source, { limits }), what).toMatchObject({
          how: { kind: 'exit', code: 1 },
          processesRefused: true,
        })
      const others = {
        caught: `${refused.forks.replace('for _', 'try:\n  for _')}\nexcept OSError: raise SystemExit(1)`,
        pipe: 'import os\nends = os.pipe()\nos.set_blocking(ends[0], False)\nos.read(ends[0], 1)',
        words: `raise RuntimeError("can't start new thread")`,
        child: `import subprocess, sys\nraise SystemExit(subprocess.call([sys.executable, "-c", ${children}]) or 1)`,
      }
      for (const [what, source] of Object.entries(others))
        expect((await python(source, { limits })).processesRefused, what).toBeUndefined()
    },
    60_000,
  )
})

describe.each(kinds)('the limit of processes in %s', (confinement: Confinement) => {
  test.runIf(asUser !== undefined)(
    'leaves room for what others run at the same time, and lays nothing of theirs to the charge of one',
    async () => {
      const { start, exec } = await openRunner(confinement, {
        launcher: asUser ?? [],
        python: '/usr/bin/python3',
        setup: { ownUid: asUser?.length !== 0 },
      })
      const threads = (count: number): string =>
        `import sys, threading\nfor _ in range(${count}): threading.Thread(target=sys.stdin.read, daemon=True).start()\nprint("up", flush=True)\nsys.stdin.read()`
      const waiting = (count: number) =>
        start({
          program: { kind: 'python', entry: 'main.py', args: [] },
          workspace: 'fresh',
          files: { 'main.py': Buffer.from(threads(count)) },
          stdin: 'pipe',
          limits: { processes: 20 },
        })
      const all = []
      for (let number = 0; number < 4; number++) {
        const one = waiting(15)
        await one.said('up')
        all.push(one)
      }
      const greedy = waiting(150)
      const { how, processesRefused, stderr } = await greedy.done
      expect(how).toEqual({ kind: 'exit', code: 1 })
      expect(stderr).toContain("can't start new thread")
      expect(processesRefused).toBe(confinement === 'namespaces' ? true : undefined)
      for (const { execution, done } of all) {
        execution.endInput()
        expect((await done).how).toEqual({ kind: 'exit', code: 0 })
      }
      expect((await exec('echo next')).stdout).toBe('next\n')
    },
    60_000,
  )
})

describe.each(kinds)('preparation in %s', (confinement) => {
  test('imports what is there and names what is not', async () => {
    const { python, runner } = await openRunner(confinement)
    const ready = await runner.prepare({ preload: ['decimal', 'no_such_package'], spares: 1 })
    expect(ready.loaded).toEqual(['decimal'])
    expect(Object.keys(ready.failed)).toEqual(['no_such_package'])
    expect(ready.failed['no_such_package']).toContain('ModuleNotFoundError')
    const loaded = 'import sys\nprint("decimal" in sys.modules)'
    expect((await python(loaded)).stdout).toBe('True\n')
  })

  test('keeps processes ready that take any input, files, limits and folder', async () => {
    const { python, runner } = await openRunner(confinement)
    await runner.prepare({ spares: 2 })
    const source =
      'import os, sys, resource\nprint(os.path.basename(os.getcwd()), sys.stdin.read(), os.listdir(), resource.getrlimit(resource.RLIMIT_NOFILE))'
    for (let round = 0; round < 5; round++) {
      const end = await python(source, {
        files: { 'sub/data': Buffer.from('x') },
        cwd: 'sub',
        stdin: Buffer.from('input'),
        limits: { openFiles: 77 },
      })
      expect(end).toMatchObject({ stdout: "sub input ['data'] (77, 77)\n", stderr: '' })
    }
    expect((await python('input()', { stdin: 'none' })).stderr).toContain('EOFError')
  })
})
