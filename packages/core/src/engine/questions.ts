// The questions of one run: asked with an event, answered by a person or by what was recommended, and never waited for
// without an end.
import { invalidOption } from '../contract/options.js'
import type { AnsweredQuestion, HookName, Question } from '../contract/questions.js'
import { onAbort } from '../internal/on-abort.js'
import { startTimer } from '../internal/timer.js'
import { RunEnd } from './run-end.js'
import type { RunScope } from './run-scope.js'

/** How long a person may take who listens and for whom no time was given, in milliseconds. */
const PATIENCE_MS = 600_000

/** Where the questions of a run stand, as JSON data. */
export interface QuestionsState {
  readonly answered: readonly AnsweredQuestion[]
  /** Asked, and not answered yet. */
  readonly open?: Question
  /** A person's answer to a hook, for which the run had been ended, until it has been acted on. */
  readonly standing?: AnsweredQuestion
  /** Questions that were never answered, since another way was found. */
  readonly dropped: number
}

/** Asks, waits, and remembers. */
export class Questions {
  readonly #scope: RunScope
  readonly #answered: AnsweredQuestion[]
  #open: Question | undefined
  #standing: AnsweredQuestion | undefined
  #dropped: number
  /** Set while the run waits for an answer to the open question. */
  #heard: ((answered: AnsweredQuestion) => void) | undefined
  /** Answers that a resumed run was handed and has not told of yet. */
  readonly #untold: AnsweredQuestion[] = []

  constructor(scope: RunScope, before?: QuestionsState) {
    this.#scope = scope
    this.#answered = [...(before?.answered ?? [])]
    this.#open = before?.open
    this.#standing = before?.standing
    this.#dropped = before?.dropped ?? 0
  }

  get answered(): readonly AnsweredQuestion[] {
    return this.#answered
  }

  /** Those that were answered before the run was resumed with any answers. */
  get before(): readonly AnsweredQuestion[] {
    return this.#answered.filter((one) => !this.#untold.includes(one))
  }

  /** Whether this hook has asked something that is open, or was answered and not acted on. */
  concerns(hook: HookName): boolean {
    return this.#open?.hook === hook || this.#standing?.hook === hook
  }

