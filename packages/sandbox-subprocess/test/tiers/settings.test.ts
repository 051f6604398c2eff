// What a program finds in each tier besides the walls: its limits, its variables, and the settings of the system.
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_LIMITS, runProgram } from '@mendloop/core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { onLinux, pythonHas, requires } from '../../../core/test/helpers/requires.js'
import { openTier, pythonSays, workingTiers } from '../helpers/tiers.js'

const run = (source: string) => ({ files: { 'main.py': source } })

describe.each([...workingTiers, 'process' as const])('in the "%s" tier', (tier) => {
  test.runIf(requires('python3'))('a sandbox tells its limits, and runProgram holds to them', async () => {
    const sandbox = await openTier(tier, { limits: { outputBytes: 2_000 } }, { limits: { wallMs: 700 } })
    expect(sandbox.limits).toEqual({ ...DEFAULT_LIMITS, wallMs: 700, outputBytes: 2_000 })
    const { outcome, durationMs } = await runProgram(sandbox, run('import time\ntime.sleep(30)'))
    expect(outcome).toEqual({ kind: 'timeout', clock: 'wall', limitMs: 700 })
    expect(durationMs).toBeLessThan(20_000)
  })

  test.runIf(requires('python3'))('a sandbox tells the variables that its programs start from', async () => {
    const sandbox = await openTier(tier, { env: { ONE: '1' } }, { env: { TWO: '2' } })
    expect(sandbox.environment).toMatchObject({ ONE: '1', TWO: '2', LANG: 'C.UTF-8' })
    const names = Object.keys(sandbox.environment ?? {}).sort()
    const source = `import json, os\nprint(json.dumps([os.environ.get(name) for name in ${JSON.stringify(names)}]))`
    const told = names.map((name) => sandbox.environment?.[name])
    expect(JSON.parse(await pythonSays(sandbox, source))).toEqual(told)
    const seen = `import os\nprint(os.environ['ONE'], os.environ['TWO'], os.environ['PATH'])`
    const { stdout, stderr } = await runProgram(sandbox, run(seen))
    expect(`${stdout.text}${stderr.text}`).toBe(`1 2 ${sandbox.environment?.['PATH']}\n`)
  })

  test.runIf(onLinux('bounds of memory and arguments'))(
    'what no program can be started with is refused by name',
    async () => {
      const sandbox = await openTier(tier)
      const refused = (option: string) => ({ code: 'INVALID_OPTION', details: { option } })
      const tooLittle = sandbox.exec('true', { limits: { memoryBytes: 1_000_000 } })
      await expect(tooLittle).rejects.toMatchObject(refused('limits.memoryBytes'))
      expect(await sandbox.exec('true', { limits: { memoryBytes: 1024 * 1024 } })).toMatchObject({ ok: true })
      await expect(openTier(tier, { limits: { diskBytes: 1 } })).rejects.toMatchObject(
        refused('limits.diskBytes'),
      )
      const words = (count: number): string[] => ['true', ...Array<string>(count).fill('x'.repeat(100_000))]
      expect(await sandbox.exec(words(10))).toMatchObject({ ok: true })
      await expect(sandbox.exec(words(70))).rejects.toMatchObject(refused('argv'))
    },
  )

  test.runIf(existsSync('/usr/bin/python3'))(
    'a PATH for all programs chooses one Python for all',
    async () => {
      const sandbox = await openTier(tier, {}, { env: { PATH: '/nowhere:/usr/bin:/bin' } })
      const source = 'import sys\nprint(sys.version, sys.prefix)'
      const { stdout } = await runProgram(sandbox, run(source))
      expect(stdout.text).toMatch(/ \/usr\n$/)
      expect(await pythonSays(sandbox, source)).toBe(stdout.text)
    },
  )
})

