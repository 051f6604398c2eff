// A reply that asks: whether that is a question for a person, one too many, or none at all.

import type { ModelReply } from '../contract/model.js'
import type { AnsweredQuestion } from '../contract/questions.js'
import { QUESTION_FORM, type ReplyQuestion, readQuestion } from '../reply/question.js'
import { newFailure } from '../verify/new-failure.js'
import type { RepairLoopOptions } from './create-repair-loop.js'
import type { ReplyOutcome } from './repair-turn.js'
import type { RunParts } from './run-parts.js'

/** Whether and how a model may ask. */
export interface QuestionOptions {
  /** Questions that are answered in a run, also when it is resumed. A further one costs a format error. Default 3. */
  most?: number
  /**
   * How long a person may take, in milliseconds; then what the model recommends is taken. 0: it is taken at once. Default:
   * ten minutes when a listener is attached to `question-asked`, and 0 otherwise.
   */
  answerWithinMs?: number
}

/** Questions of a run for which no number was given. */
const DEFAULT_MOST = 3

/** The settings of `questions`; undefined when the model may not ask. */
function questionOptions({ questions }: RepairLoopOptions): QuestionOptions | undefined {
  if (questions === undefined || questions === false) return undefined
  return questions === true ? {} : questions
}

/** How the model may ask now; undefined when it may not, or not again. */
export function questionForm(
  settings: RepairLoopOptions,
  answered: readonly AnsweredQuestion[],
): string | undefined {
  const options = questionOptions(settings)
  if (options === undefined) return undefined
  const asked = answered.filter(({ why }) => why === 'question').length
  return asked < (options.most ?? DEFAULT_MOST) ? QUESTION_FORM : undefined
}

/**
 * What a reply asks instead of holding a program.
 *
 * @param outcome - what the reply comes to as a program
 * @returns `outcome` when it asks nothing; a failure when it may not ask, or not like this
 */
export function questionOr(
  outcome: ReplyOutcome,
  reply: ModelReply,
  settings: RepairLoopOptions,
  answered: readonly AnsweredQuestion[],
): ReplyQuestion | ReplyOutcome {
  if (questionOptions(settings) === undefined) return outcome
  const found = readQuestion(reply)
  if (found === undefined) return outcome
  const isAlone = 'isAlone' in found && found.isAlone
  if (outcome.ok && !isAlone) return outcome
  if ('problem' in found) return refused(found.problem)
  if (questionForm(settings, answered) === undefined)
    return refused('No more questions can be answered. Decide it yourself and send the program.')
  return found
}

/**
 * Asks a person what the model asks. It costs no attempt; what is answered is in the next prompt.
 *
 * @throws RunEnd when the run was ended meanwhile
 */
export async function askPerson(
  { settings, questions, progress }: RunParts,
  { isAlone: _, ...asked }: ReplyQuestion,
): Promise<void> {
  await questions.ask({ ...asked, why: 'question' }, questionOptions(settings)?.answerWithinMs, () => {
    progress.pending = undefined
  })
}

const refused = (message: string): ReplyOutcome => ({
  ok: false,
  failure: newFailure({ kind: 'no-code', message }),
})
