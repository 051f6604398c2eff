// What was asked and answered in a run, as the model reads it in every prompt from then on.
import type { AnsweredQuestion } from '../contract/questions.js'

/** One part a question, the answers word for word; empty when there is none. */
export const answersText = (answered: readonly AnsweredQuestion[]): readonly string[] =>
  answered.map(({ question, answer, by, why }) => {
    if (why !== 'question') return `A person advises:\n${answer}`
    const said =
      by === 'person' ? 'A person answers:' : 'Nobody was there to answer, so that this is taken as decided:'
    return `You asked:\n${question}\n${said}\n${answer}`
  })
