// What several runs may spend together, handed out to them in parts.
import { z } from 'zod'
import type { Budget, Spent } from '../contract/budget.js'

/** What all runs for alternatives together may spend; 0 is honoured. */
export interface AlternativesTotal {
  /** Calls of the model. */
  modelCalls?: number
  /** Input and output tokens together. */
  totalTokens?: number
  /** US dollars; needs a model adapter that knows its price. */
  costUsd?: number
  /** Wall time from the start of the first run, in milliseconds. */
  wallMs?: number
}

const count = z.int('must be a whole number').nonnegative('must not be negative')

/** Schema of {@link AlternativesTotal}. */
export const alternativesTotalSchema: z.ZodType<AlternativesTotal> = z.strictObject({
  modelCalls: count.optional(),
  totalTokens: count.optional(),
  costUsd: z.number().nonnegative('must not be negative').optional(),
  wallMs: count.optional(),
})

/** The part of a total that one run has. Give it back with what the run spent. */
export interface Part {
  /** Overrides of the run's budget. */
  readonly budget: AlternativesTotal
  /** The bound of which nothing is left. */
  readonly ended?: keyof AlternativesTotal
}

const HANDED_OUT = ['modelCalls', 'totalTokens', 'costUsd'] as const

/** A total and who has which part of it. */
export class SharedTotal {
  readonly #total: AlternativesTotal
  readonly #own: Partial<Budget>
  readonly #now: () => number
  readonly #startedAt: number
  readonly #running = new Set<Part>()
  readonly #ended: Spent[] = []

  /** @param own - what a run may spend anyway; no part is larger */
  constructor(
    total: AlternativesTotal,
    own: Partial<Budget> = {},
    now: () => number = () => performance.now(),
  ) {
    this.#total = total
    this.#own = own
    this.#now = now
    this.#startedAt = now()
  }

  /** @param waiting - how many runs are about to start, this one among them */
  take(waiting: number): Part {
    const left = this.#left(waiting)
    const ended = (Object.keys(left) as (keyof AlternativesTotal)[]).find((key) => left[key] === 0)
    const budget = Object.fromEntries(
      Object.entries(left).map(([key, value]) => [
        key,
        Math.min(value, this.#own[key as keyof AlternativesTotal] ?? Number.POSITIVE_INFINITY),
      ]),
    )
    const part: Part = { budget, ...(ended !== undefined && { ended }) }
    this.#running.add(part)
    return part
  }

  /** @param spent - undefined for a run that did not come about */
  giveBack(part: Part, spent?: Spent): void {
    if (this.#running.delete(part) && spent !== undefined) this.#ended.push(spent)
  }

  #left(waiting: number): Readonly<Record<string, number>> {
    const left: Record<string, number> = {}
    for (const key of HANDED_OUT) {
      const bound = this.#total[key]
      if (bound === undefined) continue
      const equal = Math.max(0, bound - this.#gone(key)) / waiting
      left[key] = key === 'costUsd' ? equal : Math.ceil(equal)
    }
    const { wallMs } = this.#total
    if (wallMs !== undefined)
      left['wallMs'] = Math.max(0, Math.floor(wallMs - (this.#now() - this.#startedAt)))
    return left
  }

  /** Spent by runs that have ended, or in the hands of those that have not. */
  #gone(key: (typeof HANDED_OUT)[number]): number {
    let gone = 0
    for (const { budget } of this.#running) gone += budget[key] ?? 0
    // A cost that is not known cannot be kept under a bound.
    for (const spent of this.#ended) gone += spent[key] ?? Number.POSITIVE_INFINITY
    return gone
  }
}
