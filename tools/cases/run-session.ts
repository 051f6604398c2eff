// Kind `session`: cells that run one after the other in one session, each with what must come of it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CellResult, openSession } from '@mendloop/core'
import type { BugCase, CaseOutcome, Fields } from './bug-case.js'
import { ENDED_CHECKS, type Ended } from './ended-expectations.js'
import {
  asBoolean,
  asCount,
  asText,
  type Complaint,
  contains,
  containsNone,
  equals,
  NotUnderstood,
  own,
} from './expectation.js'
import { caseSandbox, cellFeedback, cellStatuses, cellStderr } from './names.js'
import { canListProcesses, ProcessWatch, settled } from './processes.js'
import { type Cell, readScript } from './session-cells.js'

/** A cell as it was run. */
interface RanCell {
  readonly result: CellResult
  readonly tookMs: number
  /** How many processes it left; undefined where nobody asked. */
  readonly survivors: number | undefined
}

/** With the cell after it; after the last one an empty cell is run. */
interface CellInPlace extends RanCell {
  readonly next: CellResult
}

const CHECKS: Readonly<Record<string, (wanted: unknown, cell: CellInPlace) => Complaint>> = {
  sessionLost: (wanted, { result }) => equals('session lost', asBoolean(wanted), result.lost !== undefined),
  sessionRestarted: (wanted, { result }) =>
    equals('session restarted', asBoolean(wanted), result.restarted !== undefined),
  sessionRestartedNext: (wanted, { next }) =>
    equals('session restarted for the next cell', asBoolean(wanted), next.restarted !== undefined),
  feedbackMentions: (wanted, { result }) => contains('feedback', wanted, cellFeedback(result), true),
  feedbackContains: (wanted, { result }) => contains('feedback', wanted, cellFeedback(result)),
  feedbackNotContains: (wanted, { result }) => containsNone('feedback', wanted, cellFeedback(result)),
  // As the language shows it; a number is shown as it is written.
  value: (wanted, { result }) =>
    equals(
      'value',
      typeof wanted === 'number' ? String(wanted) : wanted === null ? null : asText(wanted),
      result.value?.data['text/plain'] ?? null,
    ),
  survivors: (wanted, { survivors }) => equals('survivors', asCount(wanted), survivors),
}

/** Runs a case of kind `session`. */
export async function runSessionCase({ input, folder }: BugCase): Promise<CaseOutcome> {
  const content = JSON.parse(readFileSync(join(folder, asText(input['input'])), 'utf8'))
  const { cells, language, cellMs, limits, env } = readScript(input, content)
  for (const key of cells.flatMap(({ expect }) => Object.keys(expect)))
    if ((own(CHECKS, key) ?? own(ENDED_CHECKS, key)) === undefined)
      throw new NotUnderstood(`the expectation "${key}" of a cell is not known`)
  if (cells.every(({ expect }) => Object.keys(expect).length === 0))
    throw new NotUnderstood('no cell of the case expects anything')
  await using sandbox = await caseSandbox().create({ limits, env })
  await using session = await openSession(sandbox, { language, ...(cellMs !== undefined && { cellMs }) })
  const ran: RanCell[] = []
  for (const cell of cells) ran.push(await runCell(cell, (code, options) => session.run(code, options)))
  const last = await session.run('')
  const reasons = cells.flatMap(({ name, expect }, index) => {
    const cell = ran[index]
    if (cell === undefined) return [`${name} did not run`]
    const next = ran[index + 1]?.result ?? last
    return complaintsAbout(expect, { ...cell, next }).map((reason) => `${name}: ${reason}`)
  })
  return reasons.length === 0 ? { status: 'passed' } : { status: 'failed', reasons }
}

async function runCell(
  { code, options, expect }: Cell,
  run: (code: string, options: Cell['options']) => Promise<CellResult>,
): Promise<RanCell> {
  const wanted = expect['survivors']
  if (wanted !== undefined && !canListProcesses)
    throw new NotUnderstood(`survivors: processes cannot be listed on ${process.platform}`)
  // What the session itself needs was there before.
  const processes = wanted === undefined ? undefined : new ProcessWatch()
  const startedAt = performance.now()
  const result = await run(code, options)
  const tookMs = performance.now() - startedAt
  const survivors = processes && (await settled(() => processes.survivors(), asCount(wanted)))
  return { result, tookMs, survivors }
}

function complaintsAbout(expect: Fields, cell: CellInPlace): string[] {
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
