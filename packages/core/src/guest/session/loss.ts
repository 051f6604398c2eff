// What is said of a session whose variables are gone.

import type { Outcome } from '../../contract/execution.js'
import type { Limits } from '../../contract/sandbox.js'
import type { LinkEnd } from './control-link.js'
import type { WorkerEnd } from './guest-messages.js'
import type { SessionLoss } from './session.js'

const MOST_NAMED = 40

/** The outcome of a cell that wrote where only the session's own programs write. */
export const SPOILT: Outcome = { kind: 'denied', rule: "a cell must not write to the session's own channel" }

/** A loss, in words too. @param what - what happened, as the rest of a sentence that says why */
export function toLoss(
  reason: SessionLoss['reason'],
  what: string,
  variables: readonly string[],
): SessionLoss {
  const named = variables.slice(0, MOST_NAMED).join(', ')
  const more = variables.length > MOST_NAMED ? ` and ${variables.length - MOST_NAMED} more` : ''
  const gone =
    variables.length === 0
      ? 'There were no variables to lose.'
      : `All variables and imports are gone: ${named}${more}. Nothing was run again.`
  return { reason, message: `The session was restarted because ${what}. ${gone}`, variables }
}

/** What the end of a worker costs. @param cause - why the host ended it, when it did */
export function lossByEnd(
  end: WorkerEnd,
  cause: Outcome | undefined,
  variables: readonly string[],
): SessionLoss {
  if (cause !== undefined && cause !== SPOILT)
    return toLoss('unresponsive', 'a cell did not stop when it was interrupted', variables)
  if (end.kind === 'spoilt' || cause === SPOILT)
    return toLoss('spoilt', "a cell wrote to the session's own channel", variables)
  if (end.kind === 'exit')
    return toLoss('exit', `a cell ended the process with exit code ${end.code}`, variables)
  const why = end.outOfMemory ? ' for want of memory' : ''
  return toLoss('signal', `the process was ended by ${end.signal}${why}`, variables)
}

/** The outcome of the cell in which a worker ended. */
export function outcomeOf(end: WorkerEnd, { cpuMs, memoryBytes }: Partial<Limits>): Outcome {
  if (end.kind === 'spoilt') return SPOILT
  if (end.kind === 'exit') return { kind: 'exit', code: end.code }
  if (end.outOfMemory) return { kind: 'resource', limit: 'memory' }
  if (end.signal === 'SIGXCPU' && cpuMs !== undefined)
    return { kind: 'timeout', clock: 'cpu', limitMs: cpuMs }
  if (end.signal === 'SIGXFSZ') return { kind: 'resource', limit: 'disk' }
  // The kernel says no more than this of a process it ended for want of memory.
  if (end.signal === 'SIGKILL' && memoryBytes !== undefined && (end.peakBytes ?? 0) > memoryBytes / 2)
    return { kind: 'resource', limit: 'memory' }
  // So does a system-call filter end a process.
  if (end.signal === 'SIGSYS') return { kind: 'denied', rule: 'system call' }
  return { kind: 'signal', signal: end.signal }
}

/** The outcome of the cell that ran when the whole session ended. */
export function outcomeOfLink({ outcome, fault, complaint }: LinkEnd): Outcome {
  if (fault !== undefined) return { kind: 'lost', cause: `the session's process was given up: ${fault}` }
  // `aborted`: the sandbox was closed.
  const isTold =
    outcome.kind === 'aborted' ||
    outcome.kind === 'resource' ||
    outcome.kind === 'timeout' ||
    outcome.kind === 'lost'
  if (isTold) return outcome
  return { kind: 'lost', cause: `the session's process ended${complaint && `: ${complaint.slice(-300)}`}` }
}
