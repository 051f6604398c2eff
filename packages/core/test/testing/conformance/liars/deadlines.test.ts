// Liars about time, and about what they leave running.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll } from 'vitest'
import type { ExecutionResult, Outcome } from '../../../../src/contract/execution.js'
import { aboutResults, catchLiars, type Lie } from '../../../helpers/liars.js'

/** How a careless sandbox ends a program, and when it holds that it has ended. */
interface Careless {
  readonly kill: (child: ChildProcess) => void
  readonly settlesOn: 'exit' | 'close'
}

/** What is asked in vain may wait for ever. At the end of all: the liars are tried at the same time. */
const started = new Set<ChildProcess>()
afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
})

/** Runs argument lists by hand, as most first attempts at a sandbox do. */
const careless =
  ({ kill, settlesOn }: Careless): Lie =>
  (sandbox) => ({
    guarantees: { ...sandbox.guarantees, descendants: 'killed' },
    async exec(command, options = {}) {
      if (!Array.isArray(command)) return sandbox.exec(command, options)
      const template = await sandbox.exec('true')
      const [file = '', ...args] = command
      const wallMs = options.limits?.wallMs ?? 5_000
      const child = spawn(file, args, { cwd: sandbox.workdir, stdio: ['ignore', 'pipe', 'pipe'] })
      started.add(child)
      let text = ''
      child.stdout.on('data', (data: Buffer) => {
        text += data
      })
      const outcome = await new Promise<Outcome>((resolve) => {
        let late = false
        const timer = setTimeout(() => {
          late = true
          kill(child)
        }, wallMs)
        child.once(settlesOn, (code) => {
          clearTimeout(timer)
          resolve(
            late ? { kind: 'timeout', clock: 'wall', limitMs: wallMs } : { kind: 'exit', code: code ?? 0 },
          )
        })
      })
      // What it wrote last may still be on its way; who holds the pipes is not waited for.
      await Promise.race([once(child.stdout, 'end'), delay(300)])
      const ok = outcome.kind === 'exit' && outcome.code === 0
      return { ...template, outcome, ok, stdout: { ...template.stdout, text } }
    },
  })

const killOne = (child: ChildProcess): void => void child.kill('SIGKILL')
const ignoresLimit = (change: (result: ExecutionResult) => ExecutionResult): Lie =>
  aboutResults((result) => (result.outcome.kind === 'timeout' ? change(result) : result))

const WALL = 'ends a program at the wall limit, says so, and keeps what it had printed'

catchLiars(
  'deadlines',
  [
    {
      who: 'overruns its limit',
      caughtBy: WALL,
      alone: true,
      lie: (sandbox) => ({
        async exec(command, options = {}) {
          const limitMs = options.limits?.wallMs ?? 5_000
          const result = await sandbox.exec(command, {
            ...options,
            limits: { ...options.limits, wallMs: limitMs + 4_000 },
          })
          return result.outcome.kind === 'timeout'
            ? { ...result, outcome: { ...result.outcome, limitMs } }
            : result
        },
      }),
    },
    {
      who: 'calls a timeout a kill',
      caughtBy: WALL,
      alone: true,
      lie: ignoresLimit((result) => ({ ...result, outcome: { kind: 'signal', signal: 'SIGKILL' } })),
    },
    {
      who: 'loses the output of a program that it ends',
      caughtBy: WALL,
      alone: true,
      lie: ignoresLimit((result) => ({ ...result, stdout: { ...result.stdout, text: '', bytes: 0 } })),
    },
    {
      who: 'forgets the limits of the sandbox',
      caughtBy: 'takes the wall limit of the sandbox for executions that name none',
      alone: true,
      lie: (sandbox) => ({
        exec: (command, options = {}) =>
          sandbox.exec(command, { ...options, limits: { wallMs: 5_000, ...options.limits } }),
      }),
    },
    {
      who: 'only asks politely',
      caughtBy: 'ends a program that ignores every polite signal',
      alone: true,
      lie: careless({ kill: (child) => void child.kill('SIGTERM'), settlesOn: 'exit' }),
    },
    {
      who: 'asks a stopped program to end',
      caughtBy: 'ends a program that has stopped itself',
      alone: true,
      lie: careless({ kill: (child) => void child.kill('SIGTERM'), settlesOn: 'exit' }),
    },
    {
      who: 'kills only the first process',
      caughtBy: 'ends a child in a session of its own that holds the pipes',
      alone: true,
      lie: careless({ kill: killOne, settlesOn: 'exit' }),
    },
    {
      who: 'does not find daemons',
      caughtBy: 'ends a daemon that left its parents by two forks',
      alone: true,
      lie: careless({ kill: killOne, settlesOn: 'exit' }),
    },
    {
      who: 'waits for whoever holds the pipes',
      caughtBy: 'returns at once when a program ends and a child of it holds the pipes',
      alone: true,
      lie: careless({ kill: killOne, settlesOn: 'close' }),
    },
    {
      who: 'does not look after a program that ended well',
      caughtBy: 'ends a daemon that a program that ended well has left',
      alone: true,
      lie: careless({ kill: killOne, settlesOn: 'exit' }),
    },
    {
      who: 'lets time bombs tick',
      caughtBy: 'defuses a child that would write a file after the end',
      alone: true,
      lie: careless({ kill: killOne, settlesOn: 'exit' }),
    },
    {
      who: 'claims to end everything',
      caughtBy: 'ends a child that hides: a session of its own, no variables, another folder',
      alone: true,
      lie: (sandbox) => ({ guarantees: { ...sandbox.guarantees, descendants: 'killed' } }),
    },
  ],
  { atOnce: true },
)
