// The pure parts of a turn: a reply to a candidate, a judgement to feedback, progress to the next prompt.
import type { Candidate } from '../contract/candidate.js'
import type { Attempt } from '../contract/loop.js'
import type { Message, ModelReply } from '../contract/model.js'
import type { AnsweredQuestion } from '../contract/questions.js'
import type { Guarantees, Limits } from '../contract/sandbox.js'
import type { Failure } from '../contract/verify.js'
import { firstMessages, freshMessages, type PromptTask, refinementMessages } from '../feedback/prompt.js'
import { type FeedbackInput, renderFeedback } from '../feedback/render-feedback.js'
import { extractCandidate } from '../reply/extract-candidate.js'
import { newFailure } from '../verify/new-failure.js'
import { isProtected } from './protected-files.js'
import type { ParsedTask } from './repair-task.js'

/** What a reply came to. */
export type ReplyOutcome =
  | { readonly ok: true; readonly candidate: Candidate; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly failure: Failure }

/** Reads a reply; files that it does not name stay as they are in `current`, and the task's inputs are not its to write. */
export function candidateFrom(
  reply: ModelReply,
  task: ParsedTask,
  current: Candidate | undefined,
): ReplyOutcome {
  if (reply.refusal !== undefined)
    return rejected('refusal', `The model refused: ${reply.refusal.slice(0, 400)}`)
  if (reply.text.trim() === '' && reply.finish === 'length' && reply.toolCalls.length === 0)
    return rejected(
      'truncated-reply',
      'The output limit was reached before any answer was written. Think less and answer with the program at once.',
    )
  const extraction = extractCandidate(reply, {
    language: task.language,
    entry: task.entry,
    files: current?.files ?? {},
  })
  if (extraction.status !== 'ok') return { ok: false, failure: extraction.failure }
  const isKept = isProtected(task)
  const paths = Object.keys(extraction.candidate.files)
  const written = paths.filter((path) => !isKept(path))
  const kept = paths.filter(isKept)
  if (written.length === 0)
    return rejected('edit', `${keptText(kept, task)} Write the program to ${task.entry}.`)
  const files = {
    ...without(current?.files ?? {}, extraction.deleted ?? []),
    ...Object.fromEntries(written.map((path) => [path, extraction.candidate.files[path] ?? ''])),
  }
  if (files[task.entry] === undefined)
    return rejected(
      'missing-entry',
      `The reply holds ${written.join(', ')} but not ${task.entry}, which is the file that is run.`,
    )
  const warnings = [
    ...extraction.warnings,
    ...(kept.length === 0 ? [] : [`protected: ${keptText(kept, task)}`]),
  ]
  return { ok: true, candidate: { files, entry: task.entry }, warnings }
}

const without = (files: Candidate['files'], paths: readonly string[]): Candidate['files'] =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !paths.includes(path)))

function keptText(paths: readonly string[], { files = {} }: ParsedTask): string {
  return paths
    .map((path) =>
      files[path] === undefined
        ? `${path} is protected: a file of that name cannot be added.`
        : `${path} is protected: it is an input and cannot be changed.`,
    )
    .join(' ')
}

/** Where a run stands when the model is asked. */
export interface TurnInput {
  readonly guarantees: Guarantees
  readonly limits: Limits
  readonly current: Candidate | undefined
  readonly feedback: string | undefined
  /** One line for each turn that `feedback` is not about. */
  readonly earlier: readonly string[]
  /** How the reply is to give what changes. */
  readonly replyForm: 'files' | 'edits'
  /** The program at hand is not shown: changing it has led nowhere. */
  readonly startsAfresh: boolean
  /** What the model is told of questions and answers. */
  readonly answered: readonly AnsweredQuestion[]
  /** How the model may ask; undefined when it may not. */
  readonly questionForm: string | undefined
}

/** The conversation for the next turn. */
export function messagesFor(task: ParsedTask, turn: TurnInput): Message[] {
  const { questionForm } = turn
  const messages = conversation(task, turn)
  if (questionForm === undefined) return messages
  return messages.map((message) =>
    message.role === 'system'
      ? { ...message, content: `${String(message.content)}\n\n${questionForm}` }
      : message,
  )
}

function conversation(
  task: ParsedTask,
  { guarantees, limits, current, feedback, earlier, replyForm, startsAfresh, answered }: TurnInput,
): Message[] {
  const prompt: PromptTask = {
    goal: task.goal,
    language: task.language,
    entry: task.entry,
    files: Object.entries(task.files ?? {}).map(([path, content]) => ({
      path,
      sizeBytes: Buffer.byteLength(content),
    })),
    ...(task.outputs !== undefined && { outputs: task.outputs }),
    ...(task.args !== undefined && { args: task.args }),
    hasStdin: task.stdin !== undefined,
    guarantees,
    limits,
    ...(task.note !== undefined && { note: task.note }),
    answered,
  }
  if (feedback === undefined) return firstMessages(prompt)
  if (startsAfresh)
    return freshMessages({ ...prompt, feedback, earlier, ...(current && { program: current }) })
  if (current !== undefined)
    return refinementMessages({ ...prompt, program: current, feedback, earlier, replyForm })
  const messages = firstMessages(prompt)
  return messages.map((message) =>
    message.role === 'user' ? { ...message, content: `${String(message.content)}\n\n${feedback}` } : message,
  )
}

/** What is known of an attempt besides what it came to. */
export interface FeedbackSurroundings extends Pick<FeedbackInput, 'repeat' | 'setback'> {
  readonly attemptsLeft: number
  readonly left?: FeedbackInput['left']
  readonly warnings: readonly string[]
  readonly workdir: string
  readonly diagnosis?: string
  readonly maxChars?: number
}

/** What the model is told of an attempt that failed. */
export function feedbackFor(attempt: Attempt, { maxChars, ...known }: FeedbackSurroundings): string {
  return renderFeedback({ ...attempt, ...known }, maxChars === undefined ? {} : { maxChars })
}

/** What the model is told of a reply that held no program; what it was told before still stands. */
export function rejectionFeedback({ message }: Failure, before: string | undefined): string {
  const told = `The last reply could not be used. ${message}`
  return before === undefined ? told : `${told}\n\nOf the program as it is:\n${before}`
}

function rejected(kind: Failure['kind'], message: string): ReplyOutcome {
  return { ok: false, failure: newFailure({ kind, message }) }
}
