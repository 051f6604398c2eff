// Liars about the end of a sandbox.
import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import {
  catchLiars,
  honestProvider,
  type Liar,
  type Lie,
  plainly,
  wrapProvider,
} from '../../../helpers/liars.js'
import { onLinux } from '../../../helpers/requires.js'

const LEFT = 'leaves no process, descriptor or temporary file behind over a hundred executions'
const clearings: (() => void)[] = []
afterAll(() => {
  for (const clear of clearings) clear()
})

/** Does something beside each execution, and does not undo it. */
const beside =
  (leave: (signal: AbortSignal | undefined) => void): Lie =>
  (sandbox) => ({
    exec(command, options = {}) {
      leave(options.signal)
      return sandbox.exec(command, options)
    },
  })

const onlyLinux: readonly Liar[] = [
  {
    who: 'leaves temporary files',
    caughtBy: LEFT,
    alone: true,
    lie: beside(() => {
      const folder = mkdtempSync(join(tmpdir(), 'left-'))
      clearings.push(() => rmSync(folder, { recursive: true, force: true }))
    }),
  },
  {
    who: 'leaves descriptors open',
    caughtBy: LEFT,
    alone: true,
    lie: beside(() => {
      const descriptor = openSync('/dev/null', 'r')
      clearings.push(() => closeSync(descriptor))
    }),
  },
  {
    who: 'leaves processes',
    caughtBy: LEFT,
    alone: true,
    provider: wrapProvider(async (options) => {
      const sandbox = await honestProvider.create(options)
      const child = spawn('sleep', ['60'], { stdio: 'ignore' })
      clearings.push(() => void child.kill('SIGKILL'))
      return plainly(sandbox)
    }),
  },
]

catchLiars(
  'closing',
  [
    {
      who: 'cannot be closed twice',
      caughtBy: 'may be closed twice, and twice at once',
      alone: true,
      lie: (sandbox) => {
        let closed = false
        const close = async (): Promise<void> => {
          await sandbox.close()
          if (closed) throw new Error('It is closed already.')
          closed = true
        }
        return { close, [Symbol.asyncDispose]: close }
      },
    },
    {
      who: 'reads on when it is closed',
      caughtBy: 'says that it is closed, whatever is asked of it afterwards',
      lie: (sandbox) => ({ files: { ...sandbox.files, stat: async () => undefined } }),
    },
    {
      who: 'waits for what runs when it is closed',
      caughtBy: 'ends what runs when it is closed, and keeps what it had printed',
      alone: true,
      lie: (sandbox) => {
        const running = new Set<Promise<unknown>>()
        const close = async (): Promise<void> => {
          await Promise.allSettled(running)
          await sandbox.close()
        }
        return {
          exec(command, options) {
            const result = sandbox.exec(command, options)
            running.add(result)
            return result
          },
          close,
          [Symbol.asyncDispose]: close,
        }
      },
    },
    {
      who: 'leaves a folder that it has not the right to remove',
      caughtBy: 'removes what programs left, whatever its rights and however deep it lies',
      lie: beside(() => {
        const folder = mkdtempSync(join(tmpdir(), 'left-'))
        clearings.push(() => rmSync(folder, { recursive: true, force: true }))
      }),
    },
    {
      who: 'leaves listeners on the signal of its caller',
      caughtBy: 'leaves no listener on the signals of its caller',
      lie: beside((signal) => signal?.addEventListener('abort', () => undefined)),
    },
    ...(onLinux('what is left behind') ? onlyLinux : []),
  ],
  { slow: [LEFT] },
)
