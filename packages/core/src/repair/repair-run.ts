// One run of the repair loop: ask, extract, judge, tell, until every check passes or a budget ends.
import { randomUUID } from 'node:crypto'
import type { Budget } from '../contract/budget.js'
import type { Candidate } from '../contract/candidate.js'
import type { Attempt, RepairResult, RunState } from '../contract/loop.js'
import type { ModelReply } from '../contract/model.js'
import type { Failure } from '../contract/verify.js'
import { askModel } from '../engine/ask-model.js'
import { BudgetMeter } from '../engine/budget-meter.js'
import { EngineRun } from '../engine/engine-run.js'
import { RunEnd, type RunEndReason } from '../engine/run-end.js'
import { SandboxKeeper } from '../engine/sandbox-keeper.js'
import { historyLine } from '../feedback/history-line.js'
import { languageOf } from '../language/languages.js'
import { limitsInEffect, overlaid } from '../sandbox/limits-in-effect.js'
import type { RepairLoopOptions } from './create-repair-loop.js'
import { type Judgement, JudgingLost, judgeCandidate } from './judge-candidate.js'
import { bestAttempt } from './rank-attempts.js'
import { type RepairProgress, repairState, type ToldWith } from './repair-state.js'
import type { ParsedTask } from './repair-task.js'
import { candidateFrom, feedbackFor, messagesFor, rejectionFeedback } from './repair-turn.js'
import { requireToolsFirst } from './task-tools.js'
import { unifiedDiff } from './unified-diff.js'

/** What a run is made of. */
export interface RepairRunInput {
  readonly settings: RepairLoopOptions
  readonly task: ParsedTask
  readonly budget: Budget
  readonly signal?: AbortSignal
  readonly resumed?: { readonly runId: string; readonly progress: RepairProgress }
}

/** A repair run under way. */
export class RepairRun extends EngineRun<RepairResult> {
  readonly #settings: RepairLoopOptions
  readonly #task: ParsedTask
  readonly #sandboxes: SandboxKeeper
  readonly #attempts: Attempt[]
  readonly #turns: string[]
  #current: Candidate | undefined
  /** What is known of the last attempt besides itself; with it the feedback is made anew for each turn. */
  #told: ToldWith | undefined
  /** What was wrong with a later reply that held no program. */
  #rejection: Failure | undefined
  #startedAttempt = -1
  #pending: ModelReply | undefined
  #outputs: Readonly<Record<string, Uint8Array>>

