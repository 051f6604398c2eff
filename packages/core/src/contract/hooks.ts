// What an application may decide while a run goes on. Events observe; hooks are awaited and can change, deny or suspend.
import type { Spent } from './budget.js'
import type { Candidate } from './candidate.js'
import type { CallPurpose, CallSettings } from './events.js'
import type { Attempt } from './loop.js'
import type { Message } from './model.js'
import type { AnsweredQuestion } from './questions.js'

/** Functions that a loop asks before it goes on. What one throws ends the run with an error that names it. */
export interface LoopHooks {
  /** Before each call of the model, a second reading (`purpose: 'diagnosis'`) included; retries of a call ask once. */
  beforeModelCall?: Hook<ModelCallHookInput, ModelCallEdit>
  /** Before a program is judged: its static checks, its run and every check of it. Asked once for each program. */
  beforeExecute?: Hook<ExecuteHookInput, ExecuteEdit>
  /** After a program was judged, one that passed included. */
  afterAttempt?: Hook<AttemptHookInput, never>
}

/** One hook: it is awaited, for as long as it takes or until the run is ended. Without an answer, all is allowed. */
export type Hook<Input, Edit> = (input: Input) => HookAnswer<Edit> | Promise<HookAnswer<Edit>>

/** What a hook returns. */
export type HookAnswer<Edit> = undefined | HookAllowance | HookDenial | Edit | HookSuspension

/** It may go on. */
export interface HookAllowance {
  /** As if nothing was returned. */
  readonly decision: 'allow'
}

/**
 * It may not. A program that may not run is an attempt with a failure of kind `denied`; a call for a program, and an attempt
 * after which it may not go on, end the run as `needs-human`; a second reading is left out.
 */
export interface HookDenial {
  /** No. */
  readonly decision: 'deny'
  /** Told to the model of a program that may not run, otherwise to the person who is asked. */
  readonly reason: string
}

/** A person has to decide: the run ends as `needs-human`, to be resumed with the answer. */
export interface HookSuspension {
  /** Not now. */
  readonly decision: 'suspend'
  /** What the person is asked; `allow` and `deny` are answers that need no further word of the hook. */
  readonly question: string | HookQuestion
}

/** A question with what may be answered. */
export interface HookQuestion {
  /** The words. */
  readonly question: string
  /** Answers to choose from. Default: `allow` and `deny`. */
  readonly options?: readonly string[]
  /** What whoever asks would take. Default: `deny`. */
  readonly recommended?: string
}

/** Another conversation, or other settings, than were meant to be sent. */
export interface ModelCallEdit {
  /** Go on, with this. */
  readonly decision: 'edit'
  /** All that is sent. Default: as it was. */
  readonly messages?: readonly Message[]
  /** Added to, or in place of, what else is sent. */
  readonly settings?: CallSettings
}

/** Other files than the model wrote. */
export interface ExecuteEdit {
  /** Go on, with this. */
  readonly decision: 'edit'
  /** Path to text, whole; files that are not named stay. The task's inputs and protected names are left as they are. */
  readonly files: Readonly<Record<string, string>>
}

/** What every hook is told. */
export interface HookInput {
  /** Id of the run. */
  readonly runId: string
  /** 1-based attempt; 0 for the program that the task came with. */
  readonly attempt: number
  /** What has been spent so far. */
  readonly spent: Spent
  /** Aborted when the run is; its answer is then not waited for. */
  readonly signal: AbortSignal
  /** A person's answer to what this hook has asked last about the same thing, where it was neither `allow` nor `deny`. */
  readonly answer?: AnsweredQuestion
}

/** What is to be sent to a model. */
export interface ModelCallHookInput extends HookInput {
  /** Id of the model adapter. */
  readonly model: string
  /** What the call is for. */
  readonly purpose: CallPurpose
  /** The whole conversation. */
  readonly messages: readonly Message[]
  /** What else is sent. */
  readonly settings: CallSettings
}

/** What is to be run. */
export interface ExecuteHookInput extends HookInput {
  /** The program. */
  readonly candidate: Candidate
  /** Its language. */
  readonly language: string
  /** The arguments that it is called with. */
  readonly args: readonly string[]
}

/** What was judged. */
export interface AttemptHookInput extends HookInput {
  /** The attempt. */
  readonly result: Attempt
}
