// Interrupts, deaths and ends of sessions: what survives, what is lost, what is said of it.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Session } from '../../../src/guest/session/session.js'
import { lastOf, sessionOf } from '../../helpers/open-session.js'
import { onLinux, requires } from '../../helpers/requires.js'

const describePython = describe.skipIf(!requires('python3'))

/** Resolves with the number that the running cell prints first. */
function printedNumber(session: Session, code: string): Promise<number> {
  return new Promise((resolve) => {
    void session.run(code, { onOutput: ({ text }) => resolve(Number(text)) })
  })
}

function isThere(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

async function gone(pid: number): Promise<boolean> {
  const deadline = performance.now() + 5_000
  while (isThere(pid) && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10))
  return !isThere(pid)
}

describePython('a cell that does not end', () => {
  test.each([
    ['a loop', 'y = 2\nprint("so far")\nwhile True: pass'],
    ['sleeping', 'import time\ny = 2\nprint("so far")\ntime.sleep(60)'],
    ['waiting for a child', 'import subprocess\ny = 2\nprint("so far")\nsubprocess.run(["sleep", "60"])'],
    ['awaiting', 'import asyncio\ny = 2\nprint("so far")\nawait asyncio.sleep(60)'],
  ])('is interrupted at its limit when it is %s, and variables survive', async (_, code) => {
    const { session } = await sessionOf('python')
    await session.run('x = 1')
    const { outcome, ok, stdout, error, lost } = await session.run(code, { timeoutMs: 400 })
    expect([outcome, ok, lost]).toEqual([{ kind: 'timeout', clock: 'wall', limitMs: 400 }, false, undefined])
    expect(stdout.text).toBe('so far\n')
    expect([error?.name, error?.frames[0]?.path]).toEqual(['KeyboardInterrupt', '<cell 2>'])
    expect((await session.run('x + y')).value?.data['text/plain']).toBe('3')
    expect(session.epoch).toBe(1)
  })

  test.each([
    [
      'again and again',
      'while True:\n    try:\n        for _ in iter(int, 1): len([])\n    except BaseException: len([])',
    ],
    [
      'once',
      'try:\n    while True:\n        len([])\nexcept BaseException:\n    while True:\n        len([])',
    ],
  ])(
    'is replaced when it swallows the interrupt %s, which is told once, and the next runs at once',
    async (_, deaf) => {
      const { session } = await sessionOf('python', { interruptGraceMs: 200 })
      await session.run('x = 1\ndef f(): pass')
      const { outcome, lost, epoch } = await session.run(deaf, { timeoutMs: 300 })
      expect([outcome.kind, epoch, session.epoch]).toEqual(['timeout', 1, 2])
      expect(lost).toMatchObject({ reason: 'unresponsive', variables: ['f', 'x'] })
      const next = await session.run('print("next")')
      expect([next.stdout.text, next.epoch, next.restarted?.message]).toEqual(['next\n', 2, lost?.message])
      expect((await session.run('1')).restarted).toBeUndefined()
    },
  )

  test('does not keep the next from being interrupted when it replaced the handler', async () => {
    const { session } = await sessionOf('python')
    await session.run('import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)')
    const { outcome, lost } = await session.run('while True: pass', { timeoutMs: 300 })
    expect([outcome.kind, lost]).toEqual(['timeout', undefined])
  })

  test('is aborted by its signal or by interrupt(), and so is one that waits, at once', async () => {
    const { session } = await sessionOf('python')
    const [first, second] = [new AbortController(), new AbortController()]
    const running = session.run('print(1)\nwhile True: pass', {
      signal: first.signal,
      onOutput: () => second.abort(),
    })
    const waiting = session.run('never = 1', { signal: second.signal })
    expect((await waiting).outcome).toEqual({ kind: 'aborted' })
    first.abort()
    expect((await running).outcome).toEqual({ kind: 'aborted' })
    const interrupted = session.run('print(1)\nwhile True: pass', { onOutput: () => session.interrupt() })
    expect((await interrupted).outcome).toEqual({ kind: 'aborted' })
    expect((await session.run('never')).error?.name).toBe('NameError')
  })
})

