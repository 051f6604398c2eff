// One case to one outcome. Nothing that a case or the product throws gets past here.
import type { BugCase, CaseOutcome, UnreadableCase } from './bug-case.js'
import { NotUnderstood, own } from './expectation.js'
import { cannotRunHere } from './names.js'
import { runArgumentsCase } from './run-arguments.js'
import { runEditCase } from './run-edit.js'
import { runExtractCase } from './run-extract.js'
import { needsOwnHost, runInOwnHost } from './run-in-own-host.js'
import { runLoopCase } from './run-loop.js'
import { runProgramCase } from './run-program.js'
import { runSessionCase } from './run-session.js'
import { runVerdictCase } from './run-verdict.js'
import { runWholeFileCase } from './run-whole-file.js'
import { runWriteFilesCase } from './run-write-files.js'
import { notBuilt, notUnderstood } from './vocabulary.js'

const RUNNERS: Readonly<Record<string, (bugCase: BugCase) => Promise<CaseOutcome>>> = {
  extract: runExtractCase,
  arguments: runArgumentsCase,
  edit: runEditCase,
  'edit-whole-file': runWholeFileCase,
  run: runProgramCase,
  'write-files': runWriteFilesCase,
  verdict: runVerdictCase,
  session: runSessionCase,
  loop: runLoopCase,
}

/** Kinds that have a runner. */
export const kindsWithRunner: readonly string[] = Object.keys(RUNNERS)

/** Runs one case and says what became of it; never throws. */
export async function runCase(bugCase: BugCase | UnreadableCase): Promise<CaseOutcome> {
  if ('reason' in bugCase) return { status: 'failed', reasons: [bugCase.reason] }
  const odd = notUnderstood(bugCase)
  if (odd.length > 0) return { status: 'failed', reasons: odd }
  const reason = notBuilt(bugCase)
  if (reason !== undefined) return { status: 'not-built', reason }
  if (expectsNothing(bugCase)) return { status: 'failed', reasons: ['the case expects nothing'] }
  return needsOwnHost(bugCase) ? outcomeOf(() => runInOwnHost(bugCase)) : runHere(bugCase)
}

/** Runs a case of a kind that is built, in this process. */
export async function runHere(bugCase: BugCase): Promise<CaseOutcome> {
  const run = own(RUNNERS, bugCase.kind)
  if (run === undefined) return { status: 'failed', reasons: [`kind "${bugCase.kind}" has no runner`] }
  return outcomeOf(() => run(bugCase))
}

async function outcomeOf(run: () => Promise<CaseOutcome>): Promise<CaseOutcome> {
  try {
    return await run()
  } catch (error) {
    const outcome = cannotRunHere(error)
    if (outcome !== undefined) return outcome
    const message = error instanceof Error ? error.message : String(error)
    return { status: 'failed', reasons: [error instanceof NotUnderstood ? message : `threw: ${message}`] }
  }
}

/** What cells of a session expect, or runs of a loop, may stand with them, and is asked for there. How often is no expectation. */
const expectsNothing = ({ kind, input, expect }: BugCase): boolean =>
  !['session', 'loop'].includes(kind) &&
  Object.keys(expect).every((key) => key === 'repeat') &&
  input['runStdout'] === undefined &&
  input['check'] === undefined
