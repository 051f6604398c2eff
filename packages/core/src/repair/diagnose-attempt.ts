// A second reading of an attempt that failed, within a run: when it is wanted, and what it costs.
import type { ModelReply } from '../contract/model.js'
import { askInPassing } from '../engine/ask-model.js'
import { diagnosisMessages, readDiagnosis } from '../feedback/diagnosis.js'
import type { DiagnosisOptions } from './create-repair-loop.js'
import type { RunParts } from './run-parts.js'

/** Repeats before a second reading for which no number was given: at first, parsed failures say enough. */
const DEFAULT_AFTER_REPEATS = 1

/**
 * Asks for the cause of the failure that the model is told of next, where that is wanted and not known yet. What it was
 * told till then is what is read.
 *
 * @throws RunEnd when the run was ended
 */
export async function diagnoseAttempt(
  { scope, settings: { diagnosis, model }, task: { goal, language }, progress, gate }: RunParts,
  feedback: string | undefined,
): Promise<void> {
  if (diagnosis === undefined || diagnosis === false) return
  const { afterRepeats = DEFAULT_AFTER_REPEATS, ...options }: DiagnosisOptions =
    diagnosis === true ? {} : diagnosis
  const subject = progress.lacking('diagnosis', afterRepeats)
  if (subject === undefined || feedback === undefined) return
  // Nobody is asked whether a call may be made that a budget forbids.
  if (scope.meter.beforeModelCall() !== undefined) return
  const { maxOutputTokens } = options
  const purpose = 'diagnosis'
  const asked = options.model ?? model
  const sent = await gate.beforeModelCall({
    model: asked.id,
    purpose,
    messages: diagnosisMessages({ goal, language, program: subject.candidate, feedback }),
    settings: { ...(maxOutputTokens !== undefined && { maxOutputTokens }) },
  })
  if (sent === undefined) return progress.note(subject, { diagnosis: '' })
  const paid = (reply: ModelReply): void => progress.note(subject, { diagnosis: readDiagnosis(reply) ?? '' })
  await askInPassing(scope, { ...sent, model: asked, purpose, paid })
  gate.actedOn('beforeModelCall')
}
