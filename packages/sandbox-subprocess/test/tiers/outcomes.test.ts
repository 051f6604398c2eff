import { type Outcome, runProgram } from '@mendloop/core'
import { describe, expect, test } from 'vitest'
import { subprocess } from '../../src/index.js'
import { runFixture } from '../helpers/open-sandbox.js'
import { processesWithArgument, until } from '../helpers/processes.js'
import { openTier, pythonSays, workingTiers } from '../helpers/tiers.js'

const MIB = 1024 * 1024
const SPIN = 'print("started", flush=True)\nwhile True: pass'

describe.each([...workingTiers, 'process'] as const)('in the "%s" tier', (tier) => {
  test('the wall clock ends a program that waits, and what it printed is kept', async () => {
    const sandbox = await openTier(tier)
    const result = await sandbox.exec('echo partial; sleep 60', { limits: { wallMs: 400 } })
    expect(result).toMatchObject({
      outcome: { kind: 'timeout', clock: 'wall', limitMs: 400 },
      ok: false,
      stdout: { text: 'partial\n' },
    })
    expect(result.durationMs).toBeLessThan(5_000)
  })

  test('a real-time signal is an end by that signal, never success', async () => {
    const sandbox = await openTier(tier)
    const kill = ['sh', '-c', 'echo before; kill -37 $$']
    const outcome = { kind: 'signal', signal: 'SIG37' }
    expect(await sandbox.exec(kill)).toMatchObject({ outcome, ok: false, stdout: { text: 'before\n' } })
    expect(await (await sandbox.spawn?.(kill))?.outcome).toEqual(outcome)
    expect(await sandbox.exec(['sh', '-c', 'exit 0'])).toMatchObject({ ok: true })
  })

  test('what is written to a process that takes no more is refused, and says what to do', async () => {
    const sandbox = await openTier(tier)
    const ended = await sandbox.spawn?.('exit 0')
    const closed = await sandbox.spawn?.('sleep 60')
    closed?.end()
    await ended?.outcome
    const refusal = { code: 'SANDBOX_UNAVAILABLE', message: expect.stringContaining('spawn()') }
    for (const child of [ended, closed]) await expect(child?.write('x')).rejects.toMatchObject(refusal)
    closed?.kill()
  })

  test('processor time ends a program that spins', async () => {
    const sandbox = await openTier(tier)
    const limits = { cpuMs: 1_000, wallMs: 12_000 }
    const result = await sandbox.exec(['python3', '-c', SPIN], { limits })
    expect(result).toMatchObject({
      outcome: { kind: 'timeout', clock: 'cpu', limitMs: 1_000 },
      stdout: { text: 'started\n' },
    })
  })

  test('one process cannot have more memory than the limit', async () => {
    const sandbox = await openTier(tier)
    const source = 'try: bytearray(400 << 20)\nexcept MemoryError: print("refused")'
    const result = await sandbox.exec(['python3', '-c', source], { limits: { memoryBytes: 128 * MIB } })
    expect(result.stdout.text).toBe('refused\n')
  })

  test('a file larger than the limit ends the program that writes it', async () => {
    const sandbox = await openTier(tier)
    const result = await sandbox.exec('exec head -c 3000000 /dev/zero > large', {
      limits: { fileBytes: MIB },
    })
    expect(result.outcome).toEqual({ kind: 'resource', limit: 'disk' })
    expect(result.changes).toMatchObject([{ path: 'large', kind: 'created', sizeBytes: MIB }])
  })

  test('a flood keeps head and tail, and does not end the program', async () => {
    const sandbox = await openTier(tier)
    const source =
      'import sys\nprint("head")\nfor _ in range(64): sys.stderr.write("x" * (1 << 20))\nprint("tail")'
    const result = await sandbox.exec(['python3', '-c', source], { limits: { outputBytes: 4096 } })
    expect(result).toMatchObject({ ok: true, stdout: { text: 'head\ntail\n' }, stderr: { bytes: 64 * MIB } })
    expect(Buffer.byteLength(result.stderr.text)).toBeLessThanOrEqual(4096)
  })

  test('more output than is allowed in all ends the program, and both ends of it are kept', async () => {
    const sandbox = await openTier(tier)
    const limits = { outputBytes: 4096, totalOutputBytes: 2 * MIB, wallMs: 20_000 }
    const result = await sandbox.exec('echo first; yes >&2', { limits })
    expect(result).toMatchObject({ outcome: { kind: 'resource', limit: 'output' }, ok: false })
    expect(result.stdout.text).toBe('first\n')
    expect(result.stderr).toMatchObject({ truncated: true })
    const program = await runProgram(
      sandbox,
      { files: { 'main.py': 'print("first", flush=True)\nwhile True: print("x" * 1000)' } },
      { limits },
    )
    expect(program).toMatchObject({ outcome: { kind: 'resource', limit: 'output' }, engine: 'runner' })
    expect(program.stdout.text).toMatch(/^first\n/)
  })

  test.each<[string, Outcome]>([
    ['exit 7', { kind: 'exit', code: 7 }],
    ['exit 137', { kind: 'exit', code: 137 }],
    ['kill -SEGV $$', { kind: 'signal', signal: 'SIGSEGV' }],
    ['kill -KILL $$', { kind: 'signal', signal: 'SIGKILL' }],
    ['kill -XCPU $$', { kind: 'signal', signal: 'SIGXCPU' }],
    ['echo MemoryError >&2; exit 1', { kind: 'exit', code: 1 }],
    ['there-is-no-such-program', { kind: 'exit', code: 127 }],
  ])('%s ends as %o', async (command, outcome) => {
    const sandbox = await openTier(tier)
    expect((await sandbox.exec(command, { limits: { cpuMs: 10_000 } })).outcome).toEqual(outcome)
  })

  test('a program that is not there is an exit code, with the reason on standard error', async () => {
    const sandbox = await openTier(tier)
    const result = await sandbox.exec(['there-is-no-such-program', 'x'])
    expect(result.outcome).toEqual({ kind: 'exit', code: 127 })
    expect(result.stderr.text).toContain('there-is-no-such-program')
  })

  test('an abort before, during and after is told as one, once', async () => {
    const sandbox = await openTier(tier)
    const before = await sandbox.exec('echo no', { signal: AbortSignal.abort() })
    expect(before).toMatchObject({ outcome: { kind: 'aborted' }, stdout: { text: '' } })
    const controller = new AbortController()
    const during = await sandbox.exec('echo partial; sleep 60', {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    })
    expect(during).toMatchObject({ outcome: { kind: 'aborted' }, stdout: { text: 'partial\n' } })
    const late = new AbortController()
    const after = await sandbox.exec('echo done', { signal: late.signal })
    late.abort()
    expect(after.outcome).toEqual({ kind: 'exit', code: 0 })
  })

  test('with a grace a program may tidy up, and one that is deaf is killed when it is over', async () => {
    const provider = subprocess({ isolation: tier, minimum: tier, killGraceMs: 1_000 })
    await using sandbox = await provider.create()
    const tidy = await runFixture(sandbox, 'tidies-up.py', { limits: { wallMs: 600 } })
    expect(tidy).toMatchObject({
      outcome: { kind: 'timeout' },
      ok: false,
      stdout: { text: 'ready\ntidied\n' },
    })
    const deaf = await runFixture(sandbox, 'is-deaf.py', { limits: { wallMs: 600 } })
    expect(deaf).toMatchObject({ outcome: { kind: 'timeout' }, stdout: { text: 'deaf\n' } })
    expect(deaf.durationMs).toBeGreaterThan(1_500)
  })

  test('a program that ignores every signal, one that stops itself and one that spins in children all end in time', async () => {
    const sandbox = await openTier(tier)
    const sources = [
      'import signal, time\nfor n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\ntime.sleep(60)',
      'import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)',
      'import os\nfor _ in range(2):\n    if os.fork() == 0:\n        os.setsid()\n        while True: pass\nwhile True: pass',
    ]
    for (const source of sources) {
      const result = await sandbox.exec(['python3', '-c', source, 'mendloop-outcome'], {
        limits: { wallMs: 500 },
      })
      expect(result.outcome).toEqual({ kind: 'timeout', clock: 'wall', limitMs: 500 })
      expect(result.durationMs).toBeLessThan(5_000)
    }
    await until('all are gone', () => processesWithArgument('mendloop-outcome').length === 0)
  })
})

