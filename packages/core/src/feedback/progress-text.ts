// What an attempt is to those before it, in a sentence or two.
import type { Clean } from './failure-text.js'
import { clipLine } from './quote-text.js'
import type { FeedbackInput } from './render-feedback.js'

const NAMES_CHARS = 400

/** Empty for an attempt that repeats nothing and breaks nothing. */
export function progressText({ repeat, setback, attempt }: FeedbackInput, clean: Clean): string {
  const lines: string[] = []
  if (repeat !== undefined) lines.push(REPEATS[repeat.kind](`Attempt ${repeat.attempt}`, nameOf(repeat.of)))
  if (setback !== undefined) {
    const broke =
      setback.broke.length === 0 ? '' : ` It broke ${clipLine(clean(setback.broke.join(', ')), NAMES_CHARS)}.`
    lines.push(`Attempt ${setback.attempt} was worse than ${nameOf(attempt)} and is dropped.${broke}`)
    lines.push(`Go on from ${nameOf(attempt)}; what follows is about it.`)
  }
  return lines.join('\n')
}

const REPEATS: Readonly<
  Record<NonNullable<FeedbackInput['repeat']>['kind'], (attempt: string, of: string) => string>
> = {
  text: (attempt, of) =>
    `${attempt} is the same code as ${of}, to the letter, so it was not run again. What it does has to change.`,
  code: (attempt, of) =>
    `${attempt} is the same code as ${of} but for comments, layout or local names. What it does has to change.`,
  failure: (attempt, of) => `${attempt} failed in the same way as ${of}: the change did not reach the cause.`,
}

const nameOf = (attempt: number): string => (attempt === 0 ? 'the program as given' : `attempt ${attempt}`)
