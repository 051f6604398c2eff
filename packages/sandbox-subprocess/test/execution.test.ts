import { readdirSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { openSandbox, runFixture } from './helpers/open-sandbox.js'

const python = (code: string) => ['python3', '-c', code]

test('a program that ends well gives its output, exit code 0 and the time it took', async () => {
  const sandbox = await openSandbox()
  const result = await sandbox.exec(python('import sys; print("out"); print("err", file=sys.stderr)'))
  expect(result).toMatchObject({
    outcome: { kind: 'exit', code: 0 },
    ok: true,
    stdout: { text: 'out\n', bytes: 4, truncated: false, omittedBytes: 0 },
    stderr: { text: 'err\n' },
    usage: {},
    changes: [],
    guarantees: { isolation: 'process', network: 'host', files: 'same-user', descendants: 'best-effort' },
  })
  expect(result.durationMs).toBeGreaterThan(1)
  expect(result).not.toHaveProperty('leftover')
})

test('a program that fails is a result with its code', async () => {
  const sandbox = await openSandbox()
  expect(await sandbox.exec('echo half; exit 7')).toMatchObject({
    outcome: { kind: 'exit', code: 7 },
    ok: false,
    stdout: { text: 'half\n' },
  })
})

test.each(['SIGKILL', 'SIGSEGV', 'SIGTERM'])('death by %s is named and never a success', async (signal) => {
  const sandbox = await openSandbox()
  const code = `import os, signal; print("before"); os.kill(os.getpid(), signal.${signal})`
  expect(await sandbox.exec(python(code))).toMatchObject({
    outcome: { kind: 'signal', signal },
    ok: false,
    stdout: { text: 'before\n' },
  })
})

test('lines printed before a hard exit are kept', async () => {
  vi.stubEnv('PYTHONUNBUFFERED', undefined)
  const sandbox = await openSandbox()
  const result = await sandbox.exec(python('import os; print("step 1"); print("step 2"); os._exit(3)'))
  expect(result).toMatchObject({ outcome: { kind: 'exit', code: 3 }, stdout: { text: 'step 1\nstep 2\n' } })
})

test('lines printed before a timeout are kept, and so is the traceback of a dead main thread', async () => {
  const sandbox = await openSandbox()
  const code = [
    'import threading, time',
    'print("step 1")',
    'threading.Thread(target=time.sleep, args=(60,)).start()',
    'raise ValueError("main failed")',
  ].join('\n')
  const result = await sandbox.exec(python(code), { limits: { wallMs: 700 } })
  expect(result).toMatchObject({
    outcome: { kind: 'timeout', clock: 'wall', limitMs: 700 },
    ok: false,
    stdout: { text: 'step 1\n' },
  })
  expect(result.stderr.text).toContain('ValueError: main failed')
  expect(result.durationMs).toBeLessThan(2500)
})

test('without input a program sees end of file at once; given text arrives and ends', async () => {
  const sandbox = await openSandbox()
  const read = python('import sys; print(len(sys.stdin.read()))')
  expect((await sandbox.exec(read)).stdout.text).toBe('0\n')
  expect((await sandbox.exec(python('input("Name: ")'))).stderr.text).toContain('EOFError')
  const named = { argv: python('print("hello", input("Name: "))'), stdin: 'Ada\n' }
  expect((await sandbox.exec(named)).stdout.text).toBe('Name: hello Ada\n')
  expect((await sandbox.exec({ argv: read, stdin: '' })).stdout.text).toBe('0\n')
})

test('large input arrives whole, and a program that does not read it is no error', async () => {
  const sandbox = await openSandbox()
  const stdin = new Uint8Array(8 * 1024 * 1024).fill(120)
  const count = python('import sys; print(len(sys.stdin.buffer.read()))')
  expect((await sandbox.exec({ argv: count, stdin })).stdout.text).toBe(`${stdin.length}\n`)
  expect(await sandbox.exec({ argv: ['true'], stdin })).toMatchObject({ ok: true, changes: [] })
})

test('input can be read by the name /dev/stdin too', async () => {
  const sandbox = await openSandbox()
  const argv = ['node', '-p', 'require("fs").readFileSync("/dev/stdin", "utf8").length']
  expect((await sandbox.exec({ argv, stdin: 'five\n' })).stdout.text).toBe('5\n')
  expect((await sandbox.exec(argv)).stdout.text).toBe('0\n')
})

test('nothing of the host environment reaches a program, and what was named does', async () => {
  for (const name of ['OPENAI_API_KEY', 'MY_SERVICE_TOKEN', 'DATABASE_URL', 'PYTHONPATH', 'NODE_OPTIONS'])
    vi.stubEnv(name, 'canary-7f3a')
  const sandbox = await openSandbox(
    { env: { FROM_PROVIDER: '1', SHARED: 'p' } },
    { env: { FROM_SANDBOX: '2', SHARED: 's' } },
  )
  const { stdout } = await sandbox.exec({ argv: ['env'], env: { FROM_COMMAND: '3' } })
  vi.unstubAllEnvs()
  expect(stdout.text).not.toContain('canary-7f3a')
  const names = stdout.text.split('\n').map((line) => line.split('=')[0])
  for (const name of ['FROM_PROVIDER', 'FROM_SANDBOX', 'FROM_COMMAND', 'PATH', 'HOME', 'TMPDIR', 'LANG'])
    expect(names).toContain(name)
  expect(stdout.text).toContain('\nSHARED=s\n')
})

test('host settings do not decide how a program reads and writes text', async () => {
  for (const [name, value] of Object.entries({
    LC_ALL: 'C',
    LANG: '',
    PYTHONUTF8: '0',
    PYTHONIOENCODING: 'ascii',
  }))
    vi.stubEnv(name, value)
  const sandbox = await openSandbox()
  const code = 'print("世界 ✓"); open("ünï.txt", "w").write("✓"); print(open("ünï.txt").read())'
  const result = await sandbox.exec(python(code))
  vi.unstubAllEnvs()
  expect(result.stdout.text).toBe('世界 ✓\n✓\n')
  expect(result.changes.map(({ path }) => path)).toEqual(['ünï.txt'])
})

test('a program that is not there is a result with a readable sentence, like in a shell', async () => {
  const sandbox = await openSandbox()
  const result = await sandbox.exec(['no-such-program-here', '--flag'])
  expect(result).toMatchObject({ outcome: { kind: 'exit', code: 127 }, ok: false })
  expect(result.stderr.text).toMatch(/no-such-program-here.*not found/)
})

test('the object form runs in a folder of the workspace, and in no other', async () => {
  const sandbox = await openSandbox()
  await sandbox.files.write({ 'src/deep/file.txt': 'x' })
  const inDeep = await sandbox.exec({ argv: ['ls'], cwd: 'src/deep' })
  expect(inDeep.stdout.text).toBe('file.txt\n')
  await sandbox.exec('ln -s / outside')
  await expect(sandbox.exec({ argv: ['ls'], cwd: '../..' })).rejects.toMatchObject({ code: 'PATH_REFUSED' })
  await expect(sandbox.exec({ argv: ['ls'], cwd: 'outside' })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
  })
  await expect(sandbox.exec({ argv: ['ls'], cwd: 'outside/etc' })).rejects.toMatchObject({
    code: 'PATH_REFUSED',
  })
  await expect(sandbox.exec({ argv: ['ls'], cwd: 'nowhere' })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
  })
})

