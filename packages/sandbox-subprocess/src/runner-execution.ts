// One program under way in a fork runner: the limits of time and the causes are the host's, the rest is the runner's.
import { Writable } from 'node:stream'
import type { ForkRunner, Limits, Outcome, RunnerExecution, RunnerLimits } from '@mendloop/core'
import { cpuSeconds, type EndEvidence, outcomeOf, startTimer } from '@mendloop/core/adapter'
import type { EngineLaunch } from './engine.js'
import type { ProcessEnd, RunningProcess } from './running-process.js'

/** What an execution has besides what is in its launch. */
export interface ExecutionPlace {
  /** Asked once it has ended. */
  evidence(): EndEvidence
}

/** Starts a program as a fork of the runner. */
export function startInRunner(
  runner: ForkRunner,
  { program, env, limits, stdin, killGraceMs, onOutput }: EngineLaunch,
  { evidence }: ExecutionPlace,
): RunningProcess {
  let cause: Outcome | undefined
  let over = false
  const execution = runner.start(
    {
      program: { kind: 'argv', argv: program.argv },
      env,
      cwd: program.cwd,
      workspace: 'shared',
      stdin: stdin === 'ignore' || typeof stdin === 'number' ? 'none' : stdin,
      limits: toRunnerLimits(limits),
      ...(limits.totalOutputBytes !== undefined && { mostOutputBytes: limits.totalOutputBytes }),
    },
    { onOutput: (stream, data) => onOutput(stream, Buffer.from(data.buffer, data.byteOffset, data.length)) },
  )
  let cancelKill = (): void => undefined
  const stop = (why: Outcome, atOnce = false): void => {
    if (over) return
    const again = cause !== undefined
    cause ??= why
    cancelKill()
    if (again || atOnce || killGraceMs === 0) execution.kill()
    else {
      execution.terminate()
      cancelKill = startTimer(killGraceMs, () => execution.kill())
    }
  }
  let cancelWall = (): void => undefined
  const startWall = (): void => {
    if (over) return
    cancelWall = startTimer(limits.wallMs, () => {
      // Nobody waits for less than the grace because time is up meanwhile.
      if (cause === undefined) stop({ kind: 'timeout', clock: 'wall', limitMs: limits.wallMs })
    })
  }
  if (execution.begun === undefined) startWall()
  else void execution.begun.then(startWall)
  const settle = async (): Promise<ProcessEnd> => {
    const end = await execution.ended
    over = true
    cancelWall()
    cancelKill()
    const { how, leftover, cpuMs, peakMemoryBytes } = end
    // Who is given a grace ends by itself when time is up.
    const { durationMs, ...atItsEnd } = end
    const seen = killGraceMs > 0 ? atItsEnd : end
    // What a shell would say.
    if (how.kind === 'not-started') onOutput('stderr', Buffer.from(`${program.argv[0]}: ${how.reason}\n`))
    return {
      outcome: outcomeOf(seen, limits, { ...evidence(), ...(cause && { cause }) }),
      durationMs,
      leftover,
      usage: {
        ...(cpuMs !== undefined && { cpuMs }),
        ...(peakMemoryBytes !== undefined && { peakMemoryBytes }),
      },
      ...(cause === undefined && how.kind === 'lost' && how.started === false && { hasNotRun: true }),
    }
  }
  return {
    pid: undefined,
    stdin: stdin === 'pipe' ? inputOf(execution) : null,
    stop,
    pause: (paused) => execution.pause(paused),
    ended: settle(),
  }
}

/** Limits as the kernel takes them. */
function toRunnerLimits({ cpuMs, memoryBytes, processes, openFiles, fileBytes }: Limits): RunnerLimits {
  return {
    ...(cpuMs !== undefined && { cpuSeconds: cpuSeconds(cpuMs) }),
    memoryBytes,
    processes,
    openFiles,
    fileBytes,
  }
}

function inputOf(execution: RunnerExecution): Writable {
  const input = new Writable({
    write: (chunk: Buffer, _encoding, done) => void execution.write(chunk).then(() => done(), done),
    final: (done) => {
      execution.endInput()
      done()
    },
  })
  // Whoever writes is told by the write itself.
  return input.on('error', () => undefined)
}
