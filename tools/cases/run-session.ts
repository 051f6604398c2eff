// Kind `session`: cells that run one after the other in one session, each with what must come of it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CellOptions, type CellResult, openSession, type Session } from '@mendloop/core'
import type { BugCase, CaseOutcome, Fields } from './bug-case.js'
import { ENDED_CHECKS, type Ended } from './ended-expectations.js'
import {
  asBoolean,
  asFilledList,
  asNumber,
  asObject,
  asObjectOf,
  asText,
  type Complaint,
  contains,
  containsNone,
  equals,
  NotUnderstood,
  own,
} from './expectation.js'
import { caseSandbox, cellFeedback, cellStatuses, cellStderr } from './names.js'

/** A cell as it was run. */
interface RanCell {
  readonly result: CellResult
  readonly tookMs: number
  /** The cell after it; after the last one an empty cell is run. */
  readonly next: CellResult
}

const CHECKS: Readonly<Record<string, (wanted: unknown, cell: RanCell) => Complaint>> = {
  sessionLost: (wanted, { result }) => equals('session lost', asBoolean(wanted), result.lost !== undefined),
  sessionRestarted: (wanted, { result }) =>
    equals('session restarted', asBoolean(wanted), result.restarted !== undefined),
  sessionRestartedNext: (wanted, { next }) =>
    equals('session restarted for the next cell', asBoolean(wanted), next.restarted !== undefined),
  feedbackMentions: (wanted, { result }) => contains('feedback', wanted, cellFeedback(result), true),
  feedbackContains: (wanted, { result }) => contains('feedback', wanted, cellFeedback(result)),
  feedbackNotContains: (wanted, { result }) => containsNone('feedback', wanted, cellFeedback(result)),
}

/** Runs a case of kind `session`. */
export async function runSessionCase({ input, folder }: BugCase): Promise<CaseOutcome> {
  const cells = asFilledList(JSON.parse(readFileSync(join(folder, asText(input['input'])), 'utf8'))).map(
    readCell,
  )
  if (cells.every(({ expect }) => Object.keys(expect).length === 0))
    throw new NotUnderstood('no cell of the case expects anything')
  await using sandbox = await caseSandbox().create()
  await using session = await openSession(sandbox, { language: 'python' })
  const ran = [...(await runAll(session, cells)), { result: await session.run(''), tookMs: 0 }]
  const reasons = cells.flatMap(({ expect }, index) => {
    const [cell, next] = [ran[index], ran[index + 1]]
    if (cell === undefined || next === undefined) return [`cell ${index + 1} did not run`]
    return complaintsAbout(expect, { ...cell, next: next.result }).map(
      (reason) => `cell ${index + 1}: ${reason}`,
    )
  })
  return reasons.length === 0 ? { status: 'passed' } : { status: 'failed', reasons }
}

interface Cell {
  readonly code: string
  readonly options: CellOptions
  readonly expect: Fields
}

function readCell(value: unknown): Cell {
  const { code, options = {}, expect = {} } = asObjectOf(value, ['code', 'options', 'expect', 'note'])
  const { timeoutMs } = asObjectOf(options, ['timeoutMs'])
  const { note: _, ...rest } = asObject(expect)
  const odd = Object.keys(rest).find((key) => (own(CHECKS, key) ?? own(ENDED_CHECKS, key)) === undefined)
  if (odd !== undefined) throw new NotUnderstood(`the expectation "${odd}" of a cell is not known`)
  return {
    code: asText(code),
    options: timeoutMs === undefined ? {} : { timeoutMs: asNumber(timeoutMs) },
    expect: rest,
  }
}

async function runAll(
  session: Session,
  cells: readonly Cell[],
): Promise<{ result: CellResult; tookMs: number }[]> {
  const ran: { result: CellResult; tookMs: number }[] = []
  for (const { code, options } of cells) {
    const startedAt = performance.now()
    const result = await session.run(code, options)
    ran.push({ result, tookMs: performance.now() - startedAt })
  }
  return ran
}

function complaintsAbout(expect: Fields, cell: RanCell): string[] {
  return Object.entries(expect)
    .map(
      ([key, wanted]) => own(CHECKS, key)?.(wanted, cell) ?? own(ENDED_CHECKS, key)?.(wanted, toEnded(cell)),
    )
    .filter((complaint) => complaint !== undefined)
}

const toEnded = ({ result, tookMs }: RanCell): Ended => ({
  ...result,
  statuses: cellStatuses(result),
  stderr: { ...result.stderr, text: cellStderr(result) },
  tookMs,
})
