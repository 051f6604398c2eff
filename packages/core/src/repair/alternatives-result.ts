// Runs sorted by what came of them: which programs are distinct, which is the best, what all of it cost.
import type { Spent } from '../contract/budget.js'
import type { Attempt, RepairResult } from '../contract/loop.js'
import { codeFingerprint } from '../language/normalised/normalised-code.js'
import { addUsage } from '../model/usage.js'
import type { Alternative, AlternativeRun, AlternativesResult, DuplicateAlternative } from './alternatives.js'
import type { EndedRuns } from './alternatives-runs.js'
import { bestAttempt, isBetter } from './rank-attempts.js'

/** Every run in one of the lists. */
export interface SortedRuns {
  /** All runs, best first. */
  readonly all: readonly AlternativeRun[]
  readonly alternatives: readonly Alternative[]
  readonly duplicates: readonly DuplicateAlternative[]
  readonly withoutProgram: readonly AlternativeRun[]
  /** Duplicates that another run may replace, in the order of their numbers. */
  readonly toReplace: readonly DuplicateAlternative[]
}

/**
 * Sorts runs. Of those with the same code the best one counts, and the earliest of those as good.
 *
 * @param runs - in the order of their numbers, those of a later round last
 */
export function sortRuns(runs: readonly AlternativeRun[], language: string): SortedRuns {
  const all = [...runs].sort(byVerdict)
  const byCode = new Map<string, Alternative>()
  const duplicates: DuplicateAlternative[] = []
  const withoutProgram: AlternativeRun[] = []
  for (const run of all) {
    const attempt = lastWord(run.result)
    if (attempt === undefined) {
      withoutProgram.push(run)
      continue
    }
    const alternative = toAlternative(run, attempt, language)
    const before = byCode.get(alternative.codeFingerprint)
    if (before === undefined) byCode.set(alternative.codeFingerprint, alternative)
    else duplicates.push({ ...alternative, sameAs: before.alternative })
  }
  const alternatives = [...byCode.values()]
  return { all, alternatives, duplicates, withoutProgram, toReplace: replaceable(runs, duplicates) }
}

/** The attempt that a run stands for. */
function lastWord({ status, attempts }: RepairResult): Attempt | undefined {
  return status === 'verified' ? attempts.at(-1) : bestAttempt(attempts)
}

function toAlternative(run: AlternativeRun, attempt: Attempt, language: string): Alternative {
  const { candidate, verdicts } = attempt
  return {
    ...run,
    candidate,
    verdicts,
    status: run.result.status,
    codeFingerprint: codeFingerprint(language, candidate.files),
  }
}

/** Verified ones first, then by what their best attempts came to. */
function byVerdict({ result: one }: AlternativeRun, { result: other }: AlternativeRun): number {
  const verified = Number(other.status === 'verified') - Number(one.status === 'verified')
  if (verified !== 0) return verified
  const [a, b] = [lastWord(one), lastWord(other)]
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return isBetter(a, b) ? -1 : Number(isBetter(b, a))
}

/**
 * Duplicates that are the last run of their alternative, but for those that a person ended or has to decide on, and those
 * whose program was handed in and passed: no model was asked, and none would be.
 */
function replaceable(
  runs: readonly AlternativeRun[],
  duplicates: readonly DuplicateAlternative[],
): DuplicateAlternative[] {
  const last = new Map(runs.map((run) => [run.alternative, run.result]))
  return duplicates
    .filter(({ alternative, result }) => last.get(alternative) === result)
    .filter(({ status, result }) => !UP_TO_PEOPLE.includes(status) && !passedAsGiven(result))
    .sort((one, other) => one.alternative - other.alternative)
}

const UP_TO_PEOPLE: readonly RepairResult['status'][] = ['aborted', 'needs-human']

const passedAsGiven = ({ attempts }: RepairResult): boolean =>
  attempts.some(({ attempt, passed }) => attempt === 0 && passed)

/** All that is handed back. */
export function alternativesResult({
  runs,
  notStarted,
  asked,
  wallMs,
}: EndedRuns & { readonly asked: number; readonly wallMs: number }): AlternativesResult {
  const { all, alternatives, duplicates, withoutProgram } = runs
  const best = all[0]?.result
  if (best === undefined) throw new Error('The first alternative is always run.')
  const spent = all.map(({ result }) => result.spent).reduce(addSpent)
  const shortfall = shortfallOf(runs, notStarted, asked)
  return {
    best,
    alternatives,
    duplicates,
    withoutProgram,
    distinct: alternatives.length,
    ...(shortfall !== undefined && { shortfall }),
    spent: { ...spent, wallMs: Math.round(wallMs) },
  }
}

/** Why there are fewer than were asked for. */
function shortfallOf(
  { alternatives, duplicates, withoutProgram }: SortedRuns,
  notStarted: EndedRuns['notStarted'],
  asked: number,
): string | undefined {
  const counts = new Map<string, number>()
  for (let number = 1; number <= asked; number++) {
    const isOne = (run: AlternativeRun): boolean => run.alternative === number
    if (alternatives.some(isOne)) continue
    const why = notStarted.get(number)
    const came = duplicates.some(isOne)
      ? 'came to the code of another one'
      : withoutProgram.some(isOne)
        ? 'came to no program'
        : ''
    const had = why === undefined ? '' : `had no ${came === '' ? '' : 'further '}run, since ${why}`
    const reason = [came, had].filter((part) => part !== '').join(' and ')
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  if (counts.size === 0) return undefined
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).join('; ')
  const { length } = alternatives
  return `${length} distinct ${length === 1 ? 'program is' : 'programs are'} there, and ${asked} were asked for: ${reasons}.`
}

function addSpent(one: Spent, other: Spent): Spent {
  const costUsd =
    one.costUsd === undefined || other.costUsd === undefined ? undefined : one.costUsd + other.costUsd
  return {
    attempts: one.attempts + other.attempts,
    formatErrors: one.formatErrors + other.formatErrors,
    editErrors: one.editErrors + other.editErrors,
    infrastructureErrors: one.infrastructureErrors + other.infrastructureErrors,
    modelCalls: one.modelCalls + other.modelCalls,
    usage: addUsage(one.usage, other.usage),
    totalTokens: one.totalTokens + other.totalTokens,
    ...(costUsd !== undefined && { costUsd }),
    wallMs: one.wallMs + other.wallMs,
    executionMs: one.executionMs + other.executionMs,
  }
}
