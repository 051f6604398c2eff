// How the checks went, in a line or two.
import type { NamedVerdict } from '../contract/loop.js'
import type { Rerun, TestReport } from '../contract/verify.js'
import type { Clean } from './failure-text.js'
import { clipLine } from './quote-text.js'

/** How many held-out checks failed. */
export interface HeldOutCount {
  /** Those that failed. */
  readonly failed: number
  /** All of them. */
  readonly total: number
}

const NAMES_CHARS = 400

/** The first line of feedback. */
export function verdictLine(attempt: number, verdicts: readonly NamedVerdict[], clean: Clean): string {
  const subject = attempt === 0 ? 'The program as given' : `Attempt ${attempt}`
  const visible = verdicts.filter(({ visibility }) => visibility === 'visible')
  if (visible.length === 0) return `${subject} failed.`
  const named = (status: NamedVerdict['status'], label: string): string => {
    const names = visible.filter((one) => one.status === status).map(nameText)
    return names.length === 0 ? '' : ` ${label}: ${clipLine(clean(names.join(', ')), NAMES_CHARS)}.`
  }
  const passed = visible.filter(({ status }) => status === 'pass').length
  if (passed === visible.length && verdicts.length === visible.length) return `${subject} passed every check.`
  const count = `${subject}: ${passed} of ${visible.length} checks passed.`
  return `${count}${named('fail', 'Failed')}${named('not-run', 'Not run')}`
}

function nameText({ name, tests = [], rerun }: NamedVerdict): string {
  const parts: string[] = []
  const passed = tests.filter(({ status }: TestReport) => status === 'pass').length
  if (tests.length > 0) parts.push(`${passed} of ${tests.length} tests passed`)
  const flaky = tests.filter((test) => test.flaky === true).length
  if (rerun !== undefined) parts.push(rerunText(rerun))
  else if (flaky > 0) parts.push(`${flaky} of them flaky`)
  return parts.length === 0 ? name : `${name} (${parts.join('; ')})`
}

function rerunText({ kind, runs, passed }: Rerun): string {
  if (kind === 'deterministic') return `deterministic: failed alike in ${runs} runs of the same program`
  return passed === 0
    ? `flaky: ${runs} runs of the same program failed differently`
    : `flaky: ${passed} of ${runs} runs of the same program passed`
}

/** Held-out checks in numbers: undefined when there are none or when they were not asked. */
export function countHeldOut(verdicts: readonly NamedVerdict[]): HeldOutCount | undefined {
  const heldOut = verdicts.filter(({ visibility }) => visibility === 'held-out')
  // They run only when the visible ones pass; until then they say nothing.
  if (heldOut.every(({ status }) => status === 'not-run')) return undefined
  return { failed: heldOut.filter(({ status }) => status !== 'pass').length, total: heldOut.length }
}

/** What the model may know of held-out checks. */
export const heldOutLine = ({ failed, total }: HeldOutCount): string =>
  `Hidden checks: ${failed} of ${total} failed. Their contents are not shown; reread the task for cases that the program does not handle.`
