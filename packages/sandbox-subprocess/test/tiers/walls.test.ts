import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { linkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { attempt } from '../helpers/attempt.js'
import { processesWithArgument, until } from '../helpers/processes.js'
import { openTier, pythonSays, workingTiers } from '../helpers/tiers.js'

describe.each(workingTiers)('in the "%s" tier', (tier) => {
  test('a program reaches no server of the machine', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const source = attempt(`s = socket.socket()\ns.settimeout(2)\ns.connect(("127.0.0.1", ${port}))`)
    expect(await pythonSays(await openTier(tier), source)).toMatch(/^refused/)
  })

  test('a program reads no file of this user, by name or by a link', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mendloop-secret-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const secret = join(folder, 'key')
    writeFileSync(secret, 'secret', { mode: 0o644 })
    linkSync(secret, join(folder, 'second'))
    const sandbox = await openTier(tier)
    const names = [
      secret,
      `/proc/1/root${secret}`,
      `/proc/self/root${secret}`,
      `/proc/self/cwd/../../..${secret}`,
    ]
    for (const name of names)
      expect(await pythonSays(sandbox, attempt(`open(${JSON.stringify(name)}).close()`))).toMatch(/^refused/)
    const link = attempt(`os.symlink(${JSON.stringify(secret)}, "l")\nopen("l").close()`)
    expect(await pythonSays(sandbox, link)).toMatch(/^refused/)
    const hard = attempt(`os.link(${JSON.stringify(secret)}, "h")`)
    expect(await pythonSays(sandbox, hard)).toMatch(/^refused/)
  })

  test('a program sees no variable of the host, nor of anything else', async () => {
    const secret = randomUUID()
    const other = spawn('sleep', ['60'], { env: { ...process.env, SECRET: secret } })
    onTestFinished(() => void other.kill('SIGKILL'))
    const source = `
import glob
seen = b''
for name in glob.glob('/proc/[0-9]*/environ'):
    try: seen += open(name, 'rb').read()
    except OSError: pass
print(b'${secret}' in seen, b'MENDLOOP_' in seen)`
    expect(await pythonSays(await openTier(tier), source)).toBe('False False\n')
  })

  test('a program kills nothing outside', async () => {
    const other = spawn('sleep', ['60'])
    onTestFinished(() => void other.kill('SIGKILL'))
    const sandbox = await openTier(tier)
    const victims = [other.pid ?? 0, process.pid]
    const source = `
import os, signal
for victim in ${JSON.stringify(victims)}:
    try: os.kill(victim, signal.SIGKILL)
    except OSError: print('refused')`
    expect(await pythonSays(sandbox, source)).toBe('refused\nrefused\n')
    expect(other.exitCode ?? other.signalCode).toBeNull()
  })

  test('what a program leaves in a session of its own, deaf and with no variables, is gone with it', async () => {
    const mark = randomUUID()
    const sandbox = await openTier(tier)
    const deaf = `import signal,time\nfor n in (1,2,15): signal.signal(n, signal.SIG_IGN)\ntime.sleep(60)`
    const source = `
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir('/')
        os.execve(sys.executable, ['python3', '-c', ${JSON.stringify(deaf)}, '${mark}'], {})
    os._exit(0)
time.sleep(0.2)`
    const before = performance.now()
    await pythonSays(sandbox, source)
    expect(performance.now() - before).toBeLessThan(5_000)
    await until('the child is gone', () => processesWithArgument(mark).length === 0, 2_000)
  })

  test('at most as many processes as the limit says run at once', async () => {
    const sandbox = await openTier(tier)
    const source = `
import os, time
count = 0
try:
    while count < 100:
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
        count += 1
except OSError: pass
print(count)`
    const result = await sandbox.exec(['python3', '-c', source], { limits: { processes: 20 } })
    // Others of this user may end meanwhile, where theirs are counted as well.
    expect(Number(result.stdout.text)).toBeLessThan(sandbox.guarantees.pids === 'per-sandbox' ? 20 : 60)
    // It is not the machine's limit that was met: the next one has room again.
    expect(await pythonSays(sandbox, 'import os\nprint(os.wait4(os.fork() or os._exit(0), 0)[1])')).toBe(
      '0\n',
    )
  })

  test('descriptors of the host are closed to it', async () => {
    const source = `
import fcntl
found = []
for number in range(3, 300):
    try:
        fcntl.fcntl(number, fcntl.F_GETFD)
        found.append(number)
    except OSError: pass
print(found)`
    expect(await pythonSays(await openTier(tier), source)).toBe('[]\n')
  })

  test('nothing but the workspace is carried from one execution to the next', async () => {
    const sandbox = await openTier(tier)
    const places = ['/tmp', '/dev/shm', '/dev', '/run', '/var/tmp', '/', '/proc', '/etc']
    const write = places.map((place) => `try: open('${place}/mendloop-left', 'w')\nexcept OSError: pass`)
    await pythonSays(sandbox, [...write, "open('kept', 'w')"].join('\n'))
    const look = `import os\nprint([p for p in ${JSON.stringify(places)} if os.path.exists(p + '/mendloop-left')])`
    expect(await pythonSays(sandbox, look)).toBe('[]\n')
    expect(await sandbox.files.list()).toEqual([{ path: 'kept', sizeBytes: 0 }])
  })

  test('two sandboxes know nothing of each other', async () => {
    const [one, two] = await Promise.all([openTier(tier), openTier(tier)])
    await one.files.write({ 'secret.txt': 'one' })
    const reading = attempt(`open(${JSON.stringify(`${one.workdir}/secret.txt`)}).close()`)
    expect(await pythonSays(two, reading)).toMatch(/^refused/)
    const slow = one.exec(['python3', '-c', 'import time; time.sleep(1.5); print("alive")'])
    await pythonSays(two, attempt('os.kill(-1, signal.SIGKILL)')).catch(() => undefined)
    expect((await slow).stdout.text).toBe('alive\n')
  })
})
