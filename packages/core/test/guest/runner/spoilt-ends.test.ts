// Programs that spoil what comes after them: modes taken away, memory shared, terminals, a supervisor killed.
import { chmodSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type Confinement,
  childrenOf,
  confinementsHere,
  isAlive,
  openRunner,
  ordinaryUser,
} from '../../helpers/open-runner.js'

const kinds = await confinementsHere(['plain', 'landlock', 'namespaces'])
const asUser = ordinaryUser()
/** What takes rights away from oneself has to be somebody who needs them. */
const asNobodySpecial = { launcher: asUser ?? [], python: '/usr/bin/python3' }

describe.runIf(asUser !== undefined).each(kinds)('after a program in %s', (confinement) => {
  const collect = { files: 10, bytes: 1000 }

  test.each([
    ['its workspace', 'os.chmod(".", 0)', ['kept']],
    ['a folder in it', 'os.mkdir("d"); open("d/f", "w").write("f"); os.chmod("d", 0o400)', ['d/f', 'kept']],
    ['a folder of a folder', 'os.makedirs("d/e"); open("d/e/f", "w"); os.chmod("d/e", 0)', ['d/e/f', 'kept']],
  ])('that closes %s, its end and its files are told', async (_, act, paths) => {
    const { python } = await openRunner(confinement, asNobodySpecial)
    const source = `import os, sys\nprint("go")\nopen("kept", "w").write("k")\n${act}\nsys.exit(3)`
    const end = await python(source, { collect, files: { 'sub/given': Buffer.from('x') } })
    expect(end).toMatchObject({ how: { kind: 'exit', code: 3 }, stdout: 'go\n', deleted: [], withheld: [] })
    expect(end.files?.map(({ path }) => path)).toEqual(paths)
  })

  test.each([0, 2])(
    'that closes what is above it, others run all the same, with %i spares',
    async (spares) => {
      const { python, runner } = await openRunner(confinement, asNobodySpecial)
      await runner.prepare({ spares })
      const look = 'import os\nprint(os.listdir())'
      for (const above of ['..', '../..', '../work']) {
        const source = `import os\nopen("left", "w")\ntry: os.chmod(${JSON.stringify(above)}, 0)\nexcept OSError: pass`
        expect((await python(source)).how).toEqual({ kind: 'exit', code: 0 })
        for (let round = 0; round < 2; round++)
          expect(await python(look)).toMatchObject({ how: { kind: 'exit' }, stdout: "['main.py']\n" })
      }
    },
  )

  test.each([0, 2])(
    'that has closed what is above it and still runs, others run, with %i spares',
    async (spares) => {
      const { python, runner, start } = await openRunner(confinement, asNobodySpecial)
      await runner.prepare({ spares })
      const source =
        'import os, time\ntry: os.chmod("../..", 0)\nexcept OSError: pass\nprint("closed")\ntime.sleep(1000)'
      const { execution, said, done } = start({
        program: { kind: 'python', entry: 'main.py', args: [] },
        workspace: 'fresh',
        files: { 'main.py': Buffer.from(source) },
      })
      await said('closed')
      expect((await python('print(1)')).stdout).toBe('1\n')
      execution.kill()
      await done
    },
  )
})

describe.each(kinds)('in %s', (confinement: Confinement) => {
  test('nothing is passed on in memory, and only an end of Python itself says that memory ran out', async () => {
    const { python } = await openRunner(confinement)
    const reach = `
import os, re, sys
frame = sys._getframe()
while 'shortage' not in frame.f_locals: frame = frame.f_back
page = frame.f_locals['shortage']
`
    const write = `${reach}page[0] = 1\nimport ctypes\nat = ctypes.addressof(ctypes.c_char.from_buffer(page))
ctypes.memset(at + 8, 7, 4000)\nos._exit(7)`
    const read = `${reach}import ctypes\nat = ctypes.addressof(ctypes.c_char.from_buffer(page))
print(any(ctypes.string_at(at, 4096)))`
    const first = await python(write)
    expect(first.how).toEqual({ kind: 'exit', code: 7 })
    expect(first.outOfMemory).toBeUndefined()
    expect((await python(read)).stdout).toBe('False\n')
    expect((await python('raise MemoryError')).outOfMemory).toBe(true)
  })

  test('a supervisor that is killed from outside loses the execution, and leaves nothing', async () => {
    const { start, python, channel } = await openRunner(confinement)
    const source = 'print("up")\nimport time\ntime.sleep(1000)'
    const request = {
      program: { kind: 'python', entry: 'main.py', args: [] },
      workspace: 'fresh',
      files: { 'main.py': Buffer.from(source) },
    } as const
    const { said, done } = start(request)
    await said('up')
    // What it has forked first is what it has the others forked from.
    const [, ...supervisors] = childrenOf(channel.pid)
    for (const pid of supervisors) process.kill(pid, 'SIGKILL')
    const { how, leftover } = await done
    expect(how).toMatchObject({ kind: 'lost', cause: expect.stringContaining('supervisor'), started: true })
    expect(leftover).toBe(false)
    expect((await python('print(1)')).stdout).toBe('1\n')
  })

  test('nothing is left when the process is killed that the others are forked from', async () => {
    const { start, channel } = await openRunner(confinement)
    const { said, done } = start({
      program: { kind: 'argv', argv: ['/bin/sh', '-c', 'echo up; sleep 1000'] },
    })
    await said('up')
    const [zygote, ...supervisors] = childrenOf(channel.pid)
    process.kill(zygote ?? 0, 'SIGKILL')
    const lost = {
      kind: 'lost',
      cause: expect.stringContaining('the process that forks all others has ended'),
    }
    expect((await done).how).toMatchObject(lost)
    expect(supervisors).toHaveLength(1)
    expect([channel.pid, ...supervisors].filter(isAlive)).toEqual([])
  })
})

test.runIf(kinds.includes('namespaces'))(
  'executions at the same time see no terminal of each other',
  async () => {
    const { start, exec } = await openRunner('namespaces')
    const source = 'import pty, time\n_, name = pty.openpty()\nprint("open", flush=True)\ntime.sleep(1000)'
    const { execution, said, done } = start({
      program: { kind: 'argv', argv: ['/usr/bin/python3', '-c', source] },
    })
    await said('open')
    expect((await exec('ls /dev/pts')).stdout.replace('ptmx\n', '')).toBe('')
    execution.kill()
    await done
  },
)

test.runIf(kinds.includes('namespaces'))(
  'a fresh workspace that is full is told of one that failed',
  async () => {
    const { python } = await openRunner('namespaces')
    const limits = { diskBytes: 1_000_000 }
    const fill = 'for n in range(100): open("f%d" % n, "wb").write(bytes(100_000))'
    expect(await python(fill, { limits })).toMatchObject({ how: { kind: 'exit', code: 1 }, diskFull: true })
    expect((await python('raise ValueError', { limits })).diskFull).toBeUndefined()
    expect((await python(`try:\n    ${fill}\nexcept OSError: pass`, { limits })).diskFull).toBeUndefined()
  },
)

test.runIf(kinds.includes('landlock'))(
  'the folder for fresh workspaces is made good, and names are not guessed',
  async () => {
    const { python, workspace } = await openRunner('landlock')
    chmodSync(join(dirname(workspace), 'fresh'), 0)
    const { stdout } = await python('import os\nprint(os.getcwd())')
    expect(stdout).toMatch(/\/fresh\/[0-9a-f]{16}\/work\n$/)
  },
)
