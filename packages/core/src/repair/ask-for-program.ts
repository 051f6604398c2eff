// The model's part of a turn: what it is sent, and its reply.
import type { Candidate } from '../contract/candidate.js'
import type { ModelReply } from '../contract/model.js'
import type { Sandbox } from '../contract/sandbox.js'
import { askModel } from '../engine/ask-model.js'
import { isForModel } from '../engine/hooks.js'
import { limitsInEffect } from '../sandbox/limits-in-effect.js'
import { askedNow } from './asked-now.js'
import { questionForm } from './question-in-reply.js'
import type { Progress } from './repair-progress.js'
import type { ParsedTask } from './repair-task.js'
import { messagesFor } from './repair-turn.js'
import type { RunParts } from './run-parts.js'

/** What a reply changes: the program at hand, and where that is put aside, what it was to begin with, but for its entry. */
export function programAtHand(
  { program = {}, entry }: ParsedTask,
  progress: Progress,
): Candidate | undefined {
  if (!progress.startsAfresh) return progress.current
  const others = Object.entries(program).filter(([path]) => path !== entry)
  return { files: Object.fromEntries(others), entry }
}

/**
 * Asks for a program that runs in `sandbox`. The reply is `progress.pending` before anybody is told of it.
 *
 * @throws RunEnd when it cannot or may not be asked
 */
export async function askForProgram(
  { scope, settings: options, task, progress, questions, gate }: RunParts,
  sandbox: Sandbox,
  feedback: string | undefined,
): Promise<ModelReply> {
  const messages = messagesFor(task, {
    guarantees: sandbox.guarantees,
    current: programAtHand(task, progress),
    feedback,
    earlier: progress.earlierTurns,
    replyForm: progress.replyForm,
    startsAfresh: progress.startsAfresh,
    limits: limitsInEffect(sandbox, options.limits, task.limits),
    answered: questions.answered.filter(isForModel),
    questionForm: questionForm(options, questions.answered),
  })
  let answer: ModelReply | undefined
  const { model, settings } = askedNow(options, progress.startsAfresh)
  const purpose = 'program'
  const sent = await gate.beforeModelCall({ model: model.id, purpose, messages, settings })
  await askModel(scope, {
    model,
    messages,
    settings,
    ...sent,
    purpose,
    paid: (reply) => {
      progress.pending = answer = reply
      gate.actedOn('beforeModelCall')
    },
  })
  if (answer === undefined) throw new Error('askModel() must have paid or thrown.')
  return answer
}
