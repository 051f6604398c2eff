// What is said of a session whose variables are gone.

import type { Outcome } from '../../contract/execution.js'
import type { Limits } from '../../contract/sandbox.js'
import { outcomeOf as outcomeOfEnd } from '../../sandbox/cause-of-death.js'
import type { LinkEnd } from './control-link.js'
import type { WorkerEnd } from './guest-messages.js'
import type { SessionLoss } from './session.js'

type EndBySignal = Extract<WorkerEnd, { kind: 'signal' }>

const MOST_NAMED = 40
/** Of the memory limit; less in use right before the end says that somebody else sent the signal. */
const LIMIT_SHARE = 0.7

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
  const outOfMemory = end.outOfMemory === true || wasAtLimit(end, memoryBytes)
  const how = { kind: 'signal', signal: end.signal } as const
  return outcomeOfEnd(
    { how, outOfMemory, ...(end.cpuMs !== undefined && { cpuMs: end.cpuMs }) },
    { ...(cpuMs !== undefined && { cpuMs }) },
  )
}

/** The kernel says no more than this of a process it ended for want of memory, where it does not count them for us. */
const wasAtLimit = (end: EndBySignal, memoryBytes: number | undefined): boolean =>
  end.signal === 'SIGKILL' &&
  memoryBytes !== undefined &&
  (end.residentBytes ?? 0) > memoryBytes * LIMIT_SHARE

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
