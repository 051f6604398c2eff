// The end of a run in words for the model that called the loop as a tool: JSON within a bound of characters.
import type { Attempt, RepairResult } from '../contract/loop.js'
import { clipText } from '../feedback/clip-text.js'
import { renderFeedback } from '../feedback/render-feedback.js'
import { bestAttempt } from './rank-attempts.js'

/** Below this, feedback has no room for what must be said. */
const SMALLEST_REPORT = 1000
const SENTENCE_CHARS = 600
const ASSUMPTION_CHARS = 200

/**
 * What came of a run, as JSON: `status`, `summary`, `cost`, `assumed` where the loop's model asked and nobody answered, then
 * `program` (path → text) and, where it failed, `report`.
 *
 * A program is told whole or not at all: one that does not fit is left out, and `programLeftOut` says how large it is.
 *
 * @param maxChars - upper bound of the text's `length`
 */
export function answerOf(result: RepairResult, maxChars: number): string {
  const best = bestAttempt(result.attempts)
  const answer: Record<string, unknown> = {
    status: result.status,
    summary: clipText(summaryOf(result), SENTENCE_CHARS),
    cost: costOf(result),
  }
  const assumed = result.questions.filter(({ by }) => by === 'default')
  if (assumed.length > 0)
    answer['assumed'] = assumed.map(({ question, answer: taken }) =>
      clipText(`${question} ${taken}`, ASSUMPTION_CHARS),
    )
  const report = result.status === 'verified' || best === undefined ? '' : reportOf(best, maxChars)
  const program = result.status === 'verified' ? result.candidate : result.best
  if (program !== undefined) {
    // A report has a right to half of the room, since without it nothing can be learned from the program.
    const room = maxChars - lengthOf(answer) - Math.min(lengthOf(report), maxChars / 2)
    const size = Object.values(program.files).reduce((sum, text) => sum + text.length, 0)
    if (lengthOf(program.files) + PUNCTUATION <= room) answer['program'] = program.files
    else answer['programLeftOut'] = `${Object.keys(program.files).length} files, ${size} characters`
  }
  if (report !== '') answer['report'] = fitted(report, maxChars - lengthOf(answer) - PUNCTUATION)
  return JSON.stringify(answer)
}

/** What could not be used of a call, as the same sort of JSON. */
export const refusalOf = (problem: string): string =>
  JSON.stringify({ status: 'bad-input', summary: clipText(problem, SENTENCE_CHARS) })

/** Room for a key, its quotes and the comma. */
const PUNCTUATION = 40

const lengthOf = (value: unknown): number => JSON.stringify(value).length

function summaryOf(result: RepairResult): string {
  const tried = `${result.spent.attempts} ${result.spent.attempts === 1 ? 'program was' : 'programs were'} tried`
  switch (result.status) {
    case 'verified':
      return `Every check passed; ${tried}.`
    case 'exhausted':
      return `No program passed every check: the budget "${result.budget}" ended; ${tried}.`
    case 'stalled':
      return `No program passed every check: ${result.reason} ${tried}.`
    case 'needs-human':
      return `A person has to decide: ${result.handover.question}`
    case 'environment-lost':
      return `This says nothing about the program: what runs it was lost. ${result.cause}`
    case 'aborted':
      return `The run was ended from outside; ${tried}.`
  }
}

function costOf({ spent }: RepairResult): Readonly<Record<string, number>> {
  return {
    attempts: spent.attempts,
    modelCalls: spent.modelCalls,
    totalTokens: spent.totalTokens,
    ...(spent.costUsd !== undefined && { costUsd: spent.costUsd }),
    wallMs: Math.round(spent.wallMs),
  }
}

/** What the loop's own model would be told, held-out checks as a count. */
const reportOf = (attempt: Attempt, maxChars: number): string =>
  renderFeedback(attempt, { maxChars: Math.max(SMALLEST_REPORT, Math.floor(maxChars / 2)) })

/** Cut so that it fits with its escapes. */
function fitted(text: string, limitChars: number): string {
  let current = text
  for (let limit = limitChars; lengthOf(current) > limitChars && limit > 0; limit = Math.floor(limit * 0.8))
    current = clipText(text, limit)
  return lengthOf(current) > limitChars ? '' : current
}
