// Why a run ends before its goal: thrown inside a loop, never out of it.

import type { Budget } from '../contract/budget.js'
import type { MendloopError } from '../contract/errors.js'
import type { Question } from '../contract/questions.js'

/** How a loop was ended. */
export type RunEndReason =
  | { readonly status: 'exhausted'; readonly budget: keyof Budget }
  | { readonly status: 'stalled'; readonly reason: string }
  | { readonly status: 'needs-human'; readonly question: Question }
  | { readonly status: 'aborted' }
  | { readonly status: 'environment-lost'; readonly cause: string; readonly error?: MendloopError }

/** Unwinds a loop to its end; caught by the loop itself. */
export class RunEnd extends Error {
  readonly reason: RunEndReason

  constructor(reason: RunEndReason) {
    super(reason.status)
    this.reason = reason
  }
}
