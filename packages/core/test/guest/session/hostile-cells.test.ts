// Cells that attack the session: each can spoil its own result, never another's, and never the host.
import type { Sandbox, SandboxProcess } from '@mendloop/core'
import { describe, expect, test } from 'vitest'
import { openSession } from '../../../src/guest/session/open-session.js'
import { memorySandbox } from '../../../src/testing/memory-sandbox.js'
import { processSandbox, sessionOf } from '../../helpers/open-session.js'
import { requires } from '../../helpers/requires.js'
import { withoutSpawn } from '../../helpers/without-spawn.js'

const describePython = describe.skipIf(!requires('python3'))

/** Writes to every descriptor that it has but the standard streams. */
const everywhere = (bytes: string) =>
  `import os\nfor fd in range(3, 64):\n    try: os.write(fd, ${bytes})\n    except OSError: pass`

describePython('a cell that writes to the channel of its worker', () => {
  test('has spoilt itself with what is no frame, and the next one is right', async () => {
    const { session } = await sessionOf('python')
    await session.run('x = 1')
    const { outcome, lost } = await session.run(`${everywhere('b"\\xff" * 64')}\nwhile True: pass`)
    expect([outcome.kind, lost?.reason, lost?.variables]).toEqual(['denied', 'spoilt', ['x']])
    expect((await session.run('print(2)')).stdout.text).toBe('2\n')
  })

  test('cannot forge a result without the nonce of its cell', async () => {
    const { session } = await sessionOf('python')
    const forged = `struct.pack("<IBI", 5 + 16 + len(body), 21, 1) + bytes(16) + body`
    const { value, outcome } = await session.run(
      `import struct\nbody = b'{"ok":true,"names":[],"value":{"data":{"text/plain":"forged"}}}'\n${everywhere(forged)}\n"honest"`,
    )
    expect([outcome, value?.data['text/plain']]).toEqual([{ kind: 'exit', code: 0 }, "'honest'"])
  })

  test('can end itself with a report of its own making, but not as somebody else', async () => {
    const { session } = await sessionOf('python')
    const send = (number: number, body: string) =>
      `import builtins, gc\nchannel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")\nchannel.send(21, ${number}, ${body})`
    const odd = await session.run(`${send(1, 'b\'{"ok":"yes"}\'')}\nwhile True: pass`)
    expect([odd.outcome.kind, odd.lost?.reason]).toEqual(['denied', 'spoilt'])
    const ahead = await session.run(`${send(3, 'b\'{"ok":true,"names":[]}\'')}\n"real"`)
    expect(ahead.value?.data['text/plain']).toBe("'real'")
    expect((await session.run('"next"')).value?.data['text/plain']).toBe("'next'")
  })

  test('floods the application with calls, and gets no more than one at a time', async () => {
    const { session } = await sessionOf('python')
    const before = process.memoryUsage().rss
    const { outcome } = await session.run(
      'import gc\nchannel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")\nfor n in range(2000): channel.send(23, n + 1, b"x" * 50_000)\n1',
    )
    expect(outcome).toEqual({ kind: 'exit', code: 0 })
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
  })
})

/** A shell in the place of the session's process. */
function spawned(sandbox: Sandbox, script: string): Promise<SandboxProcess> {
  if (sandbox.spawn === undefined) throw new Error('it cannot spawn')
  return sandbox.spawn(['sh', '-c', script])
}

describe('a session that cannot be opened', () => {
  test('needs a sandbox that can spawn', async () => {
    await using sandbox = await memorySandbox().create()
    await expect(openSession(sandbox, { language: 'python' })).rejects.toMatchObject({
      code: 'SANDBOX_UNSUPPORTED',
    })
  })

  test('names the option that is wrong', async () => {
    const sandbox = await processSandbox()
    const odd = { language: 'python', cellsMs: 1 } as unknown as { language: 'python' }
    await expect(openSession(sandbox, odd)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('"cellMs"'),
    })
    await expect(openSession(sandbox, { language: 'python', cellMs: 2 ** 40 })).rejects.toThrow(
      /"cellMs": must be at most 2147483647/,
    )
    await expect(openSession(sandbox, { language: 'ruby' as 'python' })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    })
    await expect(
      openSession(sandbox, { language: 'python', signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: 'ABORTED' })
  })

  test('says why a language did not start', async () => {
    const sandbox = await processSandbox()
    const broken = withoutSpawn(sandbox, {
      spawn: () => spawned(sandbox, 'echo no such language >&2; exit 127'),
    })
    await expect(openSession(broken, { language: 'python' })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringMatching(/python did not start.*127.*no such language/),
    })
  })

  test('gives up a program that says what no session says', async () => {
    const sandbox = await processSandbox()
    const liar = withoutSpawn(sandbox, {
      spawn: () => spawned(sandbox, "printf '\\000MENDLOOP-RUN-1\\n\\377\\377\\377\\377'; sleep 60"),
    })
    await expect(openSession(liar, { language: 'python' })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
    })
  })
})

describePython('a cell', () => {
  test('is refused when it is no text, or its options are wrong', async () => {
    const { session } = await sessionOf('python')
    await expect(session.run(1 as unknown as string)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    await expect(session.run('1', { timeoutMs: 0 })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    await expect(session.run('1', { name: 'a\nb' })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    await expect(session.run('1', { name: '<mendloop x>' })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    expect((await session.run('1')).ok).toBe(true)
  })
})
