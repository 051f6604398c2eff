// A record as turns: what the model was asked, what it said, what came of it, what it was told of that.
import type { Candidate } from '../contract/candidate.js'
import type { LoopEvent } from '../contract/events.js'
import type { NamedVerdict, RunRecord } from '../contract/loop.js'
import type { Message, ModelReply } from '../contract/model.js'
import { answersText } from '../feedback/question-text.js'

/** One reply of the model and what came of it. */
export interface ChatTurn {
  /** 1-based attempt that the reply belongs to. */
  readonly attempt: number
  /** What was sent. */
  readonly messages: readonly Message[]
  /** What came back. */
  readonly reply: Omit<ModelReply, 'raw'>
  /** The program in the reply. */
  candidate?: Candidate
  /** True when the reply held no usable program. */
  isRejected: boolean
  /** True when the reply asked a question; `feedback` is then the answer. */
  isQuestion?: boolean
  /** What the checks said, when they were run. */
  verdicts?: readonly NamedVerdict[]
  /** What the model was told of it. */
  feedback?: string
}

/** The turns of a record, in order; a call without an answer is none. */
export function turnsOf({ events }: Pick<RunRecord, 'events'>): readonly ChatTurn[] {
  const turns: ChatTurn[] = []
  const asked = new Map<number, readonly Message[]>()
  for (const event of events) {
    if (event.type === 'model-start' && event.purpose !== 'diagnosis') asked.set(event.call, event.messages)
    else if (event.type === 'model-end') {
      const { attempt, reply, call } = event
      const messages = asked.get(call)
      // What a second reading found is part of what the model is told.
      if (messages !== undefined) turns.push({ attempt, reply, messages, isRejected: false })
    } else note(turns.at(-1), event)
  }
  return turns
}

/** Notes what came of the last reply; before the first there is nothing to note. */
function note(turn: ChatTurn | undefined, event: LoopEvent): void {
  if (turn === undefined) return
  // A second one is what a hook has made of it.
  if (event.type === 'candidate-ready') turn.candidate ??= event.candidate
  if (event.type === 'question-answered' && event.why === 'question') {
    turn.isQuestion = true
    turn.feedback = answersText([event]).join('\n')
  }
  if (event.type === 'reply-rejected') turn.isRejected = true
  if (event.type === 'attempt-end') turn.verdicts = event.result.verdicts
  if (event.type === 'feedback-ready') turn.feedback = event.text
}