describePython('a worker that dies', () => {
  test.each([
    ['import os; print("last"); os._exit(9)', { kind: 'exit', code: 9 }, 'exit'],
    // Well ended, and yet not ok: the variables are gone.
    ['import os; print("last"); os._exit(0)', { kind: 'exit', code: 0 }, 'exit'],
    ['import ctypes; print("last"); ctypes.string_at(0)', { kind: 'signal', signal: 'SIGSEGV' }, 'signal'],
    ['import os; print("last"); os.kill(os.getpid(), 9)', { kind: 'signal', signal: 'SIGKILL' }, 'signal'],
  ])('is told as it was: %j', async (code, outcome, reason) => {
    const { session } = await sessionOf('python')
    const died = await lastOf(session, 'x = 41', code)
    expect([died.outcome, died.ok, died.stdout.text]).toEqual([outcome, false, 'last\n'])
    expect(died.lost).toMatchObject({ reason, variables: ['x'] })
    const next = await session.run('print(x + 1)')
    expect([next.error?.name, next.epoch, next.restarted?.reason]).toEqual(['NameError', 2, reason])
    expect(next.restarted?.message).toMatch(/restarted.*variables.*x/)
  })

  test('a fork that runs out of its cell ends, and the session goes on', async () => {
    const { session } = await sessionOf('python')
    const { stdout, ok } = await session.run(
      'import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\nprint("done")',
    )
    expect([ok, stdout.text]).toEqual([true, 'done\ndone\n'])
    expect((await session.run('1')).epoch).toBe(1)
  })

  test('too much memory is told as that', async () => {
    const { session } = await sessionOf('python')
    const { outcome, error } = await session.run('raise MemoryError()')
    expect([outcome, error?.name]).toEqual([{ kind: 'resource', limit: 'memory' }, 'MemoryError'])
  })

  test('the death of the control process is told as lost, and the next cell has a fresh one', async () => {
    const { session } = await sessionOf('python')
    const { outcome, lost } = await session.run('import os, time; os.kill(os.getppid(), 9); time.sleep(30)')
    expect([outcome.kind, lost?.reason]).toEqual(['lost', 'lost'])
    const { epoch, value } = await session.run('6 * 7')
    expect([epoch, value?.data['text/plain']]).toEqual([2, '42'])
  })
})

describePython('the end of a session', () => {
  test.skipIf(!onLinux('processes that are left behind'))(
    'processes that a cell left live until a restart',
    async () => {
      const { session } = await sessionOf('python')
      const start = (extra: string) =>
        `import subprocess\nprint(subprocess.Popen(["sleep", "60"]${extra}).pid)`
      const [plain, apart] = [
        await printedNumber(session, start('')),
        await printedNumber(session, start(', start_new_session=True')),
      ]
      await session.run('pass')
      expect([plain, apart].every(isThere)).toBe(true)
      await session.restart()
      expect(await Promise.all([gone(plain), gone(apart)])).toEqual([true, true])
      expect(await session.run('1')).toMatchObject({ epoch: 2, restarted: { reason: 'restart' } })
    },
  )

  test.skipIf(!onLinux('processes that are left behind'))(
    'close() ends what runs and waits, within two seconds, and leaves nobody',
    async () => {
      const { session, sandbox } = await sessionOf('python')
      const deaf =
        'import os\nprint(os.getpid())\nwhile True:\n    try:\n        for _ in iter(int, 1): len([])\n    except BaseException: len([])'
      let worker = 0
      const up = new Promise<void>((resolve) => {
        void session.run('1').then(() => undefined)
        running = session.run(deaf, {
          onOutput: ({ text }) => {
            worker = Number(text)
            resolve()
          },
        })
      })
      const waiting = session.run('2')
      await up
      const startedAt = performance.now()
      await session.close()
      expect(performance.now() - startedAt).toBeLessThan(2_000)
      expect([(await running).outcome.kind, (await waiting).outcome.kind]).toEqual(['aborted', 'aborted'])
      expect(await gone(worker)).toBe(true)
      await expect(session.run('3')).rejects.toMatchObject({ code: 'SANDBOX_CLOSED' })
      await session.close()
      expect((await sandbox.exec(['echo', 'open'])).stdout.text).toBe('open\n')
    },
  )

  test('closing the sandbox ends its session, and a signal does too', async () => {
    const controller = new AbortController()
    const { session, sandbox } = await sessionOf('python', { signal: controller.signal })
    controller.abort()
    await session.close()
    await expect(session.run('1')).rejects.toMatchObject({ code: 'SANDBOX_CLOSED' })
    const other = await sessionOf('python')
    await other.sandbox.close()
    await expect(other.session.run('1')).rejects.toMatchObject({ code: 'SANDBOX_CLOSED' })
    await sandbox.close()
  })

  test.skipIf(!onLinux('descriptors'))(
    'a hundred sessions of cells leave no descriptor in this process',
    async () => {
      const { session } = await sessionOf('python')
      const count = (): number => readdirSync('/proc/self/fd').length
      await session.run('1')
      const before = count()
      for (let cell = 0; cell < 100; cell++) await session.run(`print(${cell})`)
      await session.restart()
      await session.run('1')
      expect(count()).toBeLessThanOrEqual(before)
    },
  )
})

let running: ReturnType<Session['run']>
