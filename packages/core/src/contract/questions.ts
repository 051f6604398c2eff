// What a person is asked: one form for a question of the model's, for an approval and for a run that cannot go on alone.

/** Something that a person is to decide. */
export interface Question {
  /** Distinct within the run, also after it was resumed: `question-1`. */
  readonly id: string
  /** What is asked; a model's own words, or those of a hook. */
  readonly question: string
  /** Answers to choose from. Another answer is taken just as well. */
  readonly options?: readonly string[]
  /** The answer that is taken when nobody gives one. */
  readonly recommended: string
  /** `question`: the model asks. `approval`: a hook wants a person's word. `escalation`: a hook has ended the run. */
  readonly why: 'question' | 'approval' | 'escalation'
  /** The hook that it comes from. */
  readonly hook?: HookName
}

/** A question with its answer. */
export interface AnsweredQuestion extends Question {
  /** Word for word. */
  readonly answer: string
  /** `default`: nobody answered, so that what was recommended was taken. */
  readonly by: 'person' | 'default'
}

/** The moments at which a run asks its application. */
export type HookName = 'beforeModelCall' | 'beforeExecute' | 'afterAttempt'
