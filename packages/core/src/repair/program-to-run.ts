// What the hook `beforeExecute` makes of a program: nothing, another one, or one that may not run.
import type { Candidate } from '../contract/candidate.js'
import type { HookGate } from '../engine/hooks.js'
import { newFailure } from '../verify/new-failure.js'
import type { Judgement } from './judge-candidate.js'
import { isProtected } from './protected-files.js'
import type { ParsedTask } from './repair-task.js'
import { notAskedFor } from './verdicts.js'

/** A program that may run, or the judgement on one that may not. */
export type ProgramToRun =
  | { readonly candidate: Candidate; readonly warnings: readonly string[] }
  | { readonly denied: Judgement }

/**
 * Asks the hook. What it changes is the program from then on; what is protected stays as it is.
 *
 * @throws RunEnd, MendloopError INVALID_OPTION naming the hook
 */
export async function programToRun(
  gate: HookGate,
  task: ParsedTask,
  candidate: Candidate,
): Promise<ProgramToRun> {
  const { language, args = [] } = task
  const decision = await gate.beforeExecute({ candidate, language, args })
  if (decision === undefined) return { candidate, warnings: [] }
  if (decision.decision === 'deny') return { denied: denied(task, decision.reason) }
  const isKept = isProtected(task)
  const changed = Object.entries(decision.files).filter(
    ([path, text]) => !isKept(path) && candidate.files[path] !== text,
  )
  const kept = Object.keys(decision.files).filter(isKept)
  return {
    candidate: { ...candidate, files: { ...candidate.files, ...Object.fromEntries(changed) } },
    warnings: [
      ...changed.map(([path]) => `edited: ${path} was changed by the application before the program ran.`),
      ...kept.map((path) => `protected: ${path} cannot be changed, by the application neither.`),
    ],
  }
}

/** Nothing has been checked, so that no check has failed: what is told is that it may not run, and why. */
const denied = ({ verify }: ParsedTask, reason: string): Judgement => ({
  verdicts: verify.map(notAskedFor),
  failures: [newFailure({ kind: 'denied', message: `The program was not allowed to run: ${reason}` })],
  passed: false,
  outputs: {},
  workdir: '',
})