describe.each(workingTiers)('in the "%s" tier', (tier) => {
  test.runIf(requires('python3'))(
    'a program has the name of a user, though not of one of the machine',
    async () => {
      const sandbox = await openTier(tier)
      const source = 'import getpass, os\nprint(getpass.getuser(), os.environ["LOGNAME"])'
      expect(await pythonSays(sandbox, source)).toBe('sandbox sandbox\n')
      const named = await openTier(tier, { env: { USER: 'ada', LOGNAME: 'ada' } })
      expect(await pythonSays(named, source)).toBe('ada ada\n')
    },
  )

  test('runProgram reaches a server of the machine when the network is asked for, and not otherwise', async () => {
    const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const fetching = run(
      `import socket\nprint(socket.create_connection(("127.0.0.1", ${port}), 5).recv(9).decode())`,
    )
    const open = await runProgram(await openTier(tier, {}, { network: { mode: 'all' } }), fetching)
    expect(open).toMatchObject({ ok: true, stdout: { text: 'hello\n' }, guarantees: { network: 'host' } })
    const closed = await runProgram(await openTier(tier), fetching)
    expect(closed).toMatchObject({ ok: false, stdout: { text: '' }, guarantees: { network: 'denied' } })
  })

  test('settings that programs complain without are there, and none that name users or hosts', async () => {
    const there = ['/etc/fonts', '/etc/mime.types', '/etc/ssl/openssl.cnf', '/etc/localtime'].filter((path) =>
      existsSync(path),
    )
    const secret = [
      '/etc/passwd',
      '/etc/shadow',
      '/etc/hostname',
      '/etc/gitconfig',
      '/etc/ssh',
      '/etc/ssl/private',
    ]
    const source = `
import os
def readable(path):
    try:
        os.close(os.open(path, os.O_RDONLY))
        return True
    except OSError:
        return False
print([path for path in ${JSON.stringify(there)} if not readable(path)])
print([path for path in ${JSON.stringify(secret)} if readable(path)])`
    expect(await pythonSays(await openTier(tier), source)).toBe('[]\n[]\n')
  })

  test('a folder for temporary files that only this user may enter is no hindrance', async () => {
    const closed = mkdtempSync(join(tmpdir(), 'mendloop-closed-'))
    onTestFinished(() => rmSync(closed, { recursive: true, force: true }))
    vi.stubEnv('TMPDIR', closed)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await pythonSays(await openTier(tier), 'print("hello")')).toBe('hello\n')
  })

  test.runIf(requires('git'))('git works without the settings of the machine', async () => {
    const identity = 'git -c user.name=a -c user.email=a@b.example'
    const script = `git init -q . && ${identity} commit -q --allow-empty -m first && git log --format=%s`
    const { stdout, stderr } = await (await openTier(tier)).exec(script)
    expect([stdout.text, stderr.text]).toEqual(['first\n', ''])
  })

  test.runIf(pythonHas('matplotlib', { isolated: true }))(
    'a figure is drawn, also in a fork of the warm interpreter, without a word on standard error',
    async () => {
      const sandbox = await openTier(tier, { limits: { wallMs: 60_000, memoryBytes: 1024 ** 3 } })
      const source = `
import os
import matplotlib.pyplot as plot
plot.plot([1, 2, 3])
plot.title('three')
plot.savefig('figure.png')
print(os.path.getsize('figure.png') > 1000)`
      const executed = await sandbox.exec(['python3', '-c', source])
      const forked = await runProgram(sandbox, run(source))
      for (const { stdout, stderr } of [executed, forked])
        expect([stdout.text, stderr.text]).toEqual(['True\n', ''])
    },
    120_000,
  )
})

// Where there are sockets at all.
describe.each(workingTiers.filter((tier) => tier === 'namespaces'))('in the "%s" tier', (tier) => {
  test('a program serves itself by the name localhost', async () => {
    const source = `
import http.server, threading, urllib.request
server = http.server.HTTPServer(('localhost', 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(urllib.request.urlopen('http://localhost:%d/' % server.server_port).status)`
    expect(await pythonSays(await openTier(tier), source)).toBe('200\n')
  })
})
