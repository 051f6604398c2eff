import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openSandbox } from './helpers/open-sandbox.js'
import { until } from './helpers/processes.js'

let folder: string
let real: string

beforeEach(() => {
  // Interpreters are looked up once in the life of a process: each test is a new one as far as the module knows.
  vi.resetModules()
  folder = mkdtempSync(join(tmpdir(), 'interpreters-'))
  real = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

async function freshSandbox() {
  const { subprocess } = await import('../src/index.js')
  return subprocess({ isolation: 'process', minimum: 'process' }).create()
}

test("a version manager's script is asked once, and the interpreter behind it is started from then on", async () => {
  const log = join(folder, 'asked')
  writeFileSync(join(folder, 'python3'), `#!/bin/sh\necho asked >> '${log}'\nexec '${real}' "$@"\n`)
  chmodSync(join(folder, 'python3'), 0o755)
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`)
  const sandbox = await freshSandbox()
  const which = 'import sys; print(sys.executable)'
  expect((await sandbox.exec(['python3', '-c', which])).stdout.text).toBe(`${real}\n`)
  expect((await sandbox.exec(`python3 -c '${which}'`)).stdout.text).toBe(`${real}\n`)
  await sandbox.close()
  expect(readFileSync(log, 'utf8')).toBe('asked\n')
})

test('"python" finds a machine that only has "python3"', async () => {
  symlinkSync(real, join(folder, 'python3'))
  vi.stubEnv('PATH', folder)
  const sandbox = await freshSandbox()
  expect(await sandbox.exec(['python', '-c', 'print(1)'])).toMatchObject({
    ok: true,
    stdout: { text: '1\n' },
  })
  await sandbox.close()
})

test('a machine without Python still runs other programs, and asking for it says what to install', async () => {
  vi.stubEnv('PATH', folder)
  const sandbox = await freshSandbox()
  expect(await sandbox.exec('echo fine')).toMatchObject({ ok: true })
  expect(await sandbox.exec(['node', '-p', '1'])).toMatchObject({ ok: true })
  await expect(sandbox.exec(['python3', 'main.py'])).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
    message: expect.stringMatching(/"python3".*install python/i),
  })
  await sandbox.close()
})

test('a script that starts nothing is reported with what it said', async () => {
  writeFileSync(join(folder, 'python3'), '#!/bin/sh\necho "python3: no version set" >&2\nexit 127\n')
  chmodSync(join(folder, 'python3'), 0o755)
  vi.stubEnv('PATH', `${folder}${delimiter}/usr/bin${delimiter}/bin`)
  const sandbox = await freshSandbox()
  const error: unknown = await sandbox.exec(['python3', '-V']).catch((caught: unknown) => caught)
  expect(error).toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
    cause: expect.objectContaining({ stderr: expect.stringContaining('no version set') }),
  })
  await sandbox.close()
})

test('the option names the interpreter for both names and for the shell', async () => {
  const sandbox = await openSandbox({ python: real })
  const which = 'import sys; print(sys.executable)'
  for (const name of ['python3', 'python'])
    expect((await sandbox.exec([name, '-c', which])).stdout.text).toBe(`${real}\n`)
  expect((await sandbox.exec(`python3 -c '${which}'`)).stdout.text).toBe(`${real}\n`)
})

test('a PATH in the options chooses the interpreter, as one in the command does', async () => {
  writeFileSync(join(folder, 'python3'), '#!/bin/sh\necho mine\n')
  chmodSync(join(folder, 'python3'), 0o755)
  const env = { PATH: `${folder}:/usr/bin:/bin` }
  const ofAll = await openSandbox({ env })
  const ofOne = await openSandbox({}, { env })
  for (const result of [
    await ofAll.exec(['python3', '-V']),
    await ofOne.exec(['python3', '-V']),
    await (await openSandbox()).exec({ argv: ['python3', '-V'], env }),
  ])
    expect(result.stdout.text).toBe('mine\n')
})

test.each(['missing', 'a folder'])('an interpreter that is %s is refused by name', async (kind) => {
  const python = kind === 'missing' ? join(folder, 'missing') : folder
  await expect(openSandbox({ python })).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
    message: expect.stringContaining(`"python" names ${JSON.stringify(python)}`),
  })
})

test('a script that leaves a helper with its output open is answered without waiting for the helper', async () => {
  const log = join(folder, 'helper')
  const script = `#!/bin/sh\nsleep 60 &\necho $! > '${log}'\nexec '${real}' "$@"\n`
  writeFileSync(join(folder, 'python3'), script)
  chmodSync(join(folder, 'python3'), 0o755)
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`)
  const sandbox = await freshSandbox()
  await sandbox.close()
  const helper = Number(readFileSync(log, 'utf8'))
  await until('the helper is gone', () => !isRunning(helper))
})

/** False also for a process that has ended and that nobody has collected yet. */
function isRunning(pid: number): boolean {
  return /^\S*[RSD]/.test(
    execFileSync('/bin/sh', ['-c', `ps -o stat= -p ${pid} || :`], { encoding: 'utf8' }).trim(),
  )
}
