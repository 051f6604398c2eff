// The host's side over the real runner: input, output, kills, many at once, an end that always comes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ForkRunner, RunnerEnd, RunnerRequest } from '../../../src/contract/fork-runner.js'
import { startRunner } from '../../../src/guest/runner/start-runner.js'
import { type GatheredExecution, startPython } from '../../helpers/gathered-execution.js'
import { type ProcessChannel, processChannel } from '../../helpers/process-channel.js'
import { onLinux, requires } from '../../helpers/requires.js'

const MEBIBYTE = 1024 * 1024

describe.runIf(requires('python3') && onLinux('the fork runner'))('HostRunner', () => {
  let workspace: string
  let runner: ForkRunner
  let channel: ProcessChannel

  const open = async (setup: { freshRoot?: string } = {}): Promise<ForkRunner> =>
    await startRunner(async ({ argv }) => (channel = processChannel(argv)), {
      confinement: 'plain',
      workspace,
      readOnly: [],
      tmpBytes: MEBIBYTE,
      shmBytes: MEBIBYTE,
      ...setup,
    })

  beforeAll(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'mendloop-test-'))
    runner = await open()
  })
  afterAll(async () => {
    await runner.close()
    rmSync(workspace, { recursive: true, force: true })
  })

  const start = (source: string, request: Partial<RunnerRequest> = {}, by = runner): GatheredExecution =>
    startPython(by, source, request)

  const code = ({ how }: RunnerEnd): unknown => (how.kind === 'exit' ? how.code : how)

  test('says of itself which interpreter it is', () => {
    expect(runner.hello).toMatchObject({ protocol: 1, confinement: 'plain', syscallFilter: false })
    expect(runner.hello.python.version).toMatch(/^3\.\d+\.\d+$/)
  })

  test('talks with a program, line by line', async () => {
    const echo = start('import sys\nfor line in sys.stdin: print("got " + line, end="", flush=True)', {
      stdin: 'pipe',
    })
    await echo.write(Buffer.from('one\n'))
    await echo.first
    expect(echo.text()).toBe('got one\n')
    await echo.write(Buffer.from('two\n'))
    echo.endInput()
    expect(code(await echo.ended)).toBe(0)
    expect(echo.text()).toBe('got one\ngot two\n')
  })

  test('hands over input of every size, at the start and by and by, to the last byte', async () => {
    const count = 'import sys, hashlib\nprint(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())'
    const { createHash } = await import('node:crypto')
    for (const size of [0, 1, 3 * MEBIBYTE, 40 * MEBIBYTE]) {
      const data = Buffer.alloc(size, 'some data ')
      const digest = `${createHash('sha256').update(data).digest('hex')}\n`
      const whole = start(count, { stdin: data })
      expect(code(await whole.ended)).toBe(0)
      expect(whole.text(), `${size} bytes at the start`).toBe(digest)
      const piped = start(count, { stdin: 'pipe' })
      void piped.write(data.subarray(0, size >> 1))
      void piped.write(data.subarray(size >> 1))
      piped.endInput()
      expect(code(await piped.ended)).toBe(0)
      expect(piped.text(), `${size} bytes by and by`).toBe(digest)
    }
  })

  test('makes a writer wait for a reader, and lets it go when the program ends', async () => {
    const deaf = start('import time\nprint("up", flush=True)\ntime.sleep(60)', { stdin: 'pipe' })
    await deaf.first
    await deaf.write(Buffer.alloc(100_000))
    let taken = false
    const written = deaf.write(Buffer.alloc(4 * MEBIBYTE)).then(() => {
      taken = true
    })
    // Whatever the runner had to say to it is before the answer to this.
    expect(code(await start('').ended)).toBe(0)
    expect(taken).toBe(false)
    deaf.kill()
    await written
    await deaf.write(Buffer.from('too late'))
    expect(code(await deaf.ended)).toEqual({ kind: 'signal', signal: 'SIGKILL' })
  })

  test('lets a write to a program that reads nothing more go', async () => {
    const deaf = start('import os, time\nos.close(0)\nprint("up", flush=True)\ntime.sleep(60)', {
      stdin: 'pipe',
    })
    await deaf.first
    await deaf.write(Buffer.alloc(4 * MEBIBYTE))
    deaf.kill()
    await deaf.ended
  })

  test('stops taking output when asked, and takes the rest when a paused program is killed', async () => {
    const flood = start('import os\nwhile True: os.write(1, b"x" * 65536)')
    await flood.first
    flood.pause(true)
    const before = await settledLength(flood)
    flood.pause(false)
    while (flood.text().length <= before) await start('').ended
    flood.pause(true)
    flood.kill()
    expect(code(await flood.ended)).toEqual({ kind: 'signal', signal: 'SIGKILL' })
  })

  /** Length of the output once two looks in a row see the same. */
  async function settledLength(flood: { text(): string }): Promise<number> {
    for (let length = -1; ; ) {
      await start('').ended
      if (flood.text().length === length) return length
      length = flood.text().length
    }
  }

  test('runs many at once and mixes nothing up', async () => {
    const all = Array.from({ length: 24 }, (_, number) =>
      start(`import sys\nfor _ in range(2000): print(${number})\nsys.exit(${number})`),
    )
    const ends = await Promise.all(all.map(({ ended }) => ended))
    expect(ends.map(code)).toEqual(all.map((_, number) => number))
    for (const [number, one] of all.entries()) expect(one.text()).toBe(`${number}\n`.repeat(2000))
  })

  test('tells what cannot be started instead of throwing', async () => {
    const { ended } = start('', { program: { kind: 'argv', argv: ['no-such-program'] } })
    expect((await ended).how).toMatchObject({ kind: 'not-started', code: 'ENOENT' })
    const large = start('', { files: { 'main.py': Buffer.alloc(65 * MEBIBYTE) } })
    expect((await large.ended).how).toMatchObject({
      kind: 'not-started',
      // With the variables of this machine, so not to the byte.
      reason: expect.stringMatching(/^its files are 68\d{6} bytes together/),
    })
    expect(code(await start('').ended)).toBe(0)
  })

  test('gives the files that were left, under the caps', async () => {
    const source = 'for n in range(3): open(f"f{n}", "wb").write(b"x" * (n * 1500000))\nopen("e", "w")'
    const { files = [], withheld } = await start(source, { collect: { files: 10, bytes: 2_000_000 } }).ended
    expect(files.map(({ path, content }) => [path, content.length]).sort()).toEqual([
      ['e', 0],
      ['f0', 0],
      ['f1', 1_500_000],
    ])
    expect(withheld).toEqual(['f2'])
  })

  test('loads packages ahead and says why one is not there', async () => {
    const ready = await runner.prepare({ preload: ['json', 'no_such_package'] })
    expect(ready.loaded).toContain('json')
    expect(ready.failed).toEqual({ no_such_package: expect.stringContaining('no_such_package') })
  })

  test('is lost with all it runs when its process dies', async () => {
    // A folder of the test's own: who is killed clears nothing away.
    const freshRoot = mkdtempSync(join(tmpdir(), 'mendloop-test-'))
    onTestFinished(() => rmSync(freshRoot, { recursive: true, force: true, maxRetries: 20 }))
    const other = await open({ freshRoot })
    const { pid } = channel
    const running = start('import time\nprint("up", flush=True)\ntime.sleep(60)', {}, other)
    await running.first
    process.kill(pid, 'SIGKILL')
    expect(await other.lost).toBe('its process was ended by SIGKILL')
    expect((await running.ended).how).toEqual({ kind: 'lost', cause: await other.lost, started: true })
    await other.close()
  })

  test('ends what runs when it is closed, at once', async () => {
    const other = await open()
    const running = start('import time\nprint("up", flush=True)\ntime.sleep(60)', {}, other)
    await running.first
    const startedAt = performance.now()
    await other.close()
    expect(performance.now() - startedAt).toBeLessThan(2_500)
    expect((await running.ended).how).toMatchObject({ kind: 'lost', cause: 'it was closed' })
    expect(await channel.outcome).toMatchObject({ kind: 'exit', code: 0 })
  })

  test('leaves no timer behind, however its executions end', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const all = Array.from({ length: 20 }, (_, number) =>
      start(`print("up", flush=True)\nimport time\ntime.sleep(60 * ${number % 2})`),
    )
    await Promise.all(all.map(({ first }) => first))
    for (const one of all) one.kill()
    await Promise.all(all.map(({ ended }) => ended))
    expect(timers()).toBeLessThanOrEqual(before)
  })
})
