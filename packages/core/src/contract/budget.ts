// What a run may spend, and what it has spent.
import { z } from 'zod'
import type { Usage } from './model.js'

/** What a run may spend. Checked before spending; 0 is honoured. */
export interface Budget {
  /** Candidates that may be judged. Default 4. */
  attempts: number
  /** Replies without usable code that may be sent back. Default 2. */
  formatErrors: number
  /** Patches that do not apply that may be sent back. Default 2. */
  editErrors: number
  /** Failures of model server or sandbox, after their own retries, that may be tried again. Default 3. */
  infrastructureErrors: number
  /** Calls of the model. Default: no limit of its own. */
  modelCalls?: number
  /** Input and output tokens together. */
  totalTokens?: number
  /** US dollars; needs a model adapter that knows its price. */
  costUsd?: number
  /** Wall time of the whole run, in milliseconds. */
  wallMs?: number
  /** Wall time of all executions together, in milliseconds. */
  executionMs?: number
}

/** The budget of a run for which nothing was asked. */
export const DEFAULT_BUDGET: Readonly<Budget> = Object.freeze({
  attempts: 4,
  formatErrors: 2,
  editErrors: 2,
  infrastructureErrors: 3,
})

const count = z.int('must be a whole number').nonnegative('must not be negative')

/** Schema of a full or partial budget. */
export const budgetSchema: z.ZodType<Partial<Budget>> = z.strictObject({
  attempts: count.optional(),
  formatErrors: count.optional(),
  editErrors: count.optional(),
  infrastructureErrors: count.optional(),
  modelCalls: count.optional(),
  totalTokens: count.optional(),
  costUsd: z.number().nonnegative().optional(),
  wallMs: count.optional(),
  executionMs: count.optional(),
})

/** What a run has spent. */
export interface Spent {
  /** Candidates judged. */
  readonly attempts: number
  /** Replies without usable code. */
  readonly formatErrors: number
  /** Patches that did not apply. */
  readonly editErrors: number
  /** Failures of model server or sandbox. */
  readonly infrastructureErrors: number
  /** Calls of the model that were answered. */
  readonly modelCalls: number
  /** Tokens, summed over calls. */
  readonly usage: Usage
  /** Input and output tokens together. */
  readonly totalTokens: number
  /** US dollars; undefined when the model's price is not known. */
  readonly costUsd?: number
  /** Wall time of the run, in milliseconds. */
  readonly wallMs: number
  /** Wall time of all executions together, in milliseconds. */
  readonly executionMs: number
}