  constructor({ settings, task, budget, signal, resumed }: RepairRunInput) {
    const progress = resumed?.progress
    const isPriced = settings.model.price !== undefined
    const meter = new BudgetMeter(budget, progress?.spent, { isPriced })
    super(resumed?.runId ?? `run-${randomUUID()}`, meter, signal)
    this.#settings = settings
    this.#task = task
    const { sandbox, limits, network, env } = settings
    this.#sandboxes = new SandboxKeeper(this.scope, sandbox, {
      limits: overlaid(limits, task.limits),
      ...(network !== undefined && { network }),
      ...(env !== undefined && { env }),
    })
    this.#attempts = [...(progress?.attempts ?? [])]
    this.#turns = [...(progress?.turns ?? [])]
    this.#current = progress?.current
    this.#told = progress?.told
    this.#rejection = progress?.rejection
    this.#pending = progress?.pending
    this.#outputs = Object.fromEntries(
      Object.entries(progress?.outputs ?? {}).map(([path, text]) => [path, Buffer.from(text, 'base64')]),
    )
  }

  state(): RunState {
    return repairState(this.id, {
      goal: this.#task.goal,
      spent: this.spent,
      attempts: this.#attempts,
      turns: this.#turns,
      ...(this.#current !== undefined && { current: this.#current }),
      ...(this.#told !== undefined && { told: this.#told }),
      ...(this.#rejection !== undefined && { rejection: this.#rejection }),
      ...(this.#pending !== undefined && { pending: this.#pending }),
      outputs: Object.fromEntries(
        Object.entries(this.#outputs).map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')]),
      ),
    })
  }

  protected async execute(): Promise<RepairResult> {
    const end = await this.#toTheEnd()
    // What goes wrong with it is told before the end of the run.
    await this.#sandboxes.close()
    const detail = 'budget' in end ? end.budget : 'cause' in end ? end.cause : undefined
    this.events.emit('run-end', {
      status: end.status,
      ...(detail !== undefined && { detail }),
      spent: this.spent,
    })
    return this.#resultOf(end)
  }

  protected release(): Promise<void> {
    return this.#sandboxes.close()
  }

  async #toTheEnd(): Promise<RunEndReason | { status: 'verified' }> {
    const { goal, language, program, verify, entry } = this.#task
    this.events.emit('run-start', {
      goal,
      language,
      model: this.#settings.model.id,
      sandbox: this.#settings.sandbox.id,
      verifiers: verify.map(({ name }) => name),
      budget: this.meter.budget,
      startedAt: new Date().toISOString(),
    })
    try {
      if (program !== undefined && this.#current === undefined)
        await this.#judge({ files: program, entry }, 0)
      while (this.#attempts.at(-1)?.passed !== true) await this.#turn()
      return { status: 'verified' }
    } catch (error) {
      if (error instanceof RunEnd) return error.reason
      throw error
    }
  }

  /** One turn of the model and what comes of it. */
  async #turn(): Promise<void> {
    const attempt = this.meter.spent().attempts + 1
    if (this.#pending === undefined) {
      const budget = this.meter.beforeModelCall()
      if (budget !== undefined) throw new RunEnd({ status: 'exhausted', budget })
    }
    this.events.attempt = attempt
    if (this.#startedAttempt !== attempt) this.events.emit('attempt-start', { spent: this.spent })
    this.#startedAttempt = attempt
    const pending = this.#pending ?? (await this.#ask())
    const extraction = candidateFrom(pending, this.#task, this.#current)
    if (!extraction.ok) return this.#reject(extraction.failure)
    const { candidate, warnings } = extraction
    const diff = this.#current === undefined ? '' : unifiedDiff(this.#current.files, candidate.files)
    this.events.emit('candidate-ready', { candidate, diff, warnings })
    await this.#judge(candidate, attempt, warnings)
  }

  async #ask(): Promise<ModelReply> {
    // Opened before the model is asked: a machine that cannot run code should cost no tokens.
    const sandbox = await this.#sandboxes.open()
    await requireToolsFirst(this.scope, sandbox, languageOf(this.#task.language))
    const messages = messagesFor(this.#task, {
      guarantees: sandbox.guarantees,
      current: this.#current,
      feedback: this.#feedback(),
      turns: this.#turns,
      limits: limitsInEffect(sandbox, this.#settings.limits, this.#task.limits),
    })
    let answer: ModelReply | undefined
    await askModel(this.scope, this.#settings.model, messages, modelSettings(this.#settings), (reply) => {
      this.#pending = answer = reply
    })
    if (answer === undefined) throw new Error('askModel() must have paid or thrown.')
    return answer
  }

  /** What the model is told next; undefined when there is nothing to tell yet. */
  #feedback(): string | undefined {
    const last = this.#attempts.at(-1)
    const attemptsLeft = this.meter.budget.attempts - this.meter.spent().attempts
    const maxChars = this.#settings.feedbackChars
    const told =
      last === undefined || last.passed || this.#told === undefined
        ? undefined
        : feedbackFor(last, { ...this.#told, attemptsLeft, ...(maxChars !== undefined && { maxChars }) })
    return this.#rejection === undefined ? told : rejectionFeedback(this.#rejection, told)
  }

  /** A reply without a usable program goes back to the model; it costs a budget of its own. */
  #reject(failure: Failure): void {
    const counter = failure.kind === 'edit' ? 'editErrors' : 'formatErrors'
    this.#pending = undefined
    this.#rejection = failure
    this.#turns.push(`reply rejected: ${failure.message.split('\n')[0]}`)
    this.meter.count(counter)
    this.events.emit('reply-rejected', { failure })
    if (this.meter.exceeded(counter)) throw new RunEnd({ status: 'exhausted', budget: counter })
    this.events.emit('feedback-ready', { text: this.#feedback() ?? '', failures: [failure] })
  }

  async #judge(candidate: Candidate, number: number, warnings: readonly string[] = []): Promise<void> {
    const judgement = await this.#judgeUntilKnown(candidate)
    // A program that was handed in is no attempt of the model's.
    if (number > 0) this.meter.count('attempts')
    const { outputs, workdir, ...judged } = judgement
    const attempt: Attempt = { attempt: number, candidate, ...judged }
    // All of it before the first event tells of it: a state may be taken at any moment.
    this.#attempts.push(attempt)
    this.#pending = undefined
    this.#rejection = undefined
    this.#current = candidate
    this.#told = { warnings, workdir }
    this.#turns.push(historyLine(attempt))
    if (bestAttempt(this.#attempts) === attempt) this.#outputs = outputs
    const { execution, ...told } = attempt
    this.events.emit('attempt-end', { result: told })
    if (!attempt.passed && this.meter.spent().attempts < this.meter.budget.attempts)
      this.events.emit('feedback-ready', { text: this.#feedback() ?? '', failures: attempt.failures })
  }

  /** A sandbox that is lost says nothing about the candidate: the same one is judged again in a new sandbox. */
  async #judgeUntilKnown(candidate: Candidate): Promise<Judgement> {
    for (;;) {
      const sandbox = await this.#sandboxes.open()
      try {
        const limits = overlaid(this.#settings.limits, this.#task.limits)
        return await judgeCandidate(this.scope, sandbox, candidate, { ...this.#task, limits })
      } catch (error) {
        if (!(error instanceof JudgingLost)) throw error
        this.scope.check()
        await this.#sandboxes.lost(error.message, error.cause)
      } finally {
        this.#sandboxes.retire()
      }
    }
  }

  #resultOf(end: RunEndReason | { status: 'verified' }): RepairResult {
    const best = bestAttempt(this.#attempts)
    const start = this.#task.program ?? this.#attempts[0]?.candidate.files ?? {}
    const diff = best === undefined ? '' : unifiedDiff(start, best.candidate.files)
    const base = {
      record: this.events.record(),
      spent: this.spent,
      attempts: this.#attempts,
      ...(best !== undefined && { best: best.candidate }),
      ...(diff !== '' && { diff }),
      outputs: this.#outputs,
      ...(this.#sandboxes.guarantees !== undefined && { guarantees: this.#sandboxes.guarantees }),
    }
    if (end.status !== 'verified') return { ...base, ...end }
    const passed = this.#attempts.at(-1)
    if (passed === undefined) throw new Error('A run cannot be verified without an attempt.')
    return { ...base, status: 'verified', candidate: passed.candidate }
  }
}

const modelSettings = ({ maxOutputTokens, temperature, providerOptions }: RepairLoopOptions) => ({
  ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  ...(temperature !== undefined && { temperature }),
  ...(providerOptions !== undefined && { providerOptions }),
})
