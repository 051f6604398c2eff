// A raw child process as the channel of a fork runner; for tests only.
import { spawn } from 'node:child_process'
import type { Outcome } from '../../src/contract/execution.js'
import type { ProcessOutput } from '../../src/contract/sandbox.js'
import type { RunnerChannel } from '../../src/guest/runner/conversation.js'

/** A channel that tells what has been done to it. */
export interface ProcessChannel extends RunnerChannel {
  /** Process id. */
  readonly pid: number
}

/** Starts a program in a session of its own. */
export function processChannel(argv: readonly string[], cwd = '/'): ProcessChannel {
  const [file = '', ...args] = argv
  const env = { PATH: process.env['PATH'], LANG: 'C.UTF-8' }
  const child = spawn(file, args, { cwd, env, detached: true })
  const waiting: ProcessOutput[] = []
  let done = false
  let wake = (): void => undefined
  const take = (stream: ProcessOutput['stream']) => (data: Buffer) => {
    waiting.push({ stream, data })
    wake()
  }
  child.stdout.on('data', take('stdout'))
  child.stderr.on('data', take('stderr'))
  child.stdin.on('error', () => undefined)
  const outcome = new Promise<Outcome>((resolve) => {
    child.once('error', (error) => resolve({ kind: 'lost', cause: error.message }))
    child.once('close', (code, signal) =>
      resolve(signal === null ? { kind: 'exit', code: code ?? 0 } : { kind: 'signal', signal }),
    )
  }).finally(() => {
    done = true
    wake()
  })
  async function* output(): AsyncGenerator<ProcessOutput> {
    for (;;) {
      const chunk = waiting.shift()
      if (chunk !== undefined) yield chunk
      else if (done) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return {
    pid: child.pid ?? 0,
    write: (data) =>
      new Promise((resolve, reject) =>
        child.stdin.write(data, (error) => (error ? reject(error) : resolve())),
      ),
    end: () => void child.stdin.end(),
    output: output(),
    outcome,
    kill: () => void child.kill('SIGKILL'),
  }
}
