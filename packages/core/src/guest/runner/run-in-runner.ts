// Runs a program as a fork of the warm interpreter, in a fresh workspace of its own.
import type { FileChange, Outcome, UnseenPlace } from '../../contract/execution.js'
import type { RunnerEnd, RunnerLimits, RunnerRequest } from '../../contract/fork-runner.js'
import type { Guarantees, Limits } from '../../contract/sandbox.js'
import { onAbort } from '../../internal/on-abort.js'
import { captureStreams } from '../../sandbox/capture-streams.js'
import { outcomeOf } from '../../sandbox/cause-of-death.js'
import { cpuSeconds } from '../../sandbox/cpu-seconds.js'
import { CLOSED } from './conversation.js'
import { fitsRunner } from './fork-runner.js'
import { changeOf, MOST_FILE_BYTES, MOST_FILES, type Remains, toProgramResult } from './program-result.js'
import type { CheckedOptions, CheckedRun, ProgramResult } from './program-run.js'
import type { ReadyRunner } from './sandbox-runner.js'
import { toldDurationMs, watchClock } from './watch-clock.js'

/** How the sandbox is. */
export interface RunSurroundings {
  readonly guarantees: Guarantees
  readonly limits: Limits
}

/** Nothing of it has run: the runner was lost before, or could not take it. It may be tried again. */
export interface NotRun {
  /** What becomes of it when that is of no use either. */
  readonly notRun: Outcome
}

/**
 * Runs it once.
 *
 * @returns undefined when a runner does not take so much at once
 */
export async function runInRunner(
  { runner, environment }: ReadyRunner,
  program: CheckedRun,
  options: CheckedOptions,
  { guarantees, limits }: RunSurroundings,
): Promise<ProgramResult | NotRun | undefined> {
  const request = toRequest(program, environment, limits, guarantees, options)
  if (!fitsRunner(request)) return undefined
  const captured = captureStreams(limits, options.onOutput, (outcome) => kill(outcome))
  const execution = runner.start(request, { onOutput: captured.push })
  let cause: Outcome | undefined
  // The cause stands before the kill, and the first one stays.
  const kill = (why: Outcome): void => {
    cause ??= why
    execution.kill()
  }
  let hasGone = false
  void execution.gone?.then(() => {
    hasGone = true
  })
  const clock = watchClock(execution, limits.wallMs, kill)
  // Of what has gone this ends the look at its files.
  const abort = (): void => (hasGone ? execution.kill() : kill({ kind: 'aborted' }))
  const forget = options.signal && onAbort(options.signal, abort)
  const end = await execution.ended
  const { isCut } = clock.stop()
  forget?.()
  const output = captured.finish()
  const hasOutput = output.stdout.bytes > 0 || output.stderr.bytes > 0
  if (cause === undefined && !hasOutput && hasNotRun(end)) return { notRun: outcomeOfNotRun(end, guarantees) }
  // It had ended by itself before the order came.
  if (cause?.kind === 'aborted' && end.how.kind === 'exit') cause = undefined
  // Who closes a sandbox ends what runs in it.
  if (end.how.kind === 'lost' && end.how.cause === CLOSED) cause ??= { kind: 'aborted' }
  const outcome = outcomeOf(end, limits, { ...(cause && { cause }) })
  const unseen = unseenOf(end, isCut)
  return toProgramResult(
    {
      outcome,
      ...output,
      durationMs: toldDurationMs(outcome, end.durationMs),
      usage: {
        ...(end.cpuMs !== undefined && { cpuMs: end.cpuMs }),
        ...(end.peakMemoryBytes !== undefined && { peakMemoryBytes: end.peakMemoryBytes }),
      },
      guarantees,
      ...(end.leftover && { leftover: true }),
      ...(unseen.length > 0 && { unseen }),
    },
    remainsOf(end, program),
    options,
    'runner',
  )
}

/** The result of a program of which nothing has run. */
export function resultOfNotRun(
  outcome: Outcome,
  options: CheckedOptions,
  { guarantees, limits }: RunSurroundings,
): ProgramResult {
  const output = captureStreams(limits, undefined, () => undefined).finish()
  const nothing: Remains = { changes: [], contents: new Map(), withheld: [] }
  return toProgramResult(
    { outcome, ...output, durationMs: 0, usage: {}, guarantees },
    nothing,
    options,
    'runner',
  )
}

/** Python is there and so is the program: what keeps it from its start is the machine, or that its files do not fit. */
function outcomeOfNotRun({ how }: RunnerEnd, { disk }: Guarantees): Outcome {
  if (how.kind !== 'not-started') return { kind: 'lost', cause: how.kind === 'lost' ? how.cause : how.kind }
  if (how.code === 'ENOSPC' && disk === 'bounded') return { kind: 'resource', limit: 'disk' }
  return { kind: 'lost', cause: `the program could not be started: ${how.reason}` }
}

const hasNotRun = ({ how }: RunnerEnd): boolean =>
  how.kind === 'not-started' || (how.kind === 'lost' && how.started !== true && how.cause !== CLOSED)

function toRequest(
  { files, entry, args, stdin, env, cwd }: CheckedRun,
  environment: Readonly<Record<string, string>>,
  limits: Limits,
  guarantees: Guarantees,
  { wanted }: CheckedOptions,
): RunnerRequest {
  const first = wanted === true ? [] : wanted
  return {
    program: { kind: 'python', entry, args },
    env: { ...environment, ...env },
    cwd,
    workspace: 'fresh',
    files: Object.fromEntries(files),
    stdin: stdin ?? 'none',
    limits: toRunnerLimits(limits, guarantees),
    ...(limits.totalOutputBytes !== undefined && { mostOutputBytes: limits.totalOutputBytes }),
    collect: { files: MOST_FILES, bytes: MOST_FILE_BYTES, first },
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

/** What was not looked at. Of an execution that was lost, nothing was; a look that takes too long has too much before it. */
function unseenOf({ how, unseen = [] }: RunnerEnd, isCut: boolean): readonly UnseenPlace[] {
  if (how.kind === 'lost') return [{ path: '.', reason: 'aborted' }]
  return unseen.map((place) =>
    isCut && place.reason === 'aborted' ? { ...place, reason: 'too-many' } : place,
  )
}

function remainsOf(end: RunnerEnd, { files: before }: CheckedRun): Remains {
  const kind = (path: string): 'modified' | 'created' => (before.has(path) ? 'modified' : 'created')
  const { files = [], deleted = [], withheld = [], links = [], special = [] } = end
  const types = new Map<string, FileChange['type']>([
    ...links.map((path) => [path, 'link'] as const),
    ...special.map((path) => [path, 'special'] as const),
  ])
  const changes: FileChange[] = [
    ...files.map(({ path, content }) => changeOf(path, kind(path), content)),
    ...deleted.map((path): FileChange => ({ path, kind: 'deleted' })),
    ...withheld.map((path): FileChange => {
      const type = types.get(path)
      return { path, kind: kind(path), ...(type && { type }) }
    }),
  ]
  return { changes, contents: new Map(files.map(({ path, content }) => [path, content])), withheld }
}
