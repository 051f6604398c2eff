// Why a session did not start, for whoever wanted to open it.
import { MendloopError } from '../../contract/errors.js'
import { DEFAULT_LIMITS, type Sandbox } from '../../contract/sandbox.js'
import type { LinkEnd } from './control-link.js'
import type { SessionLanguage } from './session.js'

const MIB = 1024 * 1024
const MOST_COMPLAINT_CHARACTERS = 500
/** Below these an interpreter and its session may fail in any way, or hang: seen with Python 3.11 and Node 24. */
const LEAST_BYTES: Readonly<Record<SessionLanguage, number>> = { python: 16 * MIB, javascript: 64 * MIB }
/** What languages say of a want of memory. */
const NO_MEMORY = /MemoryError|out of memory|cannot allocate|allocation failed|bad_alloc|ENOMEM/i

/** Whether a language is not to be expected to start with so little memory. */
export const hasTooLittle = (language: SessionLanguage, memoryBytes: number | undefined): boolean =>
  memoryBytes !== undefined && memoryBytes < LEAST_BYTES[language]

/** The error for a control process that ended before it was ready. */
export function notStarted(
  sandbox: Sandbox,
  language: SessionLanguage,
  memoryBytes: number | undefined,
  { outcome, fault, complaint }: LinkEnd,
): MendloopError {
  // A process that we did not give up ends so only when its sandbox is closed.
  if (fault === undefined && outcome.kind === 'aborted')
    return new MendloopError('SANDBOX_CLOSED', `The sandbox ${sandbox.id} is closed. Open a new one.`, {
      details: { sandbox: sandbox.id },
    })
  const reason = [fault ?? howItEnded(outcome), endOf(complaint)].filter((part) => part !== '').join(': ')
  const isShort =
    NO_MEMORY.test(complaint) ||
    (outcome.kind === 'resource' && outcome.limit === 'memory') ||
    hasTooLittle(language, memoryBytes)
  return new MendloopError(
    'SANDBOX_UNAVAILABLE',
    `openSession(): ${language} did not start in this sandbox (${reason}). ${isShort ? tooLittle(memoryBytes) : 'Is it installed there?'}`,
    { details: { sandbox: sandbox.id, reason } },
  )
}

function howItEnded(outcome: LinkEnd['outcome']): string {
  if (outcome.kind === 'lost') return outcome.cause
  return outcome.kind === 'exit' ? `it ended with exit code ${outcome.code}` : `it ended: ${outcome.kind}`
}

function tooLittle(memoryBytes: number | undefined): string {
  const limit = memoryBytes === undefined ? '' : ` of ${inMib(memoryBytes)} MiB`
  return `Its memory limit${limit} is too small: raise memoryBytes; ${inMib(DEFAULT_LIMITS.memoryBytes)} MiB are usual.`
}

const inMib = (bytes: number): number => Math.round((bytes / MIB) * 10) / 10

/** The last lines of a text that have room, the very last one in any case, after the one that tells of a want of memory. */
function endOf(text: string): string {
  const lines = text.split('\n')
  let first = lines.length - 1
  let characters = lines[first]?.length ?? 0
  while (first > 0) {
    characters += (lines[first - 1]?.length ?? 0) + 1
    if (characters > MOST_COMPLAINT_CHARACTERS) break
    first--
  }
  const why = lines.slice(0, first).find((line) => NO_MEMORY.test(line))
  return [
    ...(why === undefined ? [] : [why.slice(0, MOST_COMPLAINT_CHARACTERS)]),
    ...lines.slice(first),
  ].join('\n')
}
