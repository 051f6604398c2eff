import { expect, test } from 'vitest'
import { onLinux } from '../../core/test/helpers/requires.js'
import { subprocess } from '../src/index.js'
import { openSandbox, runFixture } from './helpers/open-sandbox.js'

const linux = onLinux('resource limits')
const MIB = 1024 * 1024

test.runIf(linux)('memory is bounded for each process, and Node starts within the default', async () => {
  const sandbox = await openSandbox()
  const hungry = await sandbox.exec(['python3', '-c', 'bytearray(600 << 20)'])
  expect(hungry).toMatchObject({ outcome: { kind: 'exit', code: 1 } })
  expect(hungry.stderr.text).toContain('MemoryError')
  expect(await sandbox.exec(['python3', '-c', 'bytearray(300 << 20)'])).toMatchObject({ ok: true })
  expect(
    await sandbox.exec(['python3', '-c', 'bytearray(600 << 20)'], { limits: { memoryBytes: 1024 * MIB } }),
  ).toMatchObject({ ok: true })
  expect(await sandbox.exec(['node', '-p', '6 * 7'])).toMatchObject({ ok: true, stdout: { text: '42\n' } })
})

test('a file above the limit is refused to Python and ends a program that does not look', async () => {
  const sandbox = await openSandbox({ limits: { fileBytes: MIB } })
  const python = await sandbox.exec(['python3', '-c', 'open("big", "wb").write(bytes(2 << 20))'])
  expect(python.stderr.text).toContain('File too large')
  const blind = await sandbox.exec('exec dd if=/dev/zero of=blind bs=65536 count=64')
  expect(blind.outcome).toEqual({ kind: 'resource', limit: 'disk' })
  expect(await sandbox.files.stat('blind')).toEqual({ path: 'blind', sizeBytes: MIB })
})

test('open files are bounded', async () => {
  const sandbox = await openSandbox({}, { limits: { openFiles: 32 } })
  const result = await sandbox.exec(['python3', '-c', 'all = [open("/dev/null") for _ in range(64)]'])
  expect(result.stderr.text).toContain('Too many open files')
})

test('processor time is its own clock, apart from the wall', async () => {
  const sandbox = await openSandbox()
  const limits = { cpuMs: 300, wallMs: 12_000 }
  const busy = await sandbox.exec(['python3', '-c', 'while True: pass'], { limits })
  expect(busy.outcome).toEqual({ kind: 'timeout', clock: 'cpu', limitMs: 300 })
  expect(await sandbox.exec('sleep 1.5', { limits })).toMatchObject({ ok: true })
})

test.runIf(linux)(
  'processor time is that of all processes together, and of one below a shell',
  async () => {
    const sandbox = await openSandbox()
    const limits = { cpuMs: 1000, wallMs: 40_000 }
    const outcome = { kind: 'timeout', clock: 'cpu', limitMs: 1000 }
    const burn = 'python3 -I -S -c "while True: pass"'
    const many = await sandbox.exec(`echo begun; ${`${burn} & `.repeat(4)} wait`, { limits })
    expect(many).toMatchObject({ outcome, stdout: { text: 'begun\n' } })
    expect(await sandbox.exec(`${burn}; exit $?`, { limits })).toMatchObject({ outcome })
  },
  90_000,
)

test.runIf(linux)(
  'a program that catches the first processor signal is still told apart from any other kill',
  async () => {
    const sandbox = await openSandbox()
    const limits = { cpuMs: 1000, wallMs: 14_000 }
    const result = await runFixture(sandbox, 'catches-sigxcpu.py', { limits })
    expect(result).toMatchObject({ outcome: { kind: 'timeout', clock: 'cpu' }, stdout: { text: 'caught\n' } })
    const killed = await sandbox.exec('kill -KILL $$', { limits })
    expect(killed.outcome).toEqual({ kind: 'signal', signal: 'SIGKILL' })
  },
)

test('a core file is never left', async () => {
  const sandbox = await openSandbox()
  const result = await sandbox.exec('kill -ABRT $$')
  expect(result).toMatchObject({ outcome: { kind: 'signal', signal: 'SIGABRT' }, changes: [] })
})

test.each([
  [{ processes: 64 }, 'limits.processes'],
  [{ diskBytes: MIB }, 'limits.diskBytes'],
])(
  '%j cannot be enforced here, so asking for it is refused wherever it is asked',
  async (limits, requested) => {
    const refusal = {
      code: 'SANDBOX_UNSUPPORTED',
      details: { requested },
      message: expect.stringContaining('container'),
    }
    await expect(
      subprocess({ isolation: 'process', minimum: 'process', limits }).create(),
    ).rejects.toMatchObject(refusal)
    await expect(
      subprocess({ isolation: 'process', minimum: 'process' }).create({ limits }),
    ).rejects.toMatchObject(refusal)
    const sandbox = await openSandbox()
    await expect(sandbox.exec('true', { limits })).rejects.toMatchObject(refusal)
  },
)

test('a closed network cannot be had here, so asking for it is refused; an open one is what there is', async () => {
  const network = { mode: 'none' } as const
  const refusal = { code: 'SANDBOX_UNSUPPORTED' }
  await expect(
    subprocess({ isolation: 'process', minimum: 'process', network }).create(),
  ).rejects.toMatchObject(refusal)
  await expect(
    subprocess({ isolation: 'process', minimum: 'process' }).create({
      network: { mode: 'allow', hosts: ['a.example'] },
    }),
  ).rejects.toMatchObject(refusal)
  expect((await openSandbox({ network: { mode: 'all' } })).guarantees.network).toBe('host')
})

test('a processor signal that the program sends to itself is not the limit', async () => {
  const sandbox = await openSandbox()
  const result = await sandbox.exec('kill -XCPU $$', { limits: { cpuMs: 10_000 } })
  expect(result.outcome).toEqual({ kind: 'signal', signal: 'SIGXCPU' })
})
