import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openSandbox, runFixture } from './helpers/open-sandbox.js'
import { processesWithArgument, seesProcesses, until } from './helpers/processes.js'

const ways = seesProcesses ? ['same-group', 'new-session', 'daemon', 'bare-environment'] : ['same-group']

test.each(ways)(
  'at the limit a child that left by "%s" is gone too, though it holds the pipes',
  async (way) => {
    const sandbox = await openSandbox()
    const mark = randomUUID()
    const started = performance.now()
    const result = await runFixture(
      sandbox,
      'leaves-a-child.py',
      { limits: { wallMs: 1500 } },
      { args: [mark, way, 'hang'] },
    )
    expect(result).toMatchObject({ outcome: { kind: 'timeout' }, stdout: { text: 'started\n' } })
    expect(result).not.toHaveProperty('leftover')
    expect(performance.now() - started).toBeLessThan(3500)
    if (seesProcesses) expect(processesWithArgument(mark)).toEqual([])
  },
)

test.each(ways)(
  'after a normal end a child that left by "%s" is gone, and nobody waited for it',
  async (way) => {
    const sandbox = await openSandbox()
    const mark = randomUUID()
    const started = performance.now()
    const result = await runFixture(
      sandbox,
      'leaves-a-child.py',
      { limits: { wallMs: 14_000 } },
      { args: [mark, way, 'end'] },
    )
    expect(result).toMatchObject({ outcome: { kind: 'exit', code: 0 }, stdout: { text: 'started\n' } })
    expect(performance.now() - started).toBeLessThan(4000)
    if (seesProcesses) expect(processesWithArgument(mark)).toEqual([])
  },
)

test('the children of a program running beside it are left alone', async () => {
  const sandbox = await openSandbox()
  const [one, two] = [randomUUID(), randomUUID()]
  const long = runFixture(
    sandbox,
    'leaves-a-child.py',
    { limits: { wallMs: 3000 } },
    { args: [one, 'new-session', 'hang'] },
  )
  await runFixture(sandbox, 'leaves-a-child.py', {}, { args: [two, 'new-session', 'end'] })
  if (seesProcesses)
    expect([processesWithArgument(one).length > 0, processesWithArgument(two)]).toEqual([true, []])
  await sandbox.close()
  expect((await long).outcome).toEqual({ kind: 'aborted' })
  if (seesProcesses) expect(processesWithArgument(one)).toEqual([])
})

test('a program that ignores the polite signal is killed when its grace is over', async () => {
  const sandbox = await openSandbox({ killGraceMs: 400 })
  const result = await runFixture(sandbox, 'is-deaf.py', { limits: { wallMs: 800 } })
  expect(result).toMatchObject({ outcome: { kind: 'timeout', limitMs: 800 }, stdout: { text: 'deaf\n' } })
  expect(result.durationMs).toBeGreaterThan(1190)
  expect(result.durationMs).toBeLessThan(3500)
})

test('with a grace a program may tidy up, and the outcome is still the timeout', async () => {
  const sandbox = await openSandbox({ killGraceMs: 5000 })
  const result = await runFixture(sandbox, 'tidies-up.py', { limits: { wallMs: 800 } })
  expect(result).toMatchObject({
    outcome: { kind: 'timeout' },
    ok: false,
    stdout: { text: 'ready\ntidied\n' },
  })
  expect(result.durationMs).toBeLessThan(3000)
})

test('a program that stops itself is killed at the limit like any other', async () => {
  const sandbox = await openSandbox()
  const result = await sandbox.exec('kill -STOP $$', { limits: { wallMs: 500 } })
  expect(result.outcome).toEqual({ kind: 'timeout', clock: 'wall', limitMs: 500 })
})

test.runIf(seesProcesses)(
  'what hides from every search is not waited for, and the result says that it is there',
  async () => {
    const sandbox = await openSandbox()
    const mark = randomUUID()
    const started = performance.now()
    const result = await runFixture(sandbox, 'leaves-a-child.py', {}, { args: [mark, 'out-of-sight', 'end'] })
    const hidden = processesWithArgument(mark)
    for (const pid of hidden) process.kill(pid, 'SIGKILL')
    expect(hidden).toHaveLength(1)
    expect(result).toMatchObject({
      outcome: { kind: 'exit', code: 0 },
      leftover: true,
      stdout: { text: 'started\n' },
    })
    expect(performance.now() - started).toBeLessThan(4000)
  },
)

/** Starts a sleeper that carries no marker, holds no pipe and has left the group. */
const daemonise = [
  'import subprocess, sys',
  'sleeper = [sys.executable, "-c", "import time; time.sleep(60)", sys.argv[1]]',
  'quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)',
  'subprocess.Popen(sleeper, env={}, start_new_session=True, **quiet)',
].join('\n')

test.runIf(seesProcesses)(
  'of two runs side by side the last one to end takes with it what the first has left',
  async () => {
    const sandbox = await openSandbox()
    const mark = randomUUID()
    const second = await sandbox.spawn?.(['cat'])
    expect(await sandbox.exec(['python3', '-c', daemonise, mark])).toMatchObject({ ok: true })
    await sandbox.exec('true')
    expect(processesWithArgument(mark)).toHaveLength(1)
    second?.end()
    expect(await second?.outcome).toEqual({ kind: 'exit', code: 0 })
    expect(processesWithArgument(mark)).toEqual([])
  },
)

test.runIf(seesProcesses)(
  'closing ends what works in the folder, whoever started it and whenever',
  async () => {
    const sandbox = await openSandbox()
    const mark = randomUUID()
    await sandbox.exec('true')
    execFileSync('python3', ['-c', daemonise, mark], { cwd: sandbox.workdir })
    await until('it runs', () => processesWithArgument(mark).length === 1)
    await sandbox.close()
    expect(processesWithArgument(mark)).toEqual([])
  },
)

test.runIf(seesProcesses)(
  'a process that becomes another one all the time cannot hold a run up, nor outlive the sandbox for long',
  async () => {
    const sandbox = await openSandbox()
    const code = [
      'import os, time',
      'end = time.monotonic() + 6',
      'if os.fork() == 0:',
      '    os.setsid()',
      '    while time.monotonic() < end:',
      '        if os.fork() > 0: os._exit(0)',
    ].join('\n')
    const started = performance.now()
    const result = await sandbox.exec(['python3', '-c', code])
    expect(result.outcome).toEqual({ kind: 'exit', code: 0 })
    expect(performance.now() - started).toBeLessThan(4000)
  },
)

/** Prints a line when it is asked to end, and goes on. */
const stubborn = [
  'import os, signal, time',
  'signal.signal(signal.SIGTERM, lambda *_: os.write(1, b"asked\\n"))',
  'end = time.monotonic() + 40',
  'while time.monotonic() < end: time.sleep(1)',
].join('\n')

test.each(['an abort', 'closing'])(
  'once a program has been asked to end, %s does not wait for its grace',
  async (way) => {
    const sandbox = await openSandbox({ killGraceMs: 30_000 })
    const controller = new AbortController()
    let stoppedAt = Number.POSITIVE_INFINITY
    const result = await sandbox.exec(['python3', '-c', stubborn], {
      limits: { wallMs: 1000 },
      signal: controller.signal,
      onOutput: () => {
        stoppedAt = performance.now()
        if (way === 'closing') void sandbox.close()
        else controller.abort()
      },
    })
    expect(performance.now() - stoppedAt).toBeLessThan(3000)
    expect(result).toMatchObject({ outcome: { kind: 'timeout', limitMs: 1000 }, stdout: { text: 'asked\n' } })
  },
  15_000,
)
