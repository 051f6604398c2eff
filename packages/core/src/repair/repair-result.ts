// The end of a repair run as the value that its caller gets.
import type { RepairResult, RepairResultBase, RunState } from '../contract/loop.js'
import type { RunEndReason } from '../engine/run-end.js'
import { questionOf } from './end-texts.js'
import type { Progress } from './repair-progress.js'
import type { ParsedTask } from './repair-task.js'
import { unifiedDiff } from './unified-diff.js'

/** What a result is made of besides how the run ended. */
export interface RepairResultParts
  extends Pick<RepairResultBase, 'record' | 'spent' | 'questions' | 'guarantees'> {
  readonly progress: Progress
  readonly task: ParsedTask
  /** Where the run stands. */
  state(): RunState
}

/** How a run ended, with all that it leaves behind. */
export function repairResult(
  end: RunEndReason | { readonly status: 'verified' },
  { progress, task, state, ...shared }: RepairResultParts,
): RepairResult {
  const { attempts, best, outputs } = progress
  const start = task.program ?? attempts[0]?.candidate.files ?? {}
  const diff = best === undefined ? '' : unifiedDiff(start, best.candidate.files)
  const base: RepairResultBase = {
    ...shared,
    attempts,
    ...(best !== undefined && { best: best.candidate }),
    ...(diff !== '' && { diff }),
    outputs,
  }
  if (end.status === 'exhausted' || end.status === 'stalled')
    return { ...base, ...end, handover: progress.handover(questionOf(end)) }
  if (end.status === 'needs-human')
    return { ...base, ...end, handover: progress.handover(end.question.question), state: state() }
  if (end.status !== 'verified') return { ...base, ...end }
  const passed = attempts.at(-1)
  if (passed === undefined) throw new Error('A run cannot be verified without an attempt.')
  return { ...base, status: 'verified', candidate: passed.candidate }
}
