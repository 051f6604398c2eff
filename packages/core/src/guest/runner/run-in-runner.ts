// Runs a program as a fork of the warm interpreter, in a fresh workspace of its own.
import type { FileChange, Outcome } from '../../contract/execution.js'
import type { RunnerEnd, RunnerLimits, RunnerRequest } from '../../contract/fork-runner.js'
import type { Guarantees, Limits } from '../../contract/sandbox.js'
import { onAbort } from '../../internal/on-abort.js'
import { startTimer } from '../../internal/timer.js'
import { captureStreams } from '../../sandbox/capture-streams.js'
import { outcomeOf } from '../../sandbox/cause-of-death.js'
import { cpuSeconds } from '../../sandbox/cpu-seconds.js'
import { CLOSED } from './conversation.js'
import { changeOf, MOST_FILE_BYTES, MOST_FILES, type Remains, toProgramResult } from './program-result.js'
import type { CheckedOptions, CheckedRun, ProgramResult } from './program-run.js'
import type { ReadyRunner } from './sandbox-runner.js'

/** How the sandbox is. */
export interface RunSurroundings {
  readonly guarantees: Guarantees
  readonly limits: Limits
}

/**
 * Runs it once.
 *
 * @returns undefined when nothing of it has run: the runner was lost before, or could not take it
 */
export async function runInRunner(
  { runner, environment }: ReadyRunner,
  program: CheckedRun,
  options: CheckedOptions,
  { guarantees, limits }: RunSurroundings,
): Promise<ProgramResult | undefined> {
  const captured = captureStreams(limits, options.onOutput, (outcome) => kill(outcome))
  const execution = runner.start(toRequest(program, environment, limits, guarantees), {
    onOutput: captured.push,
  })
  let cause: Outcome | undefined
  // The cause stands before the kill, and the first one stays.
  const kill = (why: Outcome): void => {
    cause ??= why
    execution.kill()
  }
  const cancelWall = startTimer(limits.wallMs, () =>
    kill({ kind: 'timeout', clock: 'wall', limitMs: limits.wallMs }),
  )
  const forget = options.signal && onAbort(options.signal, () => kill({ kind: 'aborted' }))
  const end = await execution.ended
  cancelWall()
  forget?.()
  if (cause === undefined && hasNotRun(end)) return undefined
  // Who closes a sandbox ends what runs in it.
  if (end.how.kind === 'lost' && end.how.cause === CLOSED) cause ??= { kind: 'aborted' }
  return toProgramResult(
    {
      outcome: outcomeOf(end, limits, { ...(cause && { cause }) }),
      ...captured.finish(),
      durationMs: end.durationMs,
      usage: {
        ...(end.cpuMs !== undefined && { cpuMs: end.cpuMs }),
        ...(end.peakMemoryBytes !== undefined && { peakMemoryBytes: end.peakMemoryBytes }),
      },
      guarantees,
      ...(end.leftover && { leftover: true }),
    },
    remainsOf(end, program),
    options,
    'runner',
  )
}

const hasNotRun = ({ how }: RunnerEnd): boolean =>
  how.kind === 'not-started' || (how.kind === 'lost' && how.started !== true && how.cause !== CLOSED)

function toRequest(
  { files, entry, args, stdin, env, cwd }: CheckedRun,
  environment: Readonly<Record<string, string>>,
  limits: Limits,
  guarantees: Guarantees,
): RunnerRequest {
  return {
    program: { kind: 'python', entry, args },
    env: { ...environment, ...env },
    cwd,
    workspace: 'fresh',
    files: Object.fromEntries(files),
    stdin: stdin ?? 'none',
    limits: toRunnerLimits(limits, guarantees),
    collect: { files: MOST_FILES, bytes: MOST_FILE_BYTES },
  }
}

/** A default that the sandbox does not claim to enforce is not half enforced either. */
function toRunnerLimits(limits: Limits, { memory, pids, disk }: Guarantees): RunnerLimits {
  const { cpuMs, memoryBytes, processes, openFiles, fileBytes, diskBytes } = limits
  return {
    openFiles,
    diskBytes,
    ...(cpuMs !== undefined && { cpuSeconds: cpuSeconds(cpuMs) }),
    ...(memory !== 'none' && { memoryBytes }),
    ...(pids !== 'none' && { processes }),
    ...(disk !== 'none' && { fileBytes }),
  }
}

function remainsOf(end: RunnerEnd, { files: before }: CheckedRun): Remains {
  const kind = (path: string): 'modified' | 'created' => (before.has(path) ? 'modified' : 'created')
  const { files = [], deleted = [], withheld = [] } = end
  const changes: FileChange[] = [
    ...files.map(({ path, content }) => changeOf(path, kind(path), content)),
    ...deleted.map((path): FileChange => ({ path, kind: 'deleted' })),
    ...withheld.map((path): FileChange => ({ path, kind: kind(path) })),
  ]
  return { changes, contents: new Map(files.map(({ path, content }) => [path, content])), withheld }
}