test('shell text of any length runs; an argument that the system cannot pass is refused in words', async () => {
  const sandbox = await openSandbox()
  const long = `# ${'x'.repeat(200_000)}\necho "ran in $(basename "$PWD")"`
  const result = await sandbox.exec(long)
  expect(result).toMatchObject({ ok: true, stdout: { text: 'ran in work\n' }, changes: [] })
  await expect(sandbox.exec(['echo', 'x'.repeat(200_000)])).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining('stdin'),
  })
  const tooMany = Array.from({ length: 40 }, () => 'x'.repeat(100_000))
  await expect(sandbox.exec(['echo', ...tooMany])).rejects.toMatchObject({ code: 'INVALID_OPTION' })
})

test('a long program by file imports its siblings under the flags that switch caches off', async () => {
  const sandbox = await openSandbox()
  await sandbox.files.write({
    'main.py': `# ${'x'.repeat(200_000)}\nimport sibling\nprint(sibling.value)`,
    'sibling.py': 'value = 42',
  })
  const result = await sandbox.exec(['python3', '-B', '-u', 'main.py'])
  expect(result).toMatchObject({ ok: true, stdout: { text: '42\n' }, changes: [] })
})

test('output is told as it arrives, and a listener that throws changes nothing', async () => {
  const sandbox = await openSandbox()
  const heard: string[] = []
  const result = await sandbox.exec('printf one; printf two >&2; printf three', {
    onOutput({ stream, text }) {
      heard.push(`${stream}:${text}`)
      throw new Error('listener')
    },
  })
  expect(result).toMatchObject({ ok: true, stdout: { text: 'onethree' }, stderr: { text: 'two' } })
  const of = (stream: string) =>
    heard
      .filter((one) => one.startsWith(stream))
      .map((one) => one.slice(7))
      .join('')
  expect([of('stdout'), of('stderr')]).toEqual(['onethree', 'two'])
})

