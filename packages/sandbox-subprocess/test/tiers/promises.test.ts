import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRepairLoop, pythonTests } from '@mendloop/core'
import { scriptedModel } from '@mendloop/core/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { subprocess } from '../../src/index.js'
import { findInstallations } from '../../src/tiers/installations.js'
import { canBound } from '../helpers/cgroups.js'
import { openTier, pythonSays, workingTiers } from '../helpers/tiers.js'

const MIB = 1024 * 1024

describe.each(workingTiers)('in the "%s" tier', (tier) => {
  test.runIf(canBound('memory'))('memory of all processes together is told as what ended them', async () => {
    const sandbox = await openTier(tier, { limits: { memoryBytes: 128 * MIB } })
    const source = `
import os, time
for _ in range(4):
    if os.fork() == 0:
        held = bytearray(60 << 20)
        for place in range(0, len(held), 4096): held[place] = 1
        time.sleep(3)
        os._exit(0)
print('started', flush=True)
raise SystemExit(any([os.wait()[1] for _ in range(4)]))`
    const result = await sandbox.exec(['python3', '-c', source], { limits: { wallMs: 12_000 } })
    expect(result).toMatchObject({
      outcome: { kind: 'resource', limit: 'memory' },
      stdout: { text: 'started\n' },
    })
    const next = await sandbox.exec(['python3', '-c', 'x = bytearray(60 << 20); exit(3)'])
    expect(next.outcome).toEqual({ kind: 'exit', code: 3 })
  })

  test.runIf(canBound('pids'))(
    'processes that were refused are told, and only of a program that failed',
    async () => {
      const sandbox = await openTier(tier, { limits: { processes: 10 } })
      const source = (code: number): string => `
import os, time
try:
    for _ in range(50):
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)
except OSError: os._exit(${code})`
      const failed = await sandbox.exec(['python3', '-c', source(4)])
      expect(failed.outcome).toEqual({ kind: 'resource', limit: 'processes' })
      const fine = await sandbox.exec(['python3', '-c', source(0)])
      expect(fine.outcome).toEqual({ kind: 'exit', code: 0 })
    },
  )

  test('limits that cannot be had are refused wherever they are asked', async () => {
    const sandbox = await openTier(tier)
    const { disk } = sandbox.guarantees
    const refusal = { code: 'SANDBOX_UNSUPPORTED', message: expect.stringContaining('diskBytes') }
    await expect(sandbox.exec('true', { limits: { diskBytes: MIB } })).rejects.toMatchObject(refusal)
    const opening = subprocess({ isolation: tier, minimum: tier }).create({ limits: { diskBytes: MIB } })
    if (disk === 'bounded') await (await opening).close()
    else await expect(opening).rejects.toMatchObject(refusal)
  })

  test('a list of hosts is refused; no network is what there is; all of it is had when it is asked for', async () => {
    const provider = subprocess({ isolation: tier, minimum: tier })
    await expect(provider.create({ network: { mode: 'allow', hosts: ['a.example'] } })).rejects.toMatchObject(
      {
        code: 'SANDBOX_UNSUPPORTED',
      },
    )
    const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const fetching = `import socket\nprint(socket.create_connection(("127.0.0.1", ${port}), 5).recv(9).decode())`
    const closed = await openTier(tier, {}, { network: { mode: 'none' } })
    expect(closed.guarantees.network).toBe('denied')
    expect((await closed.exec(['python3', '-c', fetching])).ok).toBe(false)
    const open = await openTier(tier, {}, { network: { mode: 'all' } })
    expect(open.guarantees.network).toBe('host')
    expect(await pythonSays(open, fetching)).toBe('hello\n')
  })

  test('the interpreter behind the walls is the one that was found, with its packages, and nothing else of that home', async () => {
    const sandbox = await openTier(tier)
    const { python } = await findInstallations({}, process.getuid?.() === 0)
    const source = 'import json, platform, sys\nprint(json.dumps([platform.python_version(), sys.prefix]))'
    expect(JSON.parse(await pythonSays(sandbox, source))).toEqual([python.version, python.prefix])
    const write = `open(${JSON.stringify(`${python.prefix}/mendloop-was-here`)}, "w")`
    expect((await sandbox.exec(['python3', '-c', write])).ok).toBe(false)
  })

  test('an interpreter that was named runs from a folder that only its owner may enter', async () => {
    const { python } = await findInstallations({}, false)
    const home = mkdtempSync(join(tmpdir(), 'mendloop-home-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    writeFileSync(join(home, 'secret'), 'secret', { mode: 0o644 })
    const environment = join(home, 'environment')
    makeEnvironment(environment, python.file)
    chmodSync(home, 0o700)
    const sandbox = await openTier(tier, { python: join(environment, 'bin/python3') })
    expect(await pythonSays(sandbox, 'import sys; print(sys.prefix)')).toBe(`${environment}\n`)
    const theft = await sandbox.exec(['python3', '-c', `open(${JSON.stringify(join(home, 'secret'))})`])
    expect(theft.ok).toBe(false)
  })

  test('a loop repairs a program with tests in a process of their own', async () => {
    const loop = createRepairLoop({
      model: scriptedModel([
        '```python\ndef add(a, b):\n    return a - b\n```',
        '```python\ndef add(a, b):\n    return a + b\n```',
      ]),
      sandbox: subprocess({ isolation: tier, minimum: tier }),
    })
    const result = await loop.run({
      goal: 'Write add(a, b) in solution.py.',
      language: 'python',
      verify: [pythonTests('from solution import add\n\ndef test_add():\n    assert add(2, 3) == 5')],
    })
    expect(result.status).toBe('verified')
    expect(result.attempts).toHaveLength(2)
  })
})

/** A virtual environment without packages: a link and the file that says where the rest is. */
function makeEnvironment(folder: string, python: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(
    join(folder, 'pyvenv.cfg'),
    `home = ${join(python, '..')}\ninclude-system-site-packages = false\n`,
  )
  symlinkSync(python, join(folder, 'bin/python3'))
}
