// A record as multi-turn training data, in the shape of Code-Feedback (Zheng et al. 2024, OpenCodeInterpreter, section 2):
// the user asks, the assistant writes code, the user says what came of it, and so on.
import { z } from 'zod'
import type { LoopEventOf } from '../contract/events.js'
import type { NamedVerdict, RepairResult, RunRecord } from '../contract/loop.js'
import type { Message } from '../contract/model.js'
import { parseOptions } from '../contract/options.js'
import { programText } from '../feedback/prompt.js'
import { type ChatTurn, turnsOf } from './chat-turns.js'
import { type Redact, redactedCopy, redactSchema } from './redaction.js'

/** What of a record becomes training data. */
export interface ChatDataOptions {
  /** Leave out runs that did not end as `verified`. Default false. */
  verifiedOnly?: boolean
  /** Leave out replies without a usable program, and what the model was told of them. Default false. */
  dropRejected?: boolean
  /** Tell in the metadata how held-out checks ended: status and counts, never their code or failures. Default false. */
  heldOut?: boolean
  /** What is taken out of every text. `true`: what `redactSecrets` knows of. Default: nothing. */
  redact?: Redact
}

const optionsSchema: z.ZodType<ChatDataOptions> = z.strictObject({
  verifiedOnly: z.boolean().optional(),
  dropRejected: z.boolean().optional(),
  heldOut: z.boolean().optional(),
  redact: redactSchema.optional(),
})

/** What a message is: its role says who speaks, a tag says of what. */
export type ChatTag =
  | 'system'
  | 'task'
  | 'code'
  | 'rejected'
  | 'question'
  | 'answer'
  | 'execution-feedback'
  | 'format-feedback'
  | 'human-feedback'

/** One message in the usual chat format. */
export interface ChatMessage {
  /** Who speaks. */
  readonly role: 'system' | 'user' | 'assistant'
  /** What is said. */
  readonly content: string
}

/** How a check ended. */
export interface ChatCheck {
  /** Name of the verifier. */
  readonly name: string
  /** Whether the model could see its details. */
  readonly visibility: 'visible' | 'held-out'
  /** `not-run` is not a pass. */
  readonly status: 'pass' | 'fail' | 'not-run'
  /** How many of its tests passed, and how many there are, where it has tests. */
  readonly tests?: {
    /** Those that passed. */
    readonly passed: number
    /** All of them. */
    readonly total: number
  }
}

/** One conversation. */
export interface ChatConversation {
  /** Begins with the system's and the user's, ends with the assistant's. */
  readonly messages: readonly ChatMessage[]
  /** What is known of it. */
  readonly metadata: {
    /** Id of the run. */
    readonly runId: string
    /** Id of the model adapter. */
    readonly model: string
    /** Language of the program. */
    readonly language: string
    /** How the run ended; `failed` when it rejected, `unfinished` when the record ends before. */
    readonly status: RepairResult['status'] | 'failed' | 'unfinished'
    /** What each message is, in their order. */
    readonly tags: readonly (readonly ChatTag[])[]
    /** What the checks said of each program. */
    readonly attempts: readonly {
      /** 1-based attempt. */
      readonly attempt: number
      /** 0-based place of the message that holds the program. */
      readonly message: number
      /** Visible checks, and held-out ones when they were asked for. */
      readonly checks: readonly ChatCheck[]
    }[]
  }
}

type Tagged = ChatMessage & { readonly tags: readonly ChatTag[]; readonly turn?: ChatTurn }

/** The heading of a person's words in prompts and feedback. */
const HUMAN = /^A person (?:advises|answers):$/mu

/**
 * A run as conversations for training, to be written one JSON object a line.
 *
 * The first message or two are those that the model was sent; then come its replies, as they were written, and between
 * them what it was told of each. A reply that was only a tool call stands as the program in it. Pictures are left out.
 *
 * @returns one conversation, or none: nothing was answered, or the options leave all of it out
 * @throws MendloopError INVALID_OPTION
 */
