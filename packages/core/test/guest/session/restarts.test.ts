// A worker that is replaced, dies between two cells, or waits for a child: no cell pays for what another one did.
import { describe, expect, test } from 'vitest'
import { openSession } from '../../../src/guest/session/open-session.js'
import { processSandbox, sessionOf } from '../../helpers/open-session.js'
import { requires } from '../../helpers/requires.js'

const languages = (['python', 'javascript'] as const).filter((one) =>
  requires(one === 'python' ? 'python3' : 'node'),
)

describe.each(languages)('in %s', (language) => {
  const python = language === 'python'

  test('a session may be restarted any number of times', async () => {
    const { session } = await sessionOf(language)
    for (let count = 0; count < 12; count++) await session.restart()
    expect(await session.run('1')).toMatchObject({ ok: true, epoch: 13, restarted: { reason: 'restart' } })
  })

  test('a cell that is sent during a restart runs in the fresh process', async () => {
    const { session } = await sessionOf(language)
    const restarts = [session.restart(), session.restart()]
    const cell = session.run('2 + 2')
    await Promise.all(restarts)
    const { outcome, value, epoch, restarted } = await cell
    expect([outcome, value?.data['text/plain']]).toEqual([{ kind: 'exit', code: 0 }, '4'])
    expect([epoch, restarted?.reason]).toEqual([session.epoch, 'restart'])
  })

  test('a restart right after a death is a restart, and the next cell is not killed by it', async () => {
    const { session } = await sessionOf(language)
    for (let count = 0; count < 3; count++) {
      await session.run(python ? 'import os; os._exit(1)' : 'process.reallyExit(1)')
      await session.restart()
      expect(await session.run('1')).toMatchObject({ ok: true, restarted: { reason: 'restart' } })
    }
  })

  test('a cell that waits for a child without hearing is interrupted with it, and variables survive', async () => {
    const { session } = await sessionOf(language)
    await session.run(
      python ? 'import os\nx = 7' : "const x = 7; const { execSync } = require('child_process')",
    )
    const { outcome, lost, error } = await session.run(
      python ? 'os.system("sleep 60")\nwhile True: pass' : "execSync('sleep 60'); for (;;) {}",
      { timeoutMs: 300 },
    )
    expect([outcome.kind, lost]).toEqual(['timeout', undefined])
    expect(error?.frames.map(({ path }) => path)).toEqual(python ? ['<cell 2>'] : [])
    expect((await session.run('x')).value?.data['text/plain']).toBe('7')
  })

  test('listeners that reject break nothing', async () => {
    const { session } = await sessionOf(language)
    const { ok } = await session.run(python ? 'print(1)' : 'console.log(1)', {
      onOutput: async () => {
        throw new Error('a rejection that nobody handles fails this test')
      },
    })
    expect(ok).toBe(true)
  })

  test('opening that is aborted under way is aborted', async () => {
    const sandbox = await processSandbox()
    const controller = new AbortController()
    const opening = openSession(sandbox, { language, signal: controller.signal })
    controller.abort()
    await expect(opening).rejects.toMatchObject({ code: 'ABORTED' })
  })
})

describe.skipIf(!languages.includes('javascript'))('an interrupt that hits the debugger of Node', () => {
  test('costs the session its variables, which is told, and not its later cells', async () => {
    const { session } = await sessionOf('javascript')
    await session.run('const x = 1')
    const { outcome, lost } = await session.run("process.kill(process.pid, 'SIGINT'); 1")
    // Whether it comes too late for the cell is a matter of microseconds.
    if (outcome.kind === 'signal') expect(lost?.variables).toEqual(['x'])
    expect((await session.run('6 * 7')).value?.data['text/plain']).toBe('42')
  })
})

describe.skipIf(!languages.includes('javascript'))('an interrupt that comes as a cell ends', () => {
  test('does not interrupt the next one', async () => {
    const { session } = await sessionOf('javascript')
    for (let count = 0; count < 60; count++) {
      await session.run(
        'until = performance.now() + 19.5 + Math.random(); while (performance.now() < until); 1',
        { timeoutMs: 20 },
      )
      expect((await session.run('6 * 7')).value?.data['text/plain']).toBe('42')
    }
  })
})

describe.skipIf(!languages.includes('python'))('a forked copy of a session', () => {
  test('ends as a program does, and cannot speak for the session', async () => {
    const { session } = await sessionOf('python')
    const failed = await session.run(
      'import os\npid = os.fork()\nif pid == 0: 1 / 0\nos.waitpid(pid, 0)[1] >> 8',
    )
    expect([failed.value?.data['text/plain'], failed.ok]).toEqual(['1', true])
    expect(failed.stderr.text).toContain('ZeroDivisionError')
    const { value, stderr } = await session.run(
      'pid = os.fork()\nif pid == 0:\n    files = [open(name, "wb") for name in "abc"]\n    display(1)\nos.waitpid(pid, 0)\n[open(name).read() for name in "abc"]',
    )
    expect(value?.data['text/plain']).toBe("['', '', '']")
    expect(stderr.text).toContain('a forked copy of the session cannot display')
  })
})
