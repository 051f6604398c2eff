// Runs one program to its end: a child process and all of its group, held to what the shell and the host can hold it to.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { openSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { CommandObject, ExecOptions, ExecutionResult, Limits, Outcome } from '@mendloop/core'
import { captureStreams, onAbort, outcomeOf, type SeenEnd, startTimer } from '@mendloop/core/adapter'

/** How long a pipe may stay open when its program has ended: then a process that hid holds it. */
const DRAIN_MS = 300

const O_CLOEXEC = 0o2000000
let nullDevice: number | undefined

/** Pipes for the program; what this process was started with and a child would inherit leads to the null device. */
function descriptors(): ('pipe' | 'ignore' | number)[] {
  const inherited = readdirSync('/proc/self/fd').map(Number).filter(isInherited)
  const others = Array<'ignore' | number>(Math.max(2, ...inherited) - 2).fill('ignore')
  if (inherited.length > 0) nullDevice ??= openSync('/dev/null', 'r+')
  for (const one of inherited) others[one - 3] = nullDevice ?? 'ignore'
  return ['pipe', 'pipe', 'pipe', ...others]
}

function isInherited(descriptor: number): boolean {
  try {
    const about = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')
    const flags = Number.parseInt(/flags:\s*(\d+)/.exec(about)?.[1] ?? '', 8)
    return descriptor > 2 && (flags & O_CLOEXEC) === 0
  } catch {
    // It was that of the look itself.
    return false
  }
}

/** @param signals - any of them ends it */
export async function runPlain(
  { argv, cwd, env, stdin = '' }: CommandObject,
  limits: Limits,
  signals: readonly AbortSignal[],
  onOutput: ExecOptions['onOutput'],
): Promise<Pick<ExecutionResult, 'outcome' | 'stdout' | 'stderr' | 'durationMs'>> {
  let cause: Outcome | undefined
  let killGroup = (): unknown => undefined
  // The reason is noted before the kill, and wins over whatever the exit looks like.
  const end = (why: Outcome): void => {
    cause ??= why
    killGroup()
  }
  const output = captureStreams(limits, onOutput, end)
  if (signals.some(({ aborted }) => aborted))
    return { outcome: { kind: 'aborted' }, durationMs: 0, ...output.finish() }

  const startedAt = performance.now()
  const line = `ulimit -f ${Math.ceil(limits.fileBytes / 512)} && ulimit -n ${limits.openFiles} && exec "$@"`
  const options = { cwd, env, detached: true, stdio: descriptors() }
  const child = spawn('/bin/sh', ['-c', line, 'sh', ...argv], options) as ChildProcessWithoutNullStreams
  killGroup = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // Nobody of the group is left.
    }
  }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (piece: Uint8Array) => output.push(stream, piece))
  // A program need not read its input.
  child.stdin.on('error', () => undefined).end(stdin)
  const closed = new Promise((resolve) => child.on('close', resolve))
  const stopWaiting = [
    startTimer(limits.wallMs, () => end({ kind: 'timeout', clock: 'wall', limitMs: limits.wallMs })),
    ...signals.map((signal) => onAbort(signal, () => end({ kind: 'aborted' }))),
  ]
  const how = await new Promise<SeenEnd['how']>((resolve) => {
    child.on('error', ({ message }) => resolve({ kind: 'not-started', reason: message }))
    child.on('exit', (code, signal) =>
      resolve(signal ? { kind: 'signal', signal } : { kind: 'exit', code: code ?? 0 }),
    )
  })
  const durationMs = performance.now() - startedAt
  for (const stop of stopWaiting) stop()
  killGroup()
  await Promise.race([closed, setTimeout(DRAIN_MS)])
  child.stdout.destroy()
  child.stderr.destroy()
  return {
    outcome: outcomeOf({ how, durationMs }, limits, cause && { cause }),
    durationMs,
    ...output.finish(),
  }
}