test('a flood is kept to the limit while it is read, counted to the byte, and the program runs to its end', async () => {
  const sandbox = await openSandbox()
  const before = process.memoryUsage().rss
  const limits = { outputBytes: 64 * 1024, wallMs: 14_000 }
  const result = await runFixture(sandbox, 'floods-stdout.py', { limits }, { args: ['256'] })
  expect(result.outcome).toEqual({ kind: 'exit', code: 0 })
  expect(result.stdout.bytes).toBe(256 * 1024 * 1024 + 11)
  expect(Buffer.byteLength(result.stdout.text)).toBeLessThanOrEqual(limits.outputBytes)
  expect(result.stdout.text).toMatch(/^first\nx+/)
  expect(result.stdout.text).toMatch(/x+\nlast\n$/)
  expect(result.stdout.text).toContain(`\n… ${result.stdout.omittedBytes} bytes left out …\n`)
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
})

test('descriptors that this process was started with do not reach a program', async () => {
  const sandbox = await openSandbox()
  const { stdout } = await sandbox.exec('ls -l /proc/self/fd 2>/dev/null || true')
  const targets = [...stdout.text.matchAll(/ (\d+) -> (\S+)/g)].filter(
    ([, descriptor]) => Number(descriptor) > 2,
  )
  for (const [, , target] of targets) expect(target).toMatch(/^(\/dev\/null|\/proc\/.*\/fd)$/)
})

test('many programs run side by side without mixing their output', async () => {
  const sandbox = await openSandbox()
  const results = await Promise.all(
    Array.from({ length: 12 }, (_, index) => sandbox.exec(`echo ${index} > ${index}.txt; cat ${index}.txt`)),
  )
  expect(results.map(({ stdout }) => stdout.text)).toEqual(
    Array.from({ length: 12 }, (_, index) => `${index}\n`),
  )
  expect(readdirSync(sandbox.workdir)).toHaveLength(12)
})

test('a workspace that a program took away is there again for the next one', async () => {
  const sandbox = await openSandbox()
  await sandbox.files.write({ 'a.txt': 'a' })
  const result = await sandbox.exec('rm -rf "$PWD" "$TMPDIR"')
  expect(result.changes).toEqual([{ path: 'a.txt', kind: 'deleted' }])
  await sandbox.exec('rmdir "$PWD"; ln -s / "$PWD"')
  expect(await sandbox.exec('ls; pwd; mktemp >/dev/null')).toMatchObject({
    ok: true,
    stdout: { text: `${sandbox.workdir}\n` },
  })
})

test('a variable that is too long is refused by its name', async () => {
  const sandbox = await openSandbox()
  const env = { LONG: 'x'.repeat(200_000) }
  await expect(sandbox.exec({ argv: ['true'], env })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining('env.LONG'),
  })
})
