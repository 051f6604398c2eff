// The runs for alternatives: so many at a time, in rounds, and all of them ended before anything is said.
import type { Budget } from '../contract/budget.js'
import type { Loop, LoopRun, RepairResult } from '../contract/loop.js'
import { notify } from '../internal/notify.js'
import { onAbort } from '../internal/on-abort.js'
import type { AlternativeRun, DuplicateAlternative, StartedAlternative } from './alternatives.js'
import { alternativeNote } from './alternatives-note.js'
import { type SortedRuns, sortRuns } from './alternatives-result.js'
import type { Part, SharedTotal } from './alternatives-total.js'
import type { RepairTask } from './repair-task.js'

/** What the runs are made of. */
export interface AlternativeRunsInput {
  readonly loop: Pick<Loop<RepairTask, RepairResult>, 'start'>
  readonly task: RepairTask
  /** Id of the task's language. */
  readonly language: string
  readonly alternatives: number
  readonly concurrency: number
  readonly distinctTries: number
  readonly shared: SharedTotal
  readonly budget?: Partial<Budget>
  readonly stopWhenVerified?: boolean
  readonly signal?: AbortSignal
  readonly onRun?: (started: StartedAlternative) => void
}

/** How all runs ended. */
export interface EndedRuns {
  readonly runs: SortedRuns
  /** Why an alternative has had no run, or no further one, by its number. */
  readonly notStarted: ReadonlyMap<number, string>
}

/** A run that is to come: the first of an alternative, or one in place of a duplicate. */
type Wanted = Pick<DuplicateAlternative, 'alternative'> & Partial<Pick<DuplicateAlternative, 'sameAs'>>

/** Runs that are about to start, or to end. */
export class AlternativeRuns {
  readonly #input: AlternativeRunsInput
  readonly #running = new Set<LoopRun<RepairResult>>()
  readonly #ended: AlternativeRun[] = []
  readonly #notStarted = new Map<number, string>()
  /** Why no further run starts, in words. */
  #stopped: string | undefined
  #failure: { readonly error: unknown } | undefined
  #sorted: SortedRuns

  constructor(input: AlternativeRunsInput) {
    this.#input = input
    this.#sorted = sortRuns([], input.language)
  }

  /** @throws what the first run rejected with that did, after all others have ended */
  async toTheEnd(): Promise<EndedRuns> {
    const { signal, alternatives, distinctTries, language } = this.#input
    const forget = signal && onAbort(signal, () => this.#stop('it was aborted'))
    try {
      let wanted: readonly Wanted[] = Array.from({ length: alternatives }, (_, index) => ({
        alternative: index + 1,
      }))
      for (let round = 0; round <= distinctTries && wanted.length > 0; round++) {
        await this.#round(wanted)
        if (this.#failure !== undefined) throw this.#failure.error
        this.#sorted = sortRuns(this.#ended, language)
        wanted = this.#sorted.toReplace
      }
    } finally {
      forget?.()
    }
    return { runs: this.#sorted, notStarted: this.#notStarted }
  }

  /** One run for each of these alternatives. Never rejects: whoever fails ends the others, which are waited for. */
  async #round(wanted: readonly Wanted[]): Promise<void> {
    const waiting = [...wanted]
    const ended: AlternativeRun[] = []
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const run = await this.#one(next, waiting.length + 1)
        if (run !== undefined) ended.push(run)
      }
    }
    const workers = Math.min(this.#input.concurrency, wanted.length)
    await Promise.all(Array.from({ length: workers }, work))
    // Not in the order in which they happened to end.
    this.#ended.push(...ended.sort((one, other) => one.alternative - other.alternative))
  }

  async #one(wanted: Wanted, waiting: number): Promise<AlternativeRun | undefined> {
    const { shared } = this.#input
    const { alternative } = wanted
    const part = shared.take(waiting)
    const isFirst = this.#ended.length === 0 && alternative === 1
    const why = this.#stopped ?? (part.ended && `total.${part.ended} ended`)
    // The first one starts in any case, so that there is a result: it ends by itself before it spends anything.
    if (why !== undefined && !isFirst) {
      shared.giveBack(part)
      this.#notStarted.set(alternative, why)
      return undefined
    }
    try {
      const run = await this.#started(wanted, part)
      shared.giveBack(part, run.result.spent)
      if (run.result.status === 'verified' && this.#input.stopWhenVerified === true)
        this.#stop('another one was verified')
      return run
    } catch (error) {
      this.#failure ??= { error }
      this.#stop('another one failed')
      return undefined
    }
  }

  async #started(wanted: Wanted, part: Part): Promise<AlternativeRun> {
    const { loop, budget, onRun } = this.#input
    const { alternative } = wanted
    const task = this.#taskFor(wanted)
    const run = loop.start(task, { budget: { ...budget, ...part.budget } })
    this.#running.add(run)
    try {
      if (this.#stopped !== undefined) run.abort(`No further run was wanted: ${this.#stopped}.`)
      notify(onRun, { alternative, run })
      const result = await run.result
      return { alternative, task, result, state: run.state() }
    } finally {
      this.#running.delete(run)
    }
  }

  #taskFor({ alternative, sameAs }: Wanted): RepairTask {
    const { task, language, alternatives: of } = this.#input
    const there = sameAs === undefined ? [] : this.#sorted.alternatives
    const others = [
      ...there.filter((one) => one.alternative === sameAs),
      ...there.filter((one) => one.alternative !== sameAs),
    ]
    const note = alternativeNote({
      note: task.note,
      alternative,
      of,
      language,
      others: others.map(({ candidate }) => candidate),
    })
    return note === undefined ? task : { ...task, note }
  }

  /** No further run starts, and those under way end as aborted. */
  #stop(why: string): void {
    this.#stopped ??= why
    for (const run of this.#running) run.abort(`No further run is wanted: ${why}.`)
  }
}
