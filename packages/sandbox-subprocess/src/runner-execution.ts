// One program under way in a fork runner: the limits of time and the causes are the host's, the rest is the runner's.
import { Writable } from 'node:stream'
import type { ForkRunner, Guarantees, Limits, Outcome, RunnerExecution, RunnerLimits } from '@mendloop/core'
import { cpuSeconds, type EndEvidence, outcomeOf, startTimer } from '@mendloop/core/adapter'
import type { EngineLaunch } from './engine.js'
import type { ProcessEnd, RunningProcess } from './running-process.js'

/** What an execution has of its own besides what is in its launch. */
export interface ExecutionPlace {
  /** Control group that it runs in. */
  readonly slot?: number
  /** That group bounds processes, and tells when it did. */
  readonly countsProcesses: boolean
  /** What is enforced, where that is less than the sandbox's own. */
  readonly guarantees?: Guarantees
  /** Asked once it has ended. */
  evidence(): EndEvidence
}

/** Starts a program as a fork of the runner. */
export function startInRunner(
  runner: ForkRunner,
  { program, env, limits, stdin, killGraceMs, onOutput }: EngineLaunch,
  { slot, countsProcesses, guarantees, evidence }: ExecutionPlace,
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
      limits: toRunnerLimits(limits, countsProcesses),
      ...(slot !== undefined && { slot }),
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
  const cancelWall = startTimer(limits.wallMs, () => {
    // Nobody waits for less than the grace because time is up meanwhile.
    if (cause === undefined) stop({ kind: 'timeout', clock: 'wall', limitMs: limits.wallMs })
  })
  const settle = async (): Promise<ProcessEnd> => {
    const end = await execution.ended
    over = true
    cancelWall()
    cancelKill()
    const { how, durationMs, leftover, cpuMs, peakMemoryBytes } = end
    // What a shell would say.
    if (how.kind === 'not-started') onOutput('stderr', Buffer.from(`${program.argv[0]}: ${how.reason}\n`))
    return {
      outcome: outcomeOf(end, limits, { ...evidence(), ...(cause && { cause }) }),
      durationMs,
      leftover,
      usage: {
        ...(cpuMs !== undefined && { cpuMs }),
        ...(peakMemoryBytes !== undefined && { peakMemoryBytes }),
      },
      ...(guarantees && { guarantees }),
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

/** By so many RLIMIT_NPROC is the looser one, where a control group bounds processes as well: only that one is told of. */
const SPARE_PROCESSES = 8

/** Limits as the kernel takes them. */
function toRunnerLimits(limits: Limits, countsProcesses: boolean): RunnerLimits {
  const { cpuMs, memoryBytes, openFiles, fileBytes } = limits
  const processes = limits.processes + (countsProcesses ? SPARE_PROCESSES : 0)
  return {
    ...(cpuMs !== undefined && { cpuSeconds: cpuSeconds(cpuMs) }),
    memoryBytes,
    processes,
    openFiles,
    fileBytes,
  }
}

const inputOf = (execution: RunnerExecution): Writable =>
  new Writable({
    write: (chunk: Buffer, _encoding, done) => void execution.write(chunk).then(() => done(), done),
    final: (done) => {
      execution.endInput()
      done()
    },
  })
