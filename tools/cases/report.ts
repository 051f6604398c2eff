// What people and programs read of a run of cases.
import type { BugCase, CaseOutcome, UnreadableCase } from './bug-case.js'

/** A case with what became of it. */
export interface CaseResult {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly outcome: CaseOutcome
}

/** How many cases ended how. */
export interface Summary {
  readonly passed: number
  readonly failed: number
  readonly notBuilt: number
  readonly cannotRun: number
}

/** Joins a case and its outcome. */
export const toResult = (bugCase: BugCase | UnreadableCase, outcome: CaseOutcome): CaseResult => ({
  id: bugCase.id,
  kind: 'kind' in bugCase ? bugCase.kind : '',
  name: 'name' in bugCase ? bugCase.name : '',
  outcome,
})

/** One line a case. */
export function line({ id, kind, name, outcome }: CaseResult): string {
  const label = [id, kind, name].filter((part) => part !== '').join(' ')
  switch (outcome.status) {
    case 'passed':
      return `PASS             ${label}`
    case 'failed':
      return `FAIL             ${label}: ${outcome.reasons.join('; ').replaceAll('\n', '\\n')}`
    case 'not-built':
      return `not built        ${label}: ${outcome.reason}`
    case 'cannot-run': {
      const remedy = outcome.reason.includes(outcome.remedy) ? '' : ` (${outcome.remedy})`
      return `cannot run here  ${label}: ${outcome.reason}${remedy}`
    }
  }
}

/** Which of the cases that cannot run here have failed: none, those for which something can be installed, or all. */
export type Strictness = 'lenient' | 'require-tools' | 'strict'

/** Counts the outcomes. */
export function summarise(results: readonly CaseResult[], strictness: Strictness): Summary {
  const count = (status: CaseOutcome['status']): number =>
    results.filter(({ outcome }) => outcome.status === status).length
  const cannotRun = count('cannot-run')
  const lacking = results.filter(
    ({ outcome }) => outcome.status === 'cannot-run' && outcome.missingTool === true,
  ).length
  const blamed = { lenient: 0, 'require-tools': lacking, strict: cannotRun }[strictness]
  return {
    passed: count('passed'),
    failed: count('failed') + blamed,
    notBuilt: count('not-built'),
    cannotRun,
  }
}
