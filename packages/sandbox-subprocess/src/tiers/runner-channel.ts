// The process of a fork runner with its pipes, as core talks to it.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Outcome, SandboxProcess } from '@mendloop/core'
import { startTimer } from '@mendloop/core/adapter'
import { signalGroup } from '../descendants.js'
import { toDuplex } from '../duplex.js'
import { coverInheritedDescriptors } from '../inherited-descriptors.js'
import { keepAlive } from '../keep-alive.js'
import type { ProcessEnd } from '../running-process.js'
import type { Identity } from './identity.js'

/** Between the end of the process and that of its pipes, which something it started may hold. */
const DRAIN_MS = 500

/** What to start. */
export interface RunnerLaunch {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Open descriptors that it gets, by number, from 3 on. */
  readonly descriptors: readonly number[]
  /** Whom Node starts it as; undefined for this user. */
  readonly identity: Identity | undefined
}

/** All that a runner sees of the environment; programs have one of their own. Libraries are bound at its start, and not in each fork. */
export const RUNNER_ENVIRONMENT = { PATH: '/usr/bin:/bin', LD_BIND_NOW: '1' } as const

/** Starts it in a group of its own and out of every folder. Never throws: what fails is its outcome. */
export function startRunnerProcess({ argv, env, descriptors, identity }: RunnerLaunch): SandboxProcess {
  const [file = '', ...args] = argv
  const covered = coverInheritedDescriptors().slice(descriptors.length)
  const child = spawn(file, args, {
    cwd: '/',
    env: { ...env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...descriptors, ...covered],
    ...identity,
  })
  const { pid, stdin, stdout, stderr } = child
  stdin?.on('error', () => undefined)
  return toDuplex((onOutput) => {
    stdout?.on('data', (chunk: Buffer) => onOutput('stdout', chunk)).on('error', () => undefined)
    stderr?.on('data', (chunk: Buffer) => onOutput('stderr', chunk)).on('error', () => undefined)
    return {
      pid,
      stdin,
      pause: (paused) => {
        for (const stream of [stdout, stderr]) paused ? stream?.pause() : stream?.resume()
      },
      stop: () => pid !== undefined && signalGroup(pid, 'SIGKILL'),
      keepAlive: (kept) => keepAlive(child, kept),
      ended: endOf(child),
    }
  })
}

function endOf(child: ChildProcess): Promise<ProcessEnd> {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const end = (outcome: Outcome): void => {
      const settle = (): void => {
        cancel()
        resolve({ outcome, durationMs: performance.now() - startedAt, leftover: false })
      }
      const cancel = startTimer(DRAIN_MS, settle)
      child.once('close', settle)
    }
    child.once('error', (error) => end({ kind: 'lost', cause: error.message }))
    child.once('exit', (code, signal) =>
      end(code === null ? { kind: 'signal', signal: signal ?? 'unknown' } : { kind: 'exit', code }),
    )
  })
}
