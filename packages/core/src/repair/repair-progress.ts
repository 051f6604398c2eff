// What a repair run knows so far, and what follows from it: where the next turn starts, whether it goes in circles, what
// the model is told.
import type { Candidate } from '../contract/candidate.js'
import type { Attempt, Handover } from '../contract/loop.js'
import type { ModelReply } from '../contract/model.js'
import type { Failure } from '../contract/verify.js'
import { type Stall, type Step, stallOf } from '../engine/stall.js'
import { historyLine } from '../feedback/history-line.js'
import { codeFingerprint } from '../language/normalised/normalised-code.js'
import type { Judgement } from './judge-candidate.js'
import { brokenBy, isBetter, outcomeSignature } from './rank-attempts.js'
import type { RepairProgress, ToldWith } from './repair-state.js'
import { type FeedbackSurroundings, feedbackFor, rejectionFeedback } from './repair-turn.js'

/** Repeats after which another way is tried: the model starts afresh. */
const REPEATS_BEFORE_FRESH_START = 2

/** Sending more than this anew costs more, and loses more, than an edit that has to be asked for again. */
const LONG_PROGRAM_LINES = 100

/** How an attempt came about. */
interface Handled {
  /** What the extraction mended or found odd. */
  readonly warnings: readonly string[]
  /** False when the verdict on the same program is used again. */
  readonly wasRun: boolean
}

/** The memory of one run. */
export class Progress {
  readonly attempts: Attempt[]
  /** One line for each turn. */
  readonly turns: string[]
  /** A reply that was paid for and not judged yet. */
  pending: ModelReply | undefined
  readonly #language: string
  readonly #steps: Step[] = []
  #best: Attempt | undefined
  /** Attempts before it were judged by another run, whose checks may have been others. */
  readonly #judgedBefore: number
  /** By number of the attempt. */
  readonly #told: Record<number, ToldWith>
  /** What was wrong with a later reply that held no program. */
  #rejection: Failure | undefined
  #outputs: Readonly<Record<string, Uint8Array>>
  /** Ids of findings of static checks that have been told. */
  readonly #findingsTold: string[]
  /** What they say of the program that is judged next, besides what keeps it from being run. */
  #remarks: readonly string[] = []
  /** Attempts before it are not held against a run that somebody goes on with. */
  #stalledAt: number

