// One run of the repair loop: ask, extract, judge, tell, until every check passes or a budget ends.
import { randomUUID } from 'node:crypto'
import type { Budget } from '../contract/budget.js'
import type { Candidate } from '../contract/candidate.js'
import { inWords } from '../contract/foreign-values.js'
import type { RepairResult, RunState } from '../contract/loop.js'
import type { ModelReply } from '../contract/model.js'
import type { Failure } from '../contract/verify.js'
import { BudgetMeter } from '../engine/budget-meter.js'
import { EngineRun } from '../engine/engine-run.js'
import { HookGate } from '../engine/hooks.js'
import { RunEnd, type RunEndReason } from '../engine/run-end.js'
import { SandboxKeeper } from '../engine/sandbox-keeper.js'
import { languageOf } from '../language/languages.js'
import { overlaid } from '../sandbox/limits-in-effect.js'
import { askForProgram, programAtHand } from './ask-for-program.js'
import type { RepairLoopOptions } from './create-repair-loop.js'
import { diagnoseAttempt } from './diagnose-attempt.js'
import { detailOf, stallText } from './end-texts.js'
import { judgeProgram } from './judge-program.js'
import { isWorthALook, valuesWhereItFailed } from './look-closer.js'
import { askPerson, questionOr } from './question-in-reply.js'
import { Progress } from './repair-progress.js'
import { repairResult } from './repair-result.js'
import { type RepairProgress, repairState } from './repair-state.js'
import type { ParsedTask } from './repair-task.js'
import { candidateFrom } from './repair-turn.js'
import type { RunParts } from './run-parts.js'
import { requireToolsFirst } from './task-tools.js'
import { unifiedDiff } from './unified-diff.js'

/** Repeats that end a run for which nothing was asked: told, another way, an end. */
const DEFAULT_STALL_AFTER = 3

/** What a run is made of. */
export interface RepairRunInput {
  readonly settings: RepairLoopOptions
  readonly task: ParsedTask
  readonly budget: Budget
  readonly signal?: AbortSignal
  readonly resumed?: { readonly runId: string; readonly progress: RepairProgress }
  /** What a person has answered meanwhile. */
  readonly answers?: Readonly<Record<string, string>>
}

/** A repair run under way. */
export class RepairRun extends EngineRun<RepairResult> {
  readonly #settings: RepairLoopOptions
  readonly #task: ParsedTask
  readonly #sandboxes: SandboxKeeper
  readonly #progress: Progress
  readonly #parts: RunParts
  #startedAttempt = -1

