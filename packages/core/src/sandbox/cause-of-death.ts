// From what was seen of an end to its outcome, in one place. What the host did comes first, then what the kernel says,
// and only then the exit code: any program may exit with 137 or print "MemoryError".
import type { Outcome } from '../contract/execution.js'
import type { RunnerEnd } from '../contract/fork-runner.js'
import type { Limits } from '../contract/sandbox.js'
import { cpuSeconds } from './cpu-seconds.js'

/** What is known of an end besides its exit status. */
export interface EndEvidence {
  /** Why the host killed it, recorded before the kill; it decides, unless it is a limit of time that was not reached. */
  readonly cause?: Outcome
  /** The kernel killed a process of this execution for want of memory. */
  readonly oomKilled?: boolean
  /** The workspace was full when it ended. */
  readonly diskFull?: boolean
  /** The kernel refused it a process or thread. */
  readonly processesRefused?: boolean
}

/** What was seen of an end. `durationMs` is left out where whoever is told that time is up may end by itself. */
export type SeenEnd = Pick<RunnerEnd, 'how' | 'cpuMs' | 'outOfMemory' | 'processesRefused' | 'diskFull'> &
  Partial<Pick<RunnerEnd, 'durationMs'>>

/**
 * The kernel limits processor time by its ticks and charges it by the clock. On a virtual machine that has to wait for
 * its processor they drift apart: a process charged with 0.83 s was ended at its limit of 1 s.
 */
const LEAST_CHARGED_SHARE = 0.5

/** What a shell answers for a program that is not there. */
const NOT_FOUND = 127
/** What a shell answers for a file that is no program. */
const NOT_EXECUTABLE = 126

/** The fault is the command's, not the machine's; with the exit code that a shell gives it. */
const COMMAND_FAULTS: Readonly<Record<string, number>> = {
  ENOENT: NOT_FOUND,
  ENOTDIR: NOT_FOUND,
  ENAMETOOLONG: NOT_FOUND,
  ELOOP: NOT_FOUND,
  EACCES: NOT_EXECUTABLE,
  EPERM: NOT_EXECUTABLE,
  EISDIR: NOT_EXECUTABLE,
  ENOEXEC: NOT_EXECUTABLE,
  E2BIG: NOT_EXECUTABLE,
}

/**
 * How an execution ended. A program that ended well is never blamed: a child of its own may have died of something.
 *
 * A program that could not be started has the exit code that a shell gives it, 126 or 127; where the machine was at
 * fault, the outcome is `lost`.
 */
export function outcomeOf(end: SeenEnd, limits: Pick<Limits, 'cpuMs'>, evidence: EndEvidence = {}): Outcome {
  const { how } = end
  if (evidence.cause !== undefined && !isRefuted(evidence.cause, end)) return evidence.cause
  if (how.kind === 'lost') return { kind: 'lost', cause: how.cause }
  if (how.kind === 'not-started') {
    const code = COMMAND_FAULTS[how.code ?? '']
    return code === undefined
      ? { kind: 'lost', cause: `the program could not be started: ${how.reason}` }
      : { kind: 'exit', code }
  }
  if (how.kind === 'exit' && how.code === 0) return { kind: 'exit', code: 0 }
  if (evidence.oomKilled || end.outOfMemory) return { kind: 'resource', limit: 'memory' }
  if (limits.cpuMs !== undefined && isCpuKill(how, limits.cpuMs, end.cpuMs))
    return { kind: 'timeout', clock: 'cpu', limitMs: limits.cpuMs }
  if (how.kind === 'signal') {
    // RLIMIT_FSIZE makes the kernel send it; a program that sends it to itself cannot be told apart.
    if (how.signal === 'SIGXFSZ') return { kind: 'resource', limit: 'disk' }
    // So does a system-call filter with this one.
    if (how.signal === 'SIGSYS') return { kind: 'denied', rule: 'system call' }
  }
  if (evidence.diskFull || end.diskFull) return { kind: 'resource', limit: 'disk' }
  if (evidence.processesRefused || end.processesRefused) return { kind: 'resource', limit: 'processes' }
  return how.kind === 'signal' ? { kind: 'signal', signal: how.signal } : { kind: 'exit', code: how.code }
}

/** True when it had ended by itself in time, and the host, held up by something else, came too late to see it. */
function isRefuted(cause: Outcome, { how, durationMs }: SeenEnd): boolean {
  if (cause.kind !== 'timeout' || cause.clock !== 'wall' || durationMs === undefined) return false
  const wasKilled = how.kind === 'signal' && how.signal === 'SIGKILL'
  return (how.kind === 'exit' || how.kind === 'signal') && !wasKilled && durationMs < cause.limitMs
}

type Died = Extract<RunnerEnd['how'], { kind: 'exit' | 'signal' }>

/** Exit codes of a shell whose program was ended by one of the two signals. */
const ENDED_BY: Readonly<Record<number, string>> = { 152: 'SIGXCPU', 137: 'SIGKILL' }

/** Anybody can send these two signals; the time that was used says whether the limit did. */
function isCpuKill(how: Died, cpuMs: number, usedMs: number | undefined): boolean {
  const signal = how.kind === 'signal' ? how.signal : ENDED_BY[how.code]
  const { soft, hard } = cpuSeconds(cpuMs)
  if (usedMs === undefined) return how.kind === 'signal' && signal === 'SIGXCPU'
  const reached = (seconds: number): boolean => usedMs >= seconds * 1000 * LEAST_CHARGED_SHARE
  return (signal === 'SIGXCPU' && reached(soft)) || (signal === 'SIGKILL' && reached(hard))
}

/** An outcome as the end of a sentence that begins with its subject. */
export function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'exit':
      return `ended with exit code ${outcome.code}`
    case 'signal':
      return `was ended by ${outcome.signal}`
    case 'timeout':
      return `was ended after ${outcome.limitMs} ms (${outcome.clock === 'wall' ? 'wall clock' : 'processor time'})`
    case 'resource':
      return `was ended at its ${outcome.limit} limit`
    case 'denied':
      return `was denied (${outcome.rule})`
    case 'aborted':
      return 'was ended by the caller'
    case 'lost':
      return `was lost (${outcome.cause})`
  }
}