  constructor(language: string, before?: RepairProgress) {
    this.#language = language
    this.attempts = [...(before?.attempts ?? [])]
    for (const attempt of this.attempts) this.#step(attempt)
    this.#judgedBefore = this.attempts.length
    this.turns = [...(before?.turns ?? [])]
    this.#told = { ...before?.told }
    this.#rejection = before?.rejection
    this.pending = before?.pending
    this.#stalledAt = before?.stalledAt ?? 0
    this.#findingsTold = [...(before?.findingsTold ?? [])]
    this.#outputs = Object.fromEntries(
      Object.entries(before?.outputs ?? {}).map(([path, text]) => [path, Buffer.from(text, 'base64')]),
    )
  }

  /** As JSON data, but for what the run itself counts. */
  toState(): Omit<RepairProgress, 'goal' | 'spent' | 'questions'> {
    return {
      attempts: this.attempts,
      turns: this.turns,
      stalledAt: this.#stalledAt,
      findingsTold: this.#findingsTold,
      told: this.#told,
      ...(this.#rejection !== undefined && { rejection: this.#rejection }),
      ...(this.pending !== undefined && { pending: this.pending }),
      outputs: Object.fromEntries(
        Object.entries(this.#outputs).map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')]),
      ),
    }
  }

  get best(): Attempt | undefined {
    return this.#best
  }

  /** Outputs of the best attempt. */
  get outputs(): Readonly<Record<string, Uint8Array>> {
    return this.#outputs
  }

  /** What the next turn starts from: the last attempt, unless an earlier one is better. */
  get base(): Attempt | undefined {
    const last = this.attempts.at(-1)
    const { best } = this
    return last !== undefined && best !== undefined && isBetter(best, last) ? best : last
  }

  get current(): Candidate | undefined {
    return this.base?.candidate
  }

  get stall(): Stall {
    return stallOf(this.#steps, this.#stalledAt)
  }

  /** True when changing the program at hand has led nowhere: the model is not shown it any more. */
  get startsAfresh(): boolean {
    return this.stall.repeats >= REPEATS_BEFORE_FRESH_START
  }

  /** Edits of a long program; whole files of a short one, which costs little, and after an edit that failed. */
  get replyForm(): 'files' | 'edits' {
    const lines = Object.values(this.current?.files ?? {})
      .join('\n')
      .split('\n').length
    return lines > LONG_PROGRAM_LINES && this.#rejection?.kind !== 'edit' ? 'edits' : 'files'
  }

  get findingsTold(): readonly string[] {
    return this.#findingsTold
  }

  /** Takes in what static checks have to say of the program that is judged next. */
  tell(ids: readonly string[], remarks: readonly string[]): void {
    this.#findingsTold.push(...ids)
    this.#remarks = remarks
  }

  /** Whoever goes on from here does so knowing of the circles so far. */
  noteStall(): void {
    this.#stalledAt = this.attempts.length
  }

  /** An attempt of this run with the same program, to the letter, of which every check that was to say something did. */
  sameText({ files }: Candidate): Attempt | undefined {
    const text = textOf(files)
    return this.attempts.find(
      ({ verdicts }, index) =>
        index >= this.#judgedBefore &&
        this.#steps[index]?.text === text &&
        verdicts.every(({ status, visibility }) => visibility === 'held-out' || status !== 'not-run'),
    )
  }

  workdirOf({ attempt }: Attempt): string {
    return this.#told[attempt]?.workdir ?? ''
  }

  /** Takes a judged candidate in, and gives it as an attempt with what it repeats. */
  add(
    attempt: Attempt,
    { outputs, workdir, warnings, wasRun }: Pick<Judgement, 'outputs' | 'workdir'> & Handled,
  ): Attempt {
    this.#step(attempt)
    const { last } = this.stall
    const told = last === undefined ? attempt : { ...attempt, repeats: { ...last, wasRun } }
    if (this.#best === attempt) this.#best = told
    this.attempts.push(told)
    this.#told[attempt.attempt] = { warnings: [...warnings, ...this.#remarks], workdir }
    this.#remarks = []
    this.pending = undefined
    this.#rejection = undefined
    this.turns.push(historyLine(told))
    if (this.best === told) this.#outputs = outputs
    return told
  }

  /** Takes in that the last reply held no program. */
  reject(failure: Failure): void {
    this.pending = undefined
    this.#rejection = failure
    this.turns.push(`reply rejected: ${failure.message.split('\n')[0]}`)
  }

  /** What feedback is about: the program at hand, and where that is put aside, the last one. */
  get subject(): Attempt | undefined {
    return this.startsAfresh ? this.attempts.at(-1) : this.base
  }

  /** One line for each turn that feedback is not about. */
  get earlierTurns(): readonly string[] {
    const about = this.subject
    const line = about === undefined ? -1 : this.turns.lastIndexOf(historyLine(about))
    const isRejected = this.#rejection !== undefined
    return this.turns.filter((_, index) => index !== line && !(isRejected && index === this.turns.length - 1))
  }

  /** What the model is told next; undefined when there is nothing to tell yet. */
  feedback(
    surroundings: Pick<FeedbackSurroundings, 'attemptsLeft' | 'left' | 'maxChars'>,
  ): string | undefined {
    const told = this.#feedbackOnBase(surroundings)
    return this.#rejection === undefined ? told : rejectionFeedback(this.#rejection, told)
  }

  /** The attempt that feedback is about, when this much repetition calls for something that is not known of it yet. */
  lacking(what: 'diagnosis' | 'locals', afterRepeats: number): Attempt | undefined {
    const { subject } = this
    if (subject === undefined || subject.passed || this.#rejection !== undefined) return undefined
    const isKnown = this.#told[subject.attempt]?.[what] !== undefined
    return isKnown || this.stall.repeats < afterRepeats ? undefined : subject
  }

  /** Takes in what was found out of an attempt later; something empty says that there is nothing to find. */
  note({ attempt }: Attempt, found: Pick<ToldWith, 'diagnosis' | 'locals'>): void {
    const told = this.#told[attempt]
    if (told !== undefined) this.#told[attempt] = { ...told, ...found }
  }

  /** What a person gets who is to decide how it goes on. */
  handover(question: string): Handover {
    const { best } = this
    return {
      ...(best !== undefined && { best: best.candidate }),
      turns: this.turns,
      failingChecks: (best?.verdicts ?? []).filter(({ status }) => status !== 'pass').map(({ name }) => name),
      question,
    }
  }

  #feedbackOnBase(
    surroundings: Pick<FeedbackSurroundings, 'attemptsLeft' | 'left' | 'maxChars'>,
  ): string | undefined {
    const last = this.attempts.at(-1)
    const subject = this.subject
    const told = subject === undefined ? undefined : this.#told[subject.attempt]
    if (last === undefined || subject === undefined || told === undefined || last.passed) return undefined
    const { locals = {}, diagnosis, ...handled } = told
    return feedbackFor(withLocals(subject, locals), {
      ...handled,
      ...(diagnosis !== undefined && diagnosis !== '' && { diagnosis }),
      ...surroundings,
      ...(last.repeats !== undefined && { repeat: { attempt: last.attempt, ...last.repeats } }),
      ...(subject !== last && { setback: { attempt: last.attempt, broke: brokenBy(last, subject) } }),
    })
  }

  #step(attempt: Attempt): void {
    const improves = this.#best === undefined || isBetter(attempt, this.#best)
    if (improves) this.#best = attempt
    const { files } = attempt.candidate
    this.#steps.push({
      attempt: attempt.attempt,
      text: textOf(files),
      code: codeFingerprint(this.#language, files),
      outcome: outcomeSignature(attempt),
      improves,
    })
  }
}

const textOf = (files: Candidate['files']): string => JSON.stringify(Object.entries(files).sort())

/** The first failure with the values that were found later. */
function withLocals(attempt: Attempt, locals: Readonly<Record<string, string>>): Attempt {
  const [first, ...rest] = attempt.failures
  if (first === undefined || Object.keys(locals).length === 0) return attempt
  return { ...attempt, failures: [{ ...first, locals }, ...rest] }
}