  toState(): QuestionsState {
    return {
      answered: this.#answered,
      dropped: this.#dropped,
      ...(this.#open !== undefined && { open: this.#open }),
      ...(this.#standing !== undefined && { standing: this.#standing }),
    }
  }

  /** Takes in what a person has answered while the run did not go on; {@link requireOpen} has let it through. */
  resume(answers: Readonly<Record<string, string>>): AnsweredQuestion | undefined {
    const question = this.#open
    const answer = question && answers[question.id]
    if (question === undefined || answer === undefined) return undefined
    const answered = this.#note({ ...question, answer, by: 'person' })
    if (question.hook !== undefined) this.#standing = answered
    this.#untold.push(answered)
    return answered
  }

  /** Tells of the answers that the run was resumed with, once it has begun. */
  tell(): void {
    for (const answered of this.#untold.splice(0)) this.#scope.events.emit('question-answered', answered)
  }

  /**
   * Asks and waits for the answer; what is recommended is taken when none comes in time.
   *
   * @param waitMs - Default: ten minutes when somebody listens to `question-asked`, and no time at all otherwise
   * @param onAnswer - called before any event tells of the answer
   * @throws RunEnd when the run was ended meanwhile; the question is then still open in its state
   */
  async ask(
    asked: Omit<Question, 'id'>,
    waitMs: number | undefined,
    onAnswer: () => void,
  ): Promise<AnsweredQuestion> {
    const { events, signal } = this.#scope
    const question = this.#begin(asked)
    let heard: AnsweredQuestion | undefined
    let wake = (): void => undefined
    this.#heard = (answered) => {
      heard = answered
      onAnswer()
      events.emit('question-answered', answered)
      wake()
    }
    // A listener may answer at once.
    events.emit('question-asked', question)
    const patienceMs = waitMs ?? (events.isHeard('question-asked') ? PATIENCE_MS : 0)
    if (heard === undefined && patienceMs > 0)
      await new Promise<void>((resolve) => {
        const forget = onAbort(signal, () => wake())
        const cancel = startTimer(patienceMs, () => wake())
        wake = () => {
          forget()
          cancel()
          resolve()
        }
        if (signal.aborted) wake()
      })
    if (heard === undefined) {
      const hear = this.#heard
      this.#heard = undefined
      this.#scope.check()
      hear(this.#note({ ...question, answer: question.recommended, by: 'default' }))
    }
    this.#heard = undefined
    this.#scope.check()
    if (heard === undefined) throw new Error('A question must have been answered by now.')
    return heard
  }

  /**
   * A person's answer to the question that the run waits for.
   *
   * @throws MendloopError INVALID_OPTION when it waits for none of this id
   */
  answer(id: string, text: string): void {
    const hear = this.#heard
    const question = this.#open
    if (question?.id !== id || hear === undefined) {
      const isForLater = question?.id === id && question.hook !== undefined
      throw notOpen(id, { owner: 'answer()', option: 'questionId' }, isForLater ? HOW_TO_RESUME : undefined)
    }
    requireWords(text, { owner: 'answer()', option: 'text' })
    this.#heard = undefined
    hear(this.#note({ ...question, answer: text, by: 'person' }))
  }

  /**
   * Asks, and ends the run: it is resumed with the answer.
   *
   * @throws RunEnd always
   */
  suspend(asked: Omit<Question, 'id'>): never {
    this.#standing = undefined
    const question = this.#begin(asked)
    this.#scope.events.emit('question-asked', question)
    throw new RunEnd({ status: 'needs-human', question })
  }

  /** What a person has answered to this hook, until {@link actedOn}. */
  standing(hook: HookName): AnsweredQuestion | undefined {
    return this.#standing?.hook === hook ? this.#standing : undefined
  }

  /** What was answered to this hook has had its effect; a question that it left open is none any more. */
  actedOn(hook: HookName): void {
    if (this.#standing?.hook === hook) this.#standing = undefined
    if (this.#open?.hook === hook) this.#drop()
  }

  #begin(asked: Omit<Question, 'id'>): Question {
    // What is asked again after a resumption is the same question.
    if (
      this.#open !== undefined &&
      (this.#open.question !== asked.question || this.#open.hook !== asked.hook)
    )
      this.#drop()
    const question = { id: `question-${this.#answered.length + this.#dropped + 1}`, ...asked }
    this.#open = question
    return question
  }

  #drop(): void {
    this.#open = undefined
    this.#dropped++
  }

  #note(answered: AnsweredQuestion): AnsweredQuestion {
    this.#answered.push(answered)
    this.#open = undefined
    return answered
  }
}

/**
 * Checks answers before a run is resumed with them.
 *
 * @throws MendloopError INVALID_OPTION when one is to a question that is not open, or empty
 */
export function requireOpen(
  answers: Readonly<Record<string, string>>,
  state: QuestionsState | undefined,
): void {
  for (const [id, answer] of Object.entries(answers)) {
    const place = { owner: 'run options', option: `answers.${id}` }
    if (state?.open?.id !== id) throw notOpen(id, place)
    requireWords(answer, place)
  }
}

interface Place {
  readonly owner: string
  readonly option: string
}

const HOW_TO_RESUME = 'the run has ended with this question: loop.resume(task, state, { answers }) goes on'

const notOpen = (id: string, { owner, option }: Place, hint?: string): ReturnType<typeof invalidOption> =>
  invalidOption(owner, option, 'no question with this id is open', {
    expected: 'the id of an open question',
    received: String(id),
    ...(hint !== undefined && { hint }),
  })

function requireWords(text: unknown, { owner, option }: Place): void {
  if (typeof text === 'string' && text.trim() !== '') return
  throw invalidOption(owner, option, 'must be words', {
    expected: 'the answer as text',
    received: typeof text === 'string' ? 'an empty text' : typeof text,
  })
}
