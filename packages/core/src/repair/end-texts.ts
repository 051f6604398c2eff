// How a run ended, in words for people.
import type { RunEndReason } from '../engine/run-end.js'
import type { Stall } from '../engine/stall.js'

/** Why a run that goes in circles is ended. */
export function stallText({ repeats, last }: Stall): string {
  const counted = `${repeats} attempts repeated earlier ones without getting further`
  if (last === undefined) return counted
  const what = last.kind === 'failure' ? 'the same failure' : 'the same program'
  return `${counted}; the last brought back ${what} as attempt ${last.of}`
}

/** What a person is asked when the loop cannot go on alone. */
export const questionOf = (end: RunEndReason & { status: 'exhausted' | 'stalled' }): string =>
  end.status === 'exhausted'
    ? `The budget "${end.budget}" ended before every check passed. Go on with a larger one, with a hint, or not at all?`
    : `The model goes in circles: ${end.reason}. What does it not see?`

/** The one thing to add to a status. */
export function detailOf(end: RunEndReason | { status: 'verified' }): string | undefined {
  if ('budget' in end) return end.budget
  if ('cause' in end) return end.cause
  if ('question' in end) return end.question.question
  return 'reason' in end ? end.reason : undefined
}