  constructor({ settings, task, budget, signal, resumed, answers = {} }: RepairRunInput) {
    const progress = resumed?.progress
    const isPriced = settings.model.price !== undefined
    const meter = new BudgetMeter(budget, progress?.spent, { isPriced })
    super(resumed?.runId ?? `run-${randomUUID()}`, meter, signal, progress?.questions)
    this.#settings = settings
    this.#task = task
    const { sandbox, limits, network, env } = settings
    this.#sandboxes = new SandboxKeeper(this.scope, sandbox, {
      limits: overlaid(limits, task.limits),
      ...(network !== undefined && { network }),
      ...(env !== undefined && { env }),
    })
    this.#progress = new Progress(task.language, progress)
    this.#parts = {
      scope: this.scope,
      sandboxes: this.#sandboxes,
      settings,
      task,
      progress: this.#progress,
      questions: this.questions,
      gate: new HookGate(this.scope, settings.hooks, this.questions),
    }
    // The reply that asked has had its answer.
    if (this.questions.resume(answers)?.why === 'question') this.#progress.pending = undefined
  }

  state(): RunState {
    return repairState(this.id, {
      goal: this.#task.goal,
      spent: this.spent,
      ...this.#progress.toState(),
      questions: this.questions.toState(),
    })
  }

  protected async execute(): Promise<RepairResult> {
    const end = await this.#toTheEnd().catch((error: unknown) => this.#failed(error))
    // What goes wrong with it is told before the end of the run.
    await this.#sandboxes.close()
    const detail = detailOf(end)
    this.events.emit('run-end', {
      status: end.status,
      ...(detail !== undefined && { detail }),
      spent: this.spent,
    })
    return this.#resultOf(end)
  }

  /** A run that rejects has an end as well, for whoever watches. */
  async #failed(error: unknown): Promise<never> {
    await this.#sandboxes.close()
    this.events.emit('run-end', { status: 'failed', detail: inWords(error), spent: this.spent })
    throw error
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
      ...(this.#progress.attempts.length > 0 && { attempts: [...this.#progress.attempts] }),
      ...(this.questions.before.length > 0 && { questions: this.questions.before }),
    })
    this.questions.tell()
    try {
      await this.#parts.gate.afterResumption(this.#progress.attempts.at(-1))
      if (program !== undefined && this.#progress.attempts.length === 0)
        await this.#judge({ files: program, entry }, 0)
      while (this.#progress.attempts.at(-1)?.passed !== true) {
        this.#stopIfStalled()
        await this.#turn()
      }
      return { status: 'verified' }
    } catch (error) {
      if (error instanceof RunEnd) return error.reason
      throw error
    }
  }

  #stopIfStalled(): void {
    const { stall, pending } = this.#progress
    const { stallAfter = DEFAULT_STALL_AFTER } = this.#settings
    if (stallAfter === false || stall.repeats < stallAfter || pending !== undefined) return
    this.#progress.noteStall()
    throw new RunEnd({ status: 'stalled', reason: stallText(stall) })
  }

  /** One turn of the model and what comes of it. */
  async #turn(): Promise<void> {
    const attempt = this.meter.spent().attempts + 1
    if (this.#progress.pending === undefined) {
      const budget = this.meter.beforeModelCall()
      if (budget !== undefined) throw new RunEnd({ status: 'exhausted', budget })
    }
    this.events.attempt = attempt
    if (this.#startedAttempt !== attempt) this.events.emit('attempt-start', { spent: this.spent })
    this.#startedAttempt = attempt
    const pending = this.#progress.pending ?? (await this.#ask())
    const current = programAtHand(this.#task, this.#progress)
    const extraction = candidateFrom(pending, this.#task, current)
    const outcome = questionOr(extraction, pending, this.#settings, this.questions.answered)
    if ('question' in outcome) return askPerson(this.#parts, outcome)
    if (!outcome.ok) return this.#reject(outcome.failure)
    const { candidate, warnings } = outcome
    const diff = current === undefined ? '' : unifiedDiff(current.files, candidate.files)
    this.events.emit('candidate-ready', { candidate, diff, warnings })
    await this.#judge(candidate, attempt, warnings)
  }

  async #ask(): Promise<ModelReply> {
    // Opened before the model is asked: a machine that cannot run code should cost no tokens.
    const sandbox = await this.#sandboxes.open()
    await requireToolsFirst(this.scope, sandbox, languageOf(this.#task.language))
    // Of a run that is gone on with, it may not have been asked for yet.
    await this.#diagnose()
    return askForProgram(this.#parts, sandbox, this.#feedback())
  }

  #feedback(): string | undefined {
    const { feedbackChars } = this.#settings
    return this.#progress.feedback({
      attemptsLeft: this.meter.budget.attempts - this.meter.spent().attempts,
      left: this.meter.left(),
      ...(feedbackChars !== undefined && { maxChars: feedbackChars }),
    })
  }

  /** A reply without a usable program goes back to the model; it costs a budget of its own. */
  #reject(failure: Failure): void {
    const counter = failure.kind === 'edit' ? 'editErrors' : 'formatErrors'
    this.#progress.reject(failure)
    this.meter.count(counter)
    this.events.emit('reply-rejected', { failure })
    if (this.meter.exceeded(counter)) throw new RunEnd({ status: 'exhausted', budget: counter })
    this.events.emit('feedback-ready', { text: this.#feedback() ?? '', failures: [failure] })
  }

  async #judge(written: Candidate, number: number, found: readonly string[] = []): Promise<void> {
    const from = this.spent
    const { candidate, warnings, judgement, wasRun } = await judgeProgram(this.#parts, written)
    if (wasRun) this.meter.tookToJudge(from)
    const { outputs, workdir, ...judged } = judgement
    // A program that was handed in is no attempt of the model's.
    if (number > 0) this.meter.count('attempts')
    // All of it before the first event tells of it: a state may be taken at any moment.
    const attempt = this.#progress.add(
      { attempt: number, candidate, ...judged },
      { outputs, workdir, warnings: [...found, ...warnings], wasRun },
    )
    this.questions.actedOn('beforeExecute')
    this.events.emit('attempt-end', { result: attempt })
    await this.#parts.gate.afterAttempt({ result: attempt })
    if (attempt.passed || this.meter.spent().attempts >= this.meter.budget.attempts) return
    await this.#lookCloser()
    await this.#diagnose()
    this.events.emit('feedback-ready', { text: this.#feedback() ?? '', failures: attempt.failures })
  }

  /** Of a failure that came back more is told: what the variables held. */
  async #lookCloser(): Promise<void> {
    const subject = this.#progress.lacking('locals', 1)
    if (subject === undefined || !isWorthALook(subject)) return
    const where = { task: this.#task, limits: this.#settings.limits }
    const sandbox = await this.#sandboxes.open()
    const locals = await valuesWhereItFailed(this.scope, sandbox, subject, where)
    this.#sandboxes.retire()
    this.#progress.note(subject, { locals: locals ?? {} })
  }

  #diagnose(): Promise<void> {
    return diagnoseAttempt(this.#parts, this.#feedback())
  }

  #resultOf(end: RunEndReason | { status: 'verified' }): RepairResult {
    const { guarantees } = this.#sandboxes
    return repairResult(end, {
      progress: this.#progress,
      task: this.#task,
      record: this.events.record(),
      spent: this.spent,
      questions: [...this.questions.answered],
      ...(guarantees !== undefined && { guarantees }),
      state: () => this.state(),
    })
  }
}
