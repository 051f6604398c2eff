// A second reading of an attempt that failed, within a run: when it is wanted, and what it costs.
import { askInPassing } from '../engine/ask-model.js'
import type { RunScope } from '../engine/run-scope.js'
import { diagnosisMessages, readDiagnosis } from '../feedback/diagnosis.js'
import type { DiagnosisOptions, RepairLoopOptions } from './create-repair-loop.js'
import type { Progress } from './repair-progress.js'
import type { ParsedTask } from './repair-task.js'

/** Repeats before a second reading for which no number was given: at first, parsed failures say enough. */
const DEFAULT_AFTER_REPEATS = 1

/**
 * Asks for the cause of the failure that the model is told of next, where that is wanted and not known yet. What it was
 * told till then is what is read.
 *
 * @throws RunEnd when the run was ended
 */
export async function diagnoseAttempt(
  scope: RunScope,
  { diagnosis, model }: RepairLoopOptions,
  { goal, language }: ParsedTask,
  progress: Progress,
  feedback: string | undefined,
): Promise<void> {
  if (diagnosis === undefined || diagnosis === false) return
  const { afterRepeats = DEFAULT_AFTER_REPEATS, ...options }: DiagnosisOptions =
    diagnosis === true ? {} : diagnosis
  const subject = progress.undiagnosed(afterRepeats)
  if (subject === undefined || feedback === undefined) return
  const { maxOutputTokens } = options
  await askInPassing(scope, {
    model: options.model ?? model,
    messages: diagnosisMessages({ goal, language, program: subject.candidate, feedback }),
    settings: { ...(maxOutputTokens !== undefined && { maxOutputTokens }) },
    purpose: 'diagnosis',
    paid: (reply) => progress.noteDiagnosis(subject, readDiagnosis(reply) ?? ''),
  })
}
