// Several programs for one task: written and mended side by side, each in sandboxes of its own, told apart by their code.
import { z } from 'zod'
import { type Budget, budgetSchema, type Spent } from '../contract/budget.js'
import type { Candidate } from '../contract/candidate.js'
import { abortSignalSchema } from '../contract/foreign-values.js'
import type { Loop, LoopRun, NamedVerdict, RepairResult, RunState } from '../contract/loop.js'
import { invalidOption, parseOptions } from '../contract/options.js'
import { alternativesResult } from './alternatives-result.js'
import { AlternativeRuns } from './alternatives-runs.js'
import { type AlternativesTotal, alternativesTotalSchema, SharedTotal } from './alternatives-total.js'
import { parseTask, type RepairTask } from './repair-task.js'

/** How many programs are wanted, and what they may cost. */
export interface AlternativesOptions {
  /** Distinct programs wanted, 1 to 32. */
  alternatives: number
  /** Runs at the same time, each with one sandbox open. Default: all of them, at most 8. */
  concurrency?: number
  /** Overrides of the loop's budget, for each run by itself. */
  budget?: Partial<Budget>
  /** What all runs together may spend. Default: only each run's own budget. */
  total?: AlternativesTotal
  /** Further runs for an alternative that came to the code of another one, 0 to 10. Default 1. */
  distinctTries?: number
  /** Ends the others, as `aborted`, as soon as one is verified. Default false. */
  stopWhenVerified?: boolean
  /** Aborting ends every run with status `aborted`. */
  signal?: AbortSignal
  /** Called with each run as it starts, to watch it or to end it alone. What it throws is ignored. */
  onRun?: (started: StartedAlternative) => void
}

/** A run that has begun. */
export interface StartedAlternative {
  /** Which of those asked for, 1-based. */
  readonly alternative: number
  /** The run. */
  readonly run: LoopRun<RepairResult>
}

/** One run for one alternative. */
export interface AlternativeRun {
  /** Which of those asked for, 1-based. Several runs have the same number when one was run again. */
  readonly alternative: number
  /** The task as this run had it: its `note` asks for another approach. */
  readonly task: RepairTask
  /** The whole result, with its record and what it cost. */
  readonly result: RepairResult
  /** Where it ended: `loop.resume(task, state)` goes on with this alternative. */
  readonly state: RunState
}

/** A program and what became of it. */
export interface Alternative extends AlternativeRun {
  /** The program that passed, or else the best one of its run. */
  readonly candidate: Candidate
  /** What each check said of it. */
  readonly verdicts: readonly NamedVerdict[]
  /** How its run ended. */
  readonly status: RepairResult['status']
  /** Equal for programs that differ in comments, layout and, in Python, names of local variables only. */
  readonly codeFingerprint: string
}

/** A program that is there already. */
export interface DuplicateAlternative extends Alternative {
  /** Number of the alternative that has this code. */
  readonly sameAs: number
}

/** What came of {@link repairAlternatives}. */
export interface AlternativesResult {
  /** Result of the best run: verified first, then most checks and tests passed, then the earliest. */
  readonly best: RepairResult
  /** The distinct programs, best first. Not all need have passed: see `status`. */
  readonly alternatives: readonly Alternative[]
  /** Runs that came to the code of an alternative, with what they cost in `result.spent`. */
  readonly duplicates: readonly DuplicateAlternative[]
  /** Runs that ended without a program. */
  readonly withoutProgram: readonly AlternativeRun[]
  /** Number of distinct programs: the length of `alternatives`. */
  readonly distinct: number
  /** Why there are fewer than were asked for, as a sentence; absent when all are there. */
  readonly shortfall?: string
  /** The sum over all runs, but for `wallMs`, which is the time from start to end. */
  readonly spent: Spent
}

const optionsSchema: z.ZodType<AlternativesOptions> = z.strictObject({
  alternatives: z.int('must be a whole number').min(1, 'must be at least 1').max(32, 'must be at most 32'),
  concurrency: z.int('must be a whole number').min(1, 'must be at least 1').optional(),
  budget: budgetSchema.optional(),
  total: alternativesTotalSchema.optional(),
  distinctTries: z
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .max(10, 'must be at most 10')
    .optional(),
  stopWhenVerified: z.boolean().optional(),
  signal: abortSignalSchema.optional(),
  onRun: z
    .custom<AlternativesOptions['onRun']>((value) => typeof value === 'function', 'must be a function')
    .optional(),
})

const OWNER = 'repairAlternatives()'
const DEFAULT_CONCURRENCY = 8

/**
 * Runs a repair loop several times on one task, side by side, for programs that differ.
 *
 * From the second alternative on, the task's `note` asks for another approach, so that a model without chance in it does
 * not write the same program again. When all have ended, one whose program has the same code as that of another is run
 * again, with the note showing what there is, `distinctTries` times at most. A program that was handed in and passed is not:
 * no model was asked. Where fewer distinct programs come than were asked for, `shortfall` says why.
 *
 * `total` is kept as follows. `wallMs` holds for every run, since they share the clock. Of `modelCalls`, `totalTokens` and
 * `costUsd` each run gets an equal part of what is left when it starts, and never more than its own budget; what it leaves
 * over goes to those that start later, not to those that run already. `modelCalls` is never exceeded; of the other two
 * each run may spend beyond its part what its last call costs. When nothing is left, no further run starts.
 *
 * @returns a value, whatever the programs did, and also when `signal` was aborted; there is always a `best`
 * @throws MendloopError as `loop.run` does, for misuse: the other runs are ended first, and nothing is left running
 * @example
 * ```ts
 * const { best, alternatives } = await repairAlternatives(loop, task, { alternatives: 3 })
 * for (const { status, candidate } of alternatives) console.log(status, candidate.files[candidate.entry])
 * ```
 */
export async function repairAlternatives(
  loop: Pick<Loop<RepairTask, RepairResult>, 'start'>,
  task: RepairTask,
  options: AlternativesOptions,
): Promise<AlternativesResult> {
  if (typeof (loop as Partial<typeof loop> | undefined)?.start !== 'function')
    throw invalidOption(OWNER, 'loop', 'must be a loop, such as one of createRepairLoop()', {
      expected: 'an object with a start function',
      received: loop === null ? 'null' : typeof loop,
    })
  const asked = parseOptions(optionsSchema, options, OWNER)
  const { alternatives, concurrency = DEFAULT_CONCURRENCY, distinctTries = 1, total = {} } = asked
  const { language } = parseTask(task)
  const startedAt = performance.now()
  const own = Object.keys(total).length === 0 ? {} : await ownBudget(loop, task, asked.budget)
  const ended = await new AlternativeRuns({
    ...asked,
    loop,
    task,
    language,
    concurrency,
    distinctTries,
    shared: new SharedTotal(total, own),
  }).toTheEnd()
  return alternativesResult({ ...ended, asked: alternatives, wallMs: performance.now() - startedAt })
}

/** What the loop itself lets a run spend, as a run tells that is ended before it does anything. */
async function ownBudget(
  loop: Pick<Loop<RepairTask, RepairResult>, 'start'>,
  task: RepairTask,
  budget: Partial<Budget> = {},
): Promise<Partial<Budget>> {
  const run = loop.start(task, { budget })
  run.abort('Only its budget was asked for.')
  const { record } = await run.result
  return record.events.find((event) => event.type === 'run-start')?.budget ?? budget
}
