// What a program cannot get at through the fork runner: the attacks of a list, each tried for real.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { syscallFilter } from '../../../src/confinement/syscall-filter.js'
import {
  type Confinement,
  confinementsHere,
  isAlive,
  openRunner,
  ordinaryUser,
} from '../../helpers/open-runner.js'
import { isPresent } from '../../helpers/skips.js'

const kinds = await confinementsHere(['landlock', 'namespaces'])
const escapes = readFileSync(new URL('../../fixtures/escapes.py', import.meta.url), 'utf8')
const asUser = ordinaryUser()
const hasWalls = spawnSync('bwrap', ['--version']).status === 0
const uid = Number(asUser?.[2] ?? process.getuid?.())

/** The walls that a sandbox puts around a runner in namespaces; Landlock needs none. */
const outerWalls = [
  ...['bwrap', '--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--die-with-parent'],
  ...['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib'],
  ...['--symlink', 'usr/lib64', '/lib64', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
  ...['--dir', '/workspace', '--chdir', '/', '--clearenv', '--setenv', 'PATH', '/usr/bin:/bin', '--'],
]

const canRun = (confinement: Confinement): boolean => {
  const missing =
    asUser === undefined
      ? 'setpriv and /usr/bin/python3 (apt-get install util-linux python3), to become an ordinary user'
      : confinement === 'namespaces' && !hasWalls
        ? 'bwrap (apt-get install bubblewrap)'
        : undefined
  if (missing === undefined) return true
  return isPresent(false, `tests of the walls in "${confinement}" cannot run here: they need ${missing}`)
}

describe.each(kinds)('the walls of %s', (confinement) => {
  let folder: string
  let canary: ChildProcess
  let servers: Server[]
  let reached = 0

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mendloop-test-'))
    chmodSync(folder, 0o777)
    writeFileSync(join(folder, 'secret'), 'secret', { mode: 0o600 })
    if (process.getuid?.() === 0) chownSync(join(folder, 'secret'), uid, uid)
    const [file = 'sleep', ...args] = [...(asUser ?? []), 'sleep', '1000']
    canary = spawn(file, args, { stdio: 'ignore', env: { PATH: process.env['PATH'], MENDLOOP_CANARY: '1' } })
    servers = [createServer(), createServer(), createServer()]
    const [tcp, path, abstract] = servers
    for (const server of servers) server.on('connection', (socket) => socket.end(String(reached++)))
    await Promise.all([
      new Promise<void>((resolve) => tcp?.listen(0, '127.0.0.1', resolve)),
      new Promise<void>((resolve) =>
        path?.listen({ path: join(folder, 'socket'), writableAll: true }, resolve),
      ),
      new Promise<void>((resolve) => abstract?.listen('\0socket', resolve)),
    ])
  })
  afterAll(async () => {
    canary.kill('SIGKILL')
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    rmSync(folder, { recursive: true, force: true })
  })

  test.runIf(canRun(confinement))('hold against every way out that is tried', async () => {
    const namespaces = confinement === 'namespaces'
    const { python, runner, channel } = await openRunner(confinement, {
      launcher: [...(asUser ?? []), ...(namespaces ? outerWalls : [])],
      python: '/usr/bin/python3',
      setup: {
        ...(namespaces && { workspace: '/workspace' }),
        syscallFilter: syscallFilter({ variant: 'strict', inet: namespaces, namespaces }),
        runnerFilter: syscallFilter({ variant: 'runner', inet: namespaces }),
      },
    })
    expect(runner.hello).toMatchObject({ confinement, syscallFilter: true })
    const address = servers[0]?.address()
    const port = typeof address === 'object' ? address?.port : address
    const args = [join(folder, 'secret'), canary.pid, port, join(folder, 'socket'), process.pid, channel.pid]
    const end = await python(escapes, {
      program: { kind: 'python', entry: 'main.py', args: args.map(String) },
    })
    expect(end.how, end.stderr).toEqual({ kind: 'exit', code: 0 })
    const outcome: Record<string, string> = JSON.parse(end.stdout)
    const open = Object.entries(outcome).filter(([, what]) => what.startsWith('OPEN'))
    // In namespaces it may read its own status, and has no capability; a signal to their first process is dropped.
    const allowed = namespaces
      ? [
          ['kill the supervisor', 'OPEN: stopped'],
          ['capabilities', 'OPEN: 0000000000000000'],
        ]
      : []
    expect(open).toEqual(allowed)
    expect(Object.keys(outcome).length).toBeGreaterThan(25)
    expect(reached).toBe(0)
    expect(isAlive(canary.pid ?? 0)).toBe(true)
    expect((await python('print("still here")')).stdout).toBe('still here\n')
  })
})
