// What a run reports while it goes on. Events observe; they can never change or break a run.

import type { Budget, Spent } from './budget.js'
import type { Candidate } from './candidate.js'
import type { ExecutionResult } from './execution.js'
import type { Attempt, NamedVerdict } from './loop.js'
import type { Message, ModelReply } from './model.js'
import type { AnsweredQuestion, Question } from './questions.js'
import type { Guarantees, OutputChunk } from './sandbox.js'
import type { Failure } from './verify.js'

/** What every event carries. */
export interface EventBase {
  /** Id of the run. */
  readonly runId: string
  /** 0-based position in the run. */
  readonly sequence: number
  /** Milliseconds since the run began. */
  readonly atMs: number
  /** 1-based attempt; 0 before the first. */
  readonly attempt: number
}

/** What a model is sent besides the conversation; absent: the server's own. */
export interface CallSettings {
  /** Upper bound of the reply, in tokens. */
  readonly maxOutputTokens?: number
  /** Sampling temperature. */
  readonly temperature?: number
  /** Passed to the provider as it is. */
  readonly providerOptions?: unknown
}

/** What a model is asked for. */
export type CallPurpose = 'program' | 'diagnosis'

/** Payload of each event, by its name. */
export interface LoopEventPayloads {
  /** The run begins. */
  'run-start': {
    /** What is to be done. */
    goal: string
    /** Language of the program. */
    language: string
    /** Id of the model adapter. */
    model: string
    /** Id of the sandbox provider. */
    sandbox: string
    /** Names of the verifiers, in order. */
    verifiers: readonly string[]
    /** What may be spent. */
    budget: Budget
    /** When, as ISO 8601 in UTC. */
    startedAt: string
    /** Of a resumed run: the attempts that were judged before. */
    attempts?: readonly Attempt[]
    /** Of a resumed run: the questions that were answered before. */
    questions?: readonly AnsweredQuestion[]
  }
  /** An attempt begins; a reply without usable code is asked for again within it. */
  'attempt-start': {
    /** What has been spent so far. */
    spent: Spent
  }
  /** The model is asked. */
  'model-start': {
    /** 1-based number of the call in this run; the end or error of the call has the same. */
    call: number
    /** Id of the model adapter. */
    model: string
    /** What for; absent in records from before there was anything but `program`. */
    purpose?: CallPurpose
    /** The whole conversation that is sent. */
    messages: readonly Message[]
    /** What else is sent; secrets in `providerOptions` are masked. */
    settings: CallSettings
  }
  /** The model said something more. Not recorded. */
  'model-delta': {
    /** The new text. */
    text: string
  }
  /** The model has answered. */
  'model-end': {
    /** Number of the call. */
    call: number
    /** What it said, without `raw`. */
    reply: Omit<ModelReply, 'raw'>
    /** US dollars, where the price is known. */
    costUsd?: number
    /** Wall time, in milliseconds. */
    durationMs: number
  }
  /** The model could not be asked. */
  'model-error': {
    /** Number of the call. */
    call: number
    /** Code of the error. */
    code: string
    /** Its sentence. */
    message: string
    /** Wall time, in milliseconds. */
    durationMs: number
  }
  /** The reply held a program; told once more when a hook has changed it. */
  'candidate-ready': {
    /** The program. */
    candidate: Candidate
    /** Files that differ from the candidate before, with their unified diff; empty for the first. */
    diff: string
    /** What the extraction mended or found odd. */
    warnings: readonly string[]
  }
  /** The reply held no usable program; it goes back to the model. */
  'reply-rejected': {
    /** What was wrong with it. */
    failure: Failure
  }
  /** A sandbox was opened for this attempt. */
  'sandbox-start': {
    /** What it enforces. */
    guarantees: Guarantees
  }
  /** A program starts in the sandbox. */
  'execution-start': {
    /** What is run, short and readable. */
    command: string
    /** `program`: the candidate itself. `verification`: a verifier's own. */
    purpose: 'program' | 'verification'
  }
  /** The program wrote something. Not recorded. */
  'execution-output': OutputChunk
  /** The program has ended. */
  'execution-end': {
    /** What is run, short and readable. */
    command: string
    /** As in `execution-start`. */
    purpose: 'program' | 'verification'
    /** What it did. */
    result: ExecutionResult
  }
  /** A check begins. */
  'verification-start': {
    /** Name of the verifier. */
    verifier: string
    /** Whether the model may see its details. */
    visibility: 'visible' | 'held-out'
  }
  /** A check has ended. */
  'verification-end': {
    /** What it found. */
    verdict: NamedVerdict
  }
  /** What the model will be told. */
  'feedback-ready': {
    /** The text. */
    text: string
    /** What it was made from. */
    failures: readonly Failure[]
  }
  /** A candidate has been judged. */
  'attempt-end': {
    /** The attempt. Where it has no `execution`, that is the attempt's last `execution-end` of purpose `program`. */
    result: Attempt
  }
  /** Something is to be decided by a person; `question-answered` follows, or the end of the run. */
  'question-asked': Question
  /** It is decided. In a resumed run, `question-asked` may be in the record of the run before. */
  'question-answered': AnsweredQuestion
  /** The sandbox was lost or could not be opened. */
  'infrastructure-error': {
    /** What happened. */
    cause: string
  }
  /** The run is over. */
  'run-end': {
    /** How it ended. */
    status: string
    /** The budget, cause or reason, where there is one. */
    detail?: string
    /** What was spent. */
    spent: Spent
  }
}

/** Names of events. */
export type LoopEventType = keyof LoopEventPayloads

/** An event of one type. */
export type LoopEventOf<T extends LoopEventType> = EventBase & {
  /** Name of the event. */
  readonly type: T
} & Readonly<LoopEventPayloads[T]>

/** Any event, told apart by `type`. */
export type LoopEvent = { [T in LoopEventType]: LoopEventOf<T> }[LoopEventType]
