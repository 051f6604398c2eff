// One run of the repair loop: ask, extract, judge, tell, until every check passes or a budget ends.
import { randomUUID } from 'node:crypto'
import type { Budget } from '../contract/budget.js'
import type { Candidate } from '../contract/candidate.js'
import type { RepairResult, RunState } from '../contract/loop.js'
import type { ModelReply } from '../contract/model.js'
import type { Failure } from '../contract/verify.js'
import { askModel } from '../engine/ask-model.js'
import { BudgetMeter } from '../engine/budget-meter.js'
import { EngineRun } from '../engine/engine-run.js'
import { RunEnd, type RunEndReason } from '../engine/run-end.js'
import { SandboxKeeper } from '../engine/sandbox-keeper.js'
import { languageOf } from '../language/languages.js'
import { limitsInEffect, overlaid } from '../sandbox/limits-in-effect.js'
import { askedNow } from './asked-now.js'
import type { RepairLoopOptions } from './create-repair-loop.js'
import { diagnoseAttempt } from './diagnose-attempt.js'
import { detailOf, questionOf, stallText } from './end-texts.js'
import { type Judgement, JudgingLost, judgeCandidate } from './judge-candidate.js'
import { readerFor } from './read-before-run.js'
import { Progress } from './repair-progress.js'
import { type RepairProgress, repairState } from './repair-state.js'
import type { ParsedTask } from './repair-task.js'
import { candidateFrom, messagesFor } from './repair-turn.js'
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
}

/** A repair run under way. */
export class RepairRun extends EngineRun<RepairResult> {
  readonly #settings: RepairLoopOptions
  readonly #task: ParsedTask
  readonly #sandboxes: SandboxKeeper
  readonly #progress: Progress
  #startedAttempt = -1

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
    this.#progress = new Progress(task.language, progress)
  }

  state(): RunState {
    return repairState(this.id, {
      goal: this.#task.goal,
      spent: this.spent,
      ...this.#progress.toState(),
    })
  }

  protected async execute(): Promise<RepairResult> {
    const end = await this.#toTheEnd()
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
    })
    try {
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
    const current = this.#current
    const extraction = candidateFrom(pending, this.#task, current)
    if (!extraction.ok) return this.#reject(extraction.failure)
    const { candidate, warnings } = extraction
    const diff = current === undefined ? '' : unifiedDiff(current.files, candidate.files)
    this.events.emit('candidate-ready', { candidate, diff, warnings })
    await this.#judge(candidate, attempt, warnings)
  }

  /** What a reply changes: the program at hand, and where that is put aside, what it was to begin with, but for its entry. */
  get #current(): Candidate | undefined {
    if (!this.#progress.startsAfresh) return this.#progress.current
    const { program = {}, entry } = this.#task
    const others = Object.entries(program).filter(([path]) => path !== entry)
    return { files: Object.fromEntries(others), entry }
  }

  async #ask(): Promise<ModelReply> {
    // Opened before the model is asked: a machine that cannot run code should cost no tokens.
    const sandbox = await this.#sandboxes.open()
    await requireToolsFirst(this.scope, sandbox, languageOf(this.#task.language))
    // Of a run that is gone on with, it may not have been asked for yet.
    await this.#diagnose()
    const messages = messagesFor(this.#task, {
      guarantees: sandbox.guarantees,
      current: this.#current,
      feedback: this.#feedback(),
      earlier: this.#progress.earlierTurns,
      replyForm: this.#progress.replyForm,
      startsAfresh: this.#progress.startsAfresh,
      limits: limitsInEffect(sandbox, this.#settings.limits, this.#task.limits),
    })
    let answer: ModelReply | undefined
    const { model, settings } = askedNow(this.#settings, this.#progress.startsAfresh)
    await askModel(this.scope, {
      model,
      messages,
      settings,
      purpose: 'program',
      paid: (reply) => {
        this.#progress.pending = answer = reply
      },
    })
    if (answer === undefined) throw new Error('askModel() must have paid or thrown.')
    return answer
  }

  #feedback(): string | undefined {
    const { feedbackChars } = this.#settings
    return this.#progress.feedback({
      attemptsLeft: this.meter.budget.attempts - this.meter.spent().attempts,
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

  async #judge(candidate: Candidate, number: number, warnings: readonly string[] = []): Promise<void> {
    const known = this.#known(candidate)
    const { outputs, workdir, ...judged } = known ?? (await this.#judgeUntilKnown(candidate))
    // A program that was handed in is no attempt of the model's.
    if (number > 0) this.meter.count('attempts')
    // All of it before the first event tells of it: a state may be taken at any moment.
    const attempt = this.#progress.add(
      { attempt: number, candidate, ...judged },
      { outputs, workdir, warnings, wasRun: known === undefined },
    )
    this.events.emit('attempt-end', { result: attempt })
    if (attempt.passed || this.meter.spent().attempts >= this.meter.budget.attempts) return
    await this.#diagnose()
    this.events.emit('feedback-ready', { text: this.#feedback() ?? '', failures: attempt.failures })
  }

  #diagnose(): Promise<void> {
    return diagnoseAttempt(this.scope, this.#settings, this.#task, this.#progress, this.#feedback())
  }

  /** What became of the same program before: it need not run again. */
  #known({ files, entry }: Candidate): Judgement | undefined {
    const earlier = this.#progress.sameText({ files, entry })
    if (earlier === undefined || this.#settings.stallAfter === false) return undefined
    const { execution, verdicts, failures, passed } = earlier
    const workdir = this.#progress.workdirOf(earlier)
    return { ...(execution !== undefined && { execution }), verdicts, failures, passed, outputs: {}, workdir }
  }

  /** A sandbox that is lost says nothing about the candidate: the same one is judged again in a new sandbox. */
  async #judgeUntilKnown(candidate: Candidate): Promise<Judgement> {
    for (;;) {
      const sandbox = await this.#sandboxes.open()
      try {
        const limits = overlaid(this.#settings.limits, this.#task.limits)
        const { staticChecks } = this.#settings
        const read = staticChecks && readerFor(staticChecks, this.#task, candidate, this.#progress)
        return await judgeCandidate(this.scope, sandbox, candidate, {
          ...this.#task,
          limits,
          ...(read && { read }),
        })
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
    const { attempts, best, outputs } = this.#progress
    const start = this.#task.program ?? attempts[0]?.candidate.files ?? {}
    const diff = best === undefined ? '' : unifiedDiff(start, best.candidate.files)
    const base = {
      record: this.events.record(),
      spent: this.spent,
      attempts,
      ...(best !== undefined && { best: best.candidate }),
      ...(diff !== '' && { diff }),
      outputs,
      ...(this.#sandboxes.guarantees !== undefined && { guarantees: this.#sandboxes.guarantees }),
    }
    if (end.status === 'exhausted' || end.status === 'stalled')
      return { ...base, ...end, handover: this.#progress.handover(questionOf(end)) }
    if (end.status !== 'verified') return { ...base, ...end }
    const passed = attempts.at(-1)
    if (passed === undefined) throw new Error('A run cannot be verified without an attempt.')
    return { ...base, status: 'verified', candidate: passed.candidate }
  }
}
