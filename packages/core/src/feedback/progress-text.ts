// What an attempt is to those before it, in a sentence or two.
import type { Clean } from './failure-text.js'
import { clipLine } from './quote-text.js'
import type { FeedbackInput } from './render-feedback.js'

const NAMES_CHARS = 400

/** Empty for an attempt that repeats nothing and breaks nothing. */
export function progressText({ repeat, setback, attempt }: FeedbackInput, clean: Clean): string {
  const lines: string[] = []
  if (repeat !== undefined) lines.push(repeatText(repeat))
  if (setback !== undefined) {
    const broke =
      setback.broke.length === 0 ? '' : ` It broke ${clipLine(clean(setback.broke.join(', ')), NAMES_CHARS)}.`
    lines.push(`Attempt ${setback.attempt} was worse than ${nameOf(attempt)} and is dropped.${broke}`)
    lines.push(`Go on from ${nameOf(attempt)}; what follows is about it.`)
  }
  return lines.join('\n')
}

function repeatText({ attempt, kind, of, wasRun = true }: NonNullable<FeedbackInput['repeat']>): string {
  const [one, other] = [`Attempt ${attempt}`, nameOf(of)]
  if (kind === 'failure')
    return `${one} failed in the same way as ${other}: the change did not reach the cause.`
  const but =
    kind === 'code'
      ? ' but for comments, layout or local names'
      : `, to the letter${wasRun ? '' : ', so it was not run again'}`
  return `${one} is the same code as ${other}${but}. What it does has to change.`
}

const nameOf = (attempt: number): string => (attempt === 0 ? 'the program as given' : `attempt ${attempt}`)
