// The landlock tier where namespaces cannot be had: in a container with the engine's default settings.
import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requires } from '../../core/test/helpers/requires.js'

const repository = fileURLToPath(new URL('../../..', import.meta.url))
const image = `mendloop-test:${randomUUID().slice(0, 8)}`
const here = requires('docker') && requires('tar')
/** The programs of this machine, seen from a container without any of its own; Node, where it is elsewhere. */
const shared = ['/usr', ...(process.execPath.startsWith('/usr/') ? [] : [process.execPath])]

beforeAll(() => {
  if (!here) return
  const folder = mkdtempSync(join(tmpdir(), 'image-'))
  try {
    for (const name of ['app', 'dev', 'etc', 'proc', 'sys', 'tmp', 'usr']) mkdirSync(join(folder, name))
    for (const name of ['bin', 'lib', 'lib64', 'sbin']) symlinkSync(`usr/${name}`, join(folder, name))
    writeFileSync(join(folder, 'etc/passwd'), 'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n')
    const archive = spawnSync('tar', ['-c', '--mode=a+rwX', '-C', folder, '.'], { maxBuffer: 1024 ** 2 })
    const made = spawnSync('docker', ['import', '-', image], { input: archive.stdout, encoding: 'utf8' })
    if (made.status !== 0) throw new Error(made.stderr)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

afterAll(() => {
  if (here) spawnSync('docker', ['rmi', '--force', image])
})

/** Runs a fixture of this package in a container with the engine's default settings. */
async function inContainer(user: readonly string[], fixture: string, timeout: number) {
  const container = [
    ...['run', '--rm', '--network', 'none', ...user],
    ...shared.flatMap((path) => ['--volume', `${path}:${path}:ro`]),
    ...['--volume', `${repository}:/app:ro`, '--workdir', '/app', image],
  ]
  const node = [process.execPath, '--conditions=@mendloop/source', '--import', 'tsx']
  const program = `/app/packages/sandbox-subprocess/test/fixtures/${fixture}`
  const { stdout } = await promisify(execFile)('docker', [...container, ...node, program], { timeout })
  return JSON.parse(stdout)
}

describe.runIf(here).each([
  { who: 'root', user: [] },
  { who: 'an ordinary user', user: ['--user', '65534:65534'] },
])('as $who in a default container', ({ user }) => {
  test('the landlock tier is chosen, and holds', { timeout: 60_000 }, async () => {
    const found = await inContainer(user, 'in-container.ts', 50_000)
    expect(found.guarantees).toMatchObject({
      isolation: 'landlock',
      network: 'denied',
      files: 'allow-list',
      processes: 'signal-scope',
      descendants: 'killed',
      syscalls: 'allow-list',
    })
    expect(Object.entries(found.refused).filter(([, refused]) => !refused)).toEqual([])
    expect(found).toMatchObject({
      daemon: 'started\n',
      program: { engine: 'runner', stdout: 'forked\n' },
      verified: true,
      stronger: 'ISOLATION_UNAVAILABLE',
    })
  })

  test('the landlock tier keeps its promises', { timeout: 280_000 }, async () => {
    const found = await inContainer(user, 'promises.ts', 270_000)
    expect(found.isolation).toBe('landlock')
    expect(found.broken).toEqual([])
    // As many as outside: what a container leaves out would show as a skip.
    expect(found.passed, JSON.stringify(found.skipped)).toBeGreaterThan(100)
  })
})