describe.each(workingTiers)('behind the walls of the "%s" tier', (tier) => {
  test('what it used is told', async () => {
    const sandbox = await openTier(tier)
    const { usage } = await sandbox.exec([
      'python3',
      '-c',
      'x = bytearray(60 << 20)\nfor _ in range(10**6): pass',
    ])
    expect(usage.peakMemoryBytes).toBeGreaterThan(60 * MIB)
    expect(usage.cpuMs).toBeGreaterThan(5)
  })

  test('a system call of another architecture is denied, and told as that', async () => {
    const sandbox = await openTier(tier)
    // getpid of 32-bit programs: mov eax, 20; int 0x80; ret
    const source = [
      'import ctypes, mmap',
      'code = mmap.mmap(-1, 4096, prot=7)',
      'code.write(bytes.fromhex("b814000000cd80c3"))',
      'ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()',
    ].join('\n')
    const result = await sandbox.exec(['python3', '-c', source])
    expect(result.outcome).toEqual({ kind: 'denied', rule: 'system call' })
  })

  test('a full workspace is told as that where its size is bounded, and only by a program that failed', async ({
    skip,
  }) => {
    const sandbox = await openTier(tier, tier === 'namespaces' ? { limits: { diskBytes: 4 * MIB } } : {})
    skip(sandbox.guarantees.disk !== 'bounded', 'the size of a workspace is not bounded in this tier')
    const fill = `
import sys
try:
    for n in range(100): open(f'f{n}', 'wb').write(bytes(1 << 20))
except OSError: sys.exit(int(sys.argv[1]))`
    const argv = (code: string) => ['python3', '-c', fill, code]
    expect((await sandbox.exec(argv('1'))).outcome).toEqual({ kind: 'resource', limit: 'disk' })
    expect((await sandbox.exec(argv('0'))).outcome).toEqual({ kind: 'exit', code: 0 })
    for (const { path } of await sandbox.files.list()) await sandbox.files.remove(path)
    expect(await pythonSays(sandbox, 'print(len(open("again", "wb").write(bytes(1 << 20)).__str__()))')).toBe(
      '7\n',
    )
  })
})
