// One program of a run, until its worth is known: what is known already, what a hook says, a sandbox, another one.
import type { Candidate } from '../contract/candidate.js'
import { overlaid } from '../sandbox/limits-in-effect.js'
import { type Judgement, JudgingLost, judgeCandidate } from './judge-candidate.js'
import { programToRun } from './program-to-run.js'
import { readerFor } from './read-before-run.js'
import type { RunParts } from './run-parts.js'
import { unifiedDiff } from './unified-diff.js'

/** A program and what became of it. */
export interface JudgedProgram {
  /** As it was judged: a hook may have changed it. */
  readonly candidate: Candidate
  /** What was changed. */
  readonly warnings: readonly string[]
  readonly judgement: Judgement
  /** False when the verdict on the same program is used again. */
  readonly wasRun: boolean
}

/** Judges a program, unless it is known or may not run. */
export async function judgeProgram(run: RunParts, written: Candidate): Promise<JudgedProgram> {
  const known = knownJudgement(run, written)
  if (known !== undefined) return { candidate: written, warnings: [], judgement: known, wasRun: false }
  const allowed = await programToRun(run.gate, run.task, written)
  if ('denied' in allowed)
    return { candidate: written, warnings: [], judgement: allowed.denied, wasRun: true }
  const { candidate, warnings } = allowed
  const diff = unifiedDiff(written.files, candidate.files)
  if (diff !== '') run.scope.events.emit('candidate-ready', { candidate, diff, warnings })
  return { candidate, warnings, judgement: await judgeUntilKnown(run, candidate), wasRun: true }
}

/** What became of the same program before: it need not run again. */
function knownJudgement(
  { settings, progress }: RunParts,
  { files, entry }: Candidate,
): Judgement | undefined {
  const earlier = progress.sameText({ files, entry })
  if (earlier === undefined || settings.stallAfter === false) return undefined
  const { execution, verdicts, failures, passed } = earlier
  const workdir = progress.workdirOf(earlier)
  return { ...(execution !== undefined && { execution }), verdicts, failures, passed, outputs: {}, workdir }
}

/** A sandbox that is lost says nothing about the candidate: the same one is judged again in a new sandbox. */
async function judgeUntilKnown(
  { scope, sandboxes, settings, task, progress }: RunParts,
  candidate: Candidate,
): Promise<Judgement> {
  for (;;) {
    const sandbox = await sandboxes.open()
    try {
      const limits = overlaid(settings.limits, task.limits)
      const { staticChecks } = settings
      const read = staticChecks && readerFor(staticChecks, task, candidate, progress)
      return await judgeCandidate(scope, sandbox, candidate, { ...task, limits, ...(read && { read }) })
    } catch (error) {
      if (!(error instanceof JudgingLost)) throw error
      scope.check()
      await sandboxes.lost(error.message, error.cause)
    } finally {
      sandboxes.retire()
    }
  }
}
