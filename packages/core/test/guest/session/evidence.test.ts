// What a signal that ends a worker is told as: memory or processor time only where the cell itself used it up.
import { MendloopError, type Sandbox } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSession } from '../../../src/guest/session/open-session.js'
import type { Session } from '../../../src/guest/session/session.js'
import { lastOf, processSandbox, sessionOf } from '../../helpers/open-session.js'
import { onLinux, requires } from '../../helpers/requires.js'
import { isOfKind, isPresent } from '../../helpers/skips.js'

const describePython = describe.skipIf(!requires('python3'))
const SIGKILL = { kind: 'signal', signal: 'SIGKILL' }
const KILL = 'import os; os.kill(os.getpid(), 9)'

const walled = async (): Promise<Sandbox | undefined> => {
  try {
    return await subprocess({ isolation: 'namespaces' }).create()
  } catch (error) {
    if (!MendloopError.is(error)) throw error
    isPresent(false, `memory limits of the tier namespaces cannot be tried here: ${error.message}`, error)
    return undefined
  }
}
const probe = await walled()
const countsMemory = isOfKind(
  probe?.guarantees.memory === 'per-execution',
  'the tier namespaces has no control groups that count memory',
)
await probe?.close()

async function behindWalls(): Promise<Session> {
  const sandbox = await subprocess({ isolation: 'namespaces' }).create()
  onTestFinished(() => sandbox.close())
  const session = await openSession(sandbox, { language: 'python' })
  onTestFinished(() => session.close())
  return session
}

describePython('a worker that was killed', () => {
  const CELLS = [
    ['after a cell that used much and gave it back', ['x = bytearray(300 << 20); del x', KILL]],
    ['while it has much, but less than its limit', [`x = bytearray(b"x") * (280 << 20); ${KILL}`]],
    [
      'after a child that used much',
      ['import subprocess, sys\nsubprocess.run([sys.executable, "-c", "bytearray(300 << 20)"])', KILL],
    ],
  ] as const

  test.each(CELLS)('by itself %s is told as the signal', async (_, cells) => {
    const { session } = await sessionOf('python')
    expect((await lastOf(session, ...cells)).outcome).toEqual(SIGKILL)
  })

  test.skipIf(probe === undefined).each(CELLS)(
    'behind walls, where nobody counts, %s is told as the signal',
    async (_, cells) => {
      expect((await lastOf(await behindWalls(), ...cells)).outcome).toEqual(SIGKILL)
    },
  )

  test.skipIf(!countsMemory)('by the kernel for want of memory is told as that', async () => {
    // Shared memory is not in what one process is limited to, but in what all are together.
    const grow = 'import mmap\nm = mmap.mmap(-1, 1 << 30)\nfor at in range(0, 1 << 30, 4096): m[at] = 1'
    expect((await (await behindWalls()).run(grow)).outcome).toEqual({ kind: 'resource', limit: 'memory' })
  })
})

describe('processor time', () => {
  test.skipIf(!requires('python3') || !onLinux('processor time'))(
    'is blamed for its signal only where it was used up',
    async () => {
      const { session } = await sessionOf('python', { limits: { cpuMs: 60_000 } })
      const { outcome } = await session.run('import os, signal; os.kill(os.getpid(), signal.SIGXCPU)')
      expect(outcome).toEqual({ kind: 'signal', signal: 'SIGXCPU' })
      const short = await sessionOf('python', { limits: { cpuMs: 1_000 } })
      const used = await short.session.run('while True: pass')
      expect(used.outcome).toEqual({ kind: 'timeout', clock: 'cpu', limitMs: 1_000 })
    },
  )

  test.skipIf(!onLinux('processor time'))('is not blamed in a JavaScript session either', async () => {
    const { session } = await sessionOf('javascript', { limits: { cpuMs: 60_000 } })
    const { outcome } = await session.run(
      'process.kill(process.pid, "SIGXCPU"); await new Promise((go) => setTimeout(go, 5000))',
    )
    expect(outcome).toEqual({ kind: 'signal', signal: 'SIGXCPU' })
  })
})

test.skipIf(!requires('python3') || !onLinux('real-time signals'))(
  'a real-time signal has the same name as elsewhere',
  async () => {
    const { session } = await sessionOf('python')
    const { outcome } = await session.run('import os; os.kill(os.getpid(), 37)')
    expect(outcome).toEqual({ kind: 'signal', signal: 'SIG37' })
  },
)

describe('a session that cannot start', () => {
  test.skipIf(!requires('python3'))('for want of memory says so, with whole lines', async () => {
    const opening = openSession(await processSandbox(), {
      language: 'python',
      limits: { memoryBytes: 8 << 20 },
    })
    const error = await opening.then(String, (thrown: Error) => thrown.message)
    expect(error).toMatch(
      // Of a long one the last lines.
      /: (?:Traceback \(most recent call last\):\n)?(?: {2}.*\n)+MemoryError\)\. Its memory limit of 8 MiB/,
    )
    expect(error).toMatch(/too small.*512 MiB are usual\.$/)
  })

  test('in Node does not hang for long, and blames the limit', async () => {
    const opening = openSession(await processSandbox(), {
      language: 'javascript',
      limits: { memoryBytes: 16 << 20 },
    })
    await expect(opening).rejects.toThrow(/memory limit of 16 MiB is too small/)
  })

  test.each(['python', 'javascript'] as const)(
    'in a closed sandbox is told as that: %s',
    async (language) => {
      const sandbox = await processSandbox()
      await sandbox.close()
      await expect(openSession(sandbox, { language })).rejects.toMatchObject({ code: 'SANDBOX_CLOSED' })
      const other = await processSandbox()
      const opening = openSession(other, { language })
      void other.close()
      await expect(opening).rejects.toMatchObject({ code: 'SANDBOX_CLOSED' })
    },
  )
})