export function toChatData(record: RunRecord, options: ChatDataOptions = {}): readonly ChatConversation[] {
  const { verifiedOnly, dropRejected, heldOut, redact } = parseOptions(optionsSchema, options, 'toChatData()')
  const { events, runId } = record
  const start = events.find(({ type }) => type === 'run-start') as LoopEventOf<'run-start'> | undefined
  const end = events.findLast(({ type }) => type === 'run-end') as LoopEventOf<'run-end'> | undefined
  const status = (end?.status ?? 'unfinished') as ChatConversation['metadata']['status']
  if (verifiedOnly === true && status !== 'verified') return []
  const all = turnsOf(record)
  const turns = all.filter(({ isRejected }) => dropRejected !== true || !isRejected)
  if (turns.length === 0) return []
  const language = start?.language ?? ''
  // The first prompt of all: the prompt of a later turn tells of replies that may have been left out.
  const tagged = [...opening(all[0]?.messages ?? []), ...exchange(turns, language)]
  const attempts = tagged.flatMap(({ turn }, message) =>
    turn?.verdicts === undefined
      ? []
      : [{ attempt: turn.attempt, message, checks: checksOf(turn.verdicts, heldOut === true) }],
  )
  const messages = tagged.map(({ role, content }) => ({ role, content }))
  const tags = tagged.map((one) => one.tags)
  const metadata = { runId, model: start?.model ?? '', language, status, attempts }
  const made = redactedCopy({ messages, metadata }, redact)
  return [{ ...made, metadata: { ...made.metadata, runId, tags } }]
}

/** Replies, and between them what the model was told. */
function exchange(turns: readonly ChatTurn[], language: string): readonly Tagged[] {
  return turns.flatMap((turn, index) => {
    const next = turns[index + 1]
    return next === undefined ? [answer(turn, language)] : [answer(turn, language), told(turn, next)]
  })
}

function opening(messages: readonly Message[]): readonly Tagged[] {
  const task = messages.findIndex(({ role }) => role === 'user')
  return messages.map((message, index) => {
    const content = textOf(message)
    if (message.role === 'system') return { role: 'system', content, tags: ['system'] }
    if (message.role === 'assistant') return { role: 'assistant', content, tags: ['code'] }
    return userMessage(content, index === task ? 'task' : 'execution-feedback')
  })
}

function answer(turn: ChatTurn, language: string): Tagged {
  const { reply, candidate, isRejected, isQuestion = false } = turn
  const words = reply.text !== '' ? reply.text : (reply.refusal ?? '')
  const content = words === '' && candidate !== undefined ? programText(candidate, language) : words
  return {
    role: 'assistant',
    content,
    tags: [isQuestion ? 'question' : isRejected ? 'rejected' : 'code'],
    turn,
  }
}

/** What the model was told before its next reply; where no event says it, the end of the next prompt does. */
function told({ feedback, isRejected, isQuestion = false }: ChatTurn, next: ChatTurn): Tagged {
  const last = next.messages.findLast(({ role }) => role === 'user')
  const content = feedback ?? (last === undefined ? '' : textOf(last))
  if (isQuestion) return userMessage(content, 'answer')
  return userMessage(content, isRejected ? 'format-feedback' : 'execution-feedback')
}

const userMessage = (content: string, tag: ChatTag): Tagged => ({
  role: 'user',
  content,
  tags: HUMAN.test(content) ? [tag, 'human-feedback'] : [tag],
})

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

const checksOf = (verdicts: readonly NamedVerdict[], heldOut: boolean): readonly ChatCheck[] =>
  verdicts
    .filter(({ visibility }) => heldOut || visibility === 'visible')
    .map(({ name, visibility, status, tests = [] }) => {
      const passed = tests.filter((test) => test.status === 'pass').length
      return {
        name,
        visibility,
        status,
        ...(tests.length > 0 && { tests: { passed, total: tests.length } }),
      }
    })
