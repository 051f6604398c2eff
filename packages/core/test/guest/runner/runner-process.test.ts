// The fork runner's own process: what it is told at the start, what it holds back, what it survives.
import { spawn } from 'node:child_process'
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { syscallFilter } from '../../../src/confinement/syscall-filter.js'
import { frame } from '../../../src/guest/frames.js'
import { guestPrograms as shared } from '../../../src/guest/programs.generated.js'
import {
  encodeFrame,
  FROM_RUNNER,
  type Frame,
  FrameDecoder,
  TO_RUNNER,
} from '../../../src/guest/runner/frame-stream.js'
import { executePayload } from '../../../src/guest/runner/messages.js'
import { guestPrograms } from '../../../src/guest/runner/programs.generated.js'
import { confinementsHere, openRunner } from '../../helpers/open-runner.js'
import { isRoot } from '../../helpers/requires.js'
import { isPresent } from '../../helpers/skips.js'

const kinds = await confinementsHere(['plain', 'landlock', 'namespaces'])
/** Where a cgroup of the old or the new kind can be made. */
const cgroups = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'].find(canMakeCgroup)

describe.runIf(kinds.length > 0)('the process of the fork runner', () => {
  test('chooses the strongest confinement that works where it is', async () => {
    const { runner } = await openRunner('auto')
    const strongest = ['namespaces', 'landlock', 'plain'].find((one) => kinds.some((kind) => kind === one))
    expect(runner.hello.confinement).toBe(strongest)
    expect(runner.hello.python.version).toMatch(/^3\.\d+\.\d+$/)
  })

  test('says in words why it cannot confine as it is asked to, and confines less when it may', async () => {
    // Programs may make no namespaces; here the runner is held to the same.
    const setup = { runnerFilter: syscallFilter({ variant: 'strict', inet: true }) }
    await expect(openRunner('namespaces', { setup })).rejects.toThrow(
      'the confinement asked for cannot be had here: namespaces: clone: Operation not permitted',
    )
    const { runner, exec } = await openRunner('auto', { setup })
    expect(runner.hello.confinement).toBe(kinds.includes('landlock') ? 'landlock' : 'plain')
    const end = await exec('echo works')
    // As root there are capabilities, and that filter does not let them be given up: then nothing starts.
    if (process.getuid?.() === 0) expect(end.how).toMatchObject({ kind: 'not-started', code: 'EPERM' })
    else expect(end.stdout).toBe('works\n')
  })

  test('keeps descriptors that it inherited from programs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mendloop-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'secret'), 'secret')
    const launcher = [
      '/bin/bash',
      '-c',
      `exec 5<${folder}/secret 9<${folder}/secret 200<${folder}/secret; exec "$@"`,
      'sh',
    ]
    for (const confinement of kinds) {
      const { python, exec } = await openRunner(confinement, { launcher })
      const look =
        'import os\nopen_ = []\nfor n in range(3, 1024):\n    try:\n        os.fstat(n)\n        open_.append(n)\n    except OSError:\n        pass\nprint(open_)'
      expect((await python(look)).stdout).toBe('[]\n')
      expect((await exec('cat <&9; cat <&5')).stdout).toBe('')
    }
  })

  test.runIf(kinds.includes('namespaces'))('hides folders from fresh workspaces only', async () => {
    const hidden = mkdtempSync('/var/tmp/mendloop-test-')
    onTestFinished(() => rmSync(hidden, { recursive: true }))
    writeFileSync(join(hidden, 'secret'), 'secret')
    const { exec } = await openRunner('namespaces', { setup: { hidden: [hidden] } })
    const env = { PATH: '/usr/bin:/bin', HOME: hidden }
    const fresh = await exec(`ls -A ${hidden}; echo $HOME; touch ~/new && touch ${hidden}/new`, {
      workspace: 'fresh',
      env,
    })
    expect(fresh.stdout).toBe('/tmp\n')
    expect(fresh.stderr).toContain('Read-only file system')
    expect((await exec('cat ~/secret; touch ~/kept', { env })).stdout).toBe('secret')
    expect((await exec('ls ~', { env })).stdout).toBe('kept\nsecret\n')
  })

  test.runIf(kinds.includes('namespaces'))('covers its own temporary folders', async () => {
    const { exec } = await openRunner('namespaces')
    await exec('touch /dev/shm/x /tmp/x')
    expect((await exec('ls /dev/shm; ls /tmp | grep -c "^x$"')).stdout).toBe('0\n')
  })

  const hasCgroups =
    cgroups !== undefined ||
    (isRoot('control groups') &&
      isPresent(
        false,
        'tests of control groups cannot run here: mount cgroups so that they can be written to',
      ))
  test.runIf(hasCgroups)('puts each execution into the cgroup of its slot', async () => {
    const cgroup = makeCgroup(cgroups ?? '')
    const launcher = ['/bin/bash', '-c', `exec 7>${cgroup.file}; exec "$@"`, 'bash']
    for (const confinement of kinds.filter((kind) => kind !== 'landlock')) {
      const { exec, python } = await openRunner(confinement, { launcher, setup: { cgroupSlots: [[7]] } })
      const inside = await exec('cat /proc/self/cgroup', { slot: 0 })
      expect(inside.stdout).toContain(cgroup.name)
      const read = 'print(open("/proc/self/cgroup").read())'
      expect((await python(read, { slot: 0 })).stdout).toContain(cgroup.name)
      expect((await exec('cat /proc/self/cgroup')).stdout).not.toContain(cgroup.name)
    }
  })

  test('obeys a kill while nobody reads its output, and survives frames that mean nothing', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'mendloop-test-'))
    const child = spawn('python3', ['-I', '-S', '-E', '-B', '-c', shared.bootstrap])
    onTestFinished(() => {
      child.kill('SIGKILL')
      rmSync(workspace, { recursive: true, force: true })
    })
    const seen: Frame[] = []
    const waiting: { type: number; id: number; resolve: (found: Frame) => void }[] = []
    const decoder = new FrameDecoder((one) => {
      seen.push(one)
      for (const { type, id, resolve } of waiting) if (one.type === type && one.id === id) resolve(one)
    })
    const until = (type: number, id: number): Promise<Frame> =>
      new Promise((resolve) => void waiting.push({ type, id, resolve }))
    const send = (type: number, id: number, ...payload: Uint8Array[]): void =>
      void child.stdin.write(encodeFrame(type, id, ...payload))
    const execute = (id: number, argv: readonly string[]): void =>
      send(
        TO_RUNNER.execute,
        id,
        ...executePayload({
          program: { kind: 'argv', argv },
          env: { PATH: '/usr/bin:/bin' },
          cwd: '',
          workspace: 'shared',
          stdin: 'none',
          limits: {},
        }),
      )
    child.stdout.on('data', (data: Buffer) => decoder.push(data))
    const readOnly = ['/usr', '/bin', '/lib', '/lib64']
    const setup = { confinement: kinds[0], workspace, freshRoot: workspace, readOnly }
    child.stdin.write(frame({ programs: guestPrograms, setup }))
    await until(FROM_RUNNER.hello, 0)

    const started = until(FROM_RUNNER.started, 1)
    execute(1, ['yes'])
    await started
    child.stdout.pause()
    send(TO_RUNNER.kill, 1)
    // Told apart from the first by its file: it can be seen without reading.
    execute(2, ['touch', 'second'])
    await fileAppears(join(workspace, 'second'))
    for (const id of [77, 0xffffffff])
      for (const type of [0, 2, 3, 4, 6, 7, 99, 255]) send(type, id, Buffer.from('x'))
    for (const junk of ['', 'xxxx', '\xff\xff\xff\xff{}', '\x02\0\0\0{}']) {
      send(TO_RUNNER.execute, 9, Buffer.from(junk, 'latin1'))
      send(TO_RUNNER.prepare, 10, Buffer.from(junk, 'latin1'))
    }
    const ends = Promise.all([1, 2].map((id) => until(FROM_RUNNER.exit, id)))
    child.stdout.resume()
    await ends
    const last = until(FROM_RUNNER.exit, 3)
    execute(3, ['true'])
    expect(JSON.parse(Buffer.from((await last).payload).toString())).toMatchObject({
      how: { kind: 'exit', code: 0 },
    })
    const refused = seen.filter(({ type, id }) => type === FROM_RUNNER.exit && id === 9)
    expect(refused).toHaveLength(4)
    expect(Buffer.from(refused[0]?.payload ?? []).toString()).toContain('not-started')
  })
})

/** Waits for a file. @throws after ten seconds */
async function fileAppears(path: string): Promise<void> {
  const deadline = performance.now() + 10_000
  for (;;) {
    try {
      readFileSync(path)
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function canMakeCgroup(parent: string): boolean {
  try {
    accessSync(parent, constants.W_OK)
    accessSync(join(parent, 'cgroup.procs'), constants.W_OK)
    return true
  } catch {
    return false
  }
}

function makeCgroup(parent: string): { name: string; file: string } {
  const name = `mendloop-test-${process.pid}`
  mkdirSync(join(parent, name))
  onTestFinished(() => rmdirSync(join(parent, name)))
  return { name, file: join(parent, name, 'cgroup.procs') }
}
