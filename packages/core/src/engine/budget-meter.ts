// Counts what a run spends and says, before anything is spent, which budget has ended.

import { type Budget, DEFAULT_BUDGET, type Spent } from '../contract/budget.js'
import type { ModelAdapter, Usage } from '../contract/model.js'
import { invalidOption } from '../contract/options.js'
import { addUsage } from '../model/usage.js'

type Counter = 'attempts' | 'formatErrors' | 'editErrors' | 'infrastructureErrors' | 'modelCalls'

/** Fills in the defaults and refuses a budget that could not be kept. */
export function resolveBudget(
  owner: string,
  model: ModelAdapter,
  ...parts: readonly (Partial<Budget> | undefined)[]
): Budget {
  const budget: Budget = { ...DEFAULT_BUDGET }
  for (const part of parts) Object.assign(budget, definedOnly(part ?? {}))
  if (budget.costUsd !== undefined && model.price === undefined)
    throw invalidOption(owner, 'budget.costUsd', `model "${model.id}" does not know its price`, {
      expected: 'a model adapter with a price function',
      received: String(budget.costUsd),
    })
  return budget
}

/** What a meter is told besides the budget. */
export interface MeterOptions {
  /** False when the model does not know its price: the cost is then unknown from the start. Default true. */
  readonly isPriced?: boolean
  /** Clock, in milliseconds. */
  readonly now?: () => number
}

/** What of the bounds that were set is left; without those that were not. */
export interface BudgetLeft {
  /** Input and output tokens together. */
  readonly tokens?: number
  /** Milliseconds of all executions together. */
  readonly executionMs?: number
  /** Milliseconds of the run. */
  readonly wallMs?: number
}

/** The spending of one run. */
export class BudgetMeter {
  readonly budget: Budget
  readonly #now: () => number
  readonly #startedAt: number
  readonly #before: Spent | undefined
  readonly #counts: Record<Counter, number>
  /** What judging a candidate has taken so far, at most. */
  #judging = { wallMs: 0, executionMs: 0 }
  #usage: Usage
  #executionMs: number
  #costUsd: number | undefined

  /** @param before - what a run that is resumed had spent when its state was taken */
  constructor(
    budget: Budget,
    before?: Spent,
    { isPriced = true, now = () => performance.now() }: MeterOptions = {},
  ) {
    this.budget = budget
    this.#now = now
    this.#startedAt = now()
    this.#before = before
    this.#counts = {
      attempts: before?.attempts ?? 0,
      formatErrors: before?.formatErrors ?? 0,
      editErrors: before?.editErrors ?? 0,
      infrastructureErrors: before?.infrastructureErrors ?? 0,
      modelCalls: before?.modelCalls ?? 0,
    }
    this.#usage = before?.usage ?? {}
    this.#executionMs = before?.executionMs ?? 0
    this.#costUsd = before === undefined ? (isPriced ? 0 : undefined) : before.costUsd
  }

  count(counter: Counter): void {
    this.#counts[counter]++
  }

  /** @param costUsd - undefined when the price of this call is not known; the sum is then unknown too */
  chargeModel(usage: Usage, costUsd: number | undefined): void {
    this.#counts.modelCalls++
    this.#usage = addUsage(this.#usage, usage)
    this.#costUsd = this.#costUsd === undefined || costUsd === undefined ? undefined : this.#costUsd + costUsd
  }

  chargeExecution(durationMs: number): void {
    this.#executionMs += durationMs
  }

  /** Takes in what judging a candidate has taken, begun at `from`: as much is kept back for the next. */
  tookToJudge(from: Pick<Spent, 'wallMs' | 'executionMs'>): void {
    const { wallMs, executionMs } = this.spent()
    this.#judging = {
      wallMs: Math.max(wallMs - from.wallMs, this.#judging.wallMs),
      executionMs: Math.max(executionMs - from.executionMs, this.#judging.executionMs),
    }
  }

  /**
   * The budget that forbids another call of the model, if one does.
   *
   * @param calls - how many must be left: more than one for a call that another has to follow
   */
  beforeModelCall(calls = 1): keyof Budget | undefined {
    const { budget } = this
    if (this.#counts.attempts >= budget.attempts) return 'attempts'
    if (budget.modelCalls !== undefined && this.#counts.modelCalls + calls > budget.modelCalls)
      return 'modelCalls'
    if (budget.totalTokens !== undefined && this.#totalTokens() >= budget.totalTokens) return 'totalTokens'
    // A cost that is not known cannot be kept under a bound, so the bound counts as reached.
    if (budget.costUsd !== undefined && (this.#costUsd ?? Number.POSITIVE_INFINITY) >= budget.costUsd)
      return 'costUsd'
    // Without time to run and check what it writes, asking would be money for nothing.
    if (this.remainingWallMs() <= this.#judging.wallMs) return 'wallMs'
    return this.remainingExecutionMs() <= this.#judging.executionMs ? 'executionMs' : undefined
  }

  /** What is left of tokens and time, where they are bounded. */
  left(): BudgetLeft {
    const { totalTokens, executionMs, wallMs } = this.budget
    return {
      ...(totalTokens !== undefined && { tokens: Math.max(0, totalTokens - this.#totalTokens()) }),
      ...(executionMs !== undefined && { executionMs: Math.max(0, this.remainingExecutionMs()) }),
      ...(wallMs !== undefined && { wallMs: Math.max(0, this.remainingWallMs()) }),
    }
  }

  /** The budget that forbids another execution, if one does. */
  beforeExecution(): keyof Budget | undefined {
    if (this.remainingWallMs() <= 0) return 'wallMs'
    return this.remainingExecutionMs() <= 0 ? 'executionMs' : undefined
  }

  /** The error budget that is used up, if one is. */
  exceeded(counter: 'formatErrors' | 'editErrors' | 'infrastructureErrors'): boolean {
    return this.#counts[counter] > this.budget[counter]
  }

  remainingWallMs(): number {
    return (this.budget.wallMs ?? Number.POSITIVE_INFINITY) - this.#wallMs()
  }

  remainingExecutionMs(): number {
    return (this.budget.executionMs ?? Number.POSITIVE_INFINITY) - this.#executionMs
  }

  spent(): Spent {
    return {
      ...this.#counts,
      usage: { ...this.#usage },
      totalTokens: this.#totalTokens(),
      ...(this.#costUsd !== undefined && { costUsd: this.#costUsd }),
      wallMs: Math.round(this.#wallMs()),
      executionMs: Math.round(this.#executionMs),
    }
  }

  #totalTokens(): number {
    return (this.#usage.inputTokens ?? 0) + (this.#usage.outputTokens ?? 0)
  }

  #wallMs(): number {
    return (this.#before?.wallMs ?? 0) + this.#now() - this.#startedAt
  }
}

const definedOnly = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Partial<T>
