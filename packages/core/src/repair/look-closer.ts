// A failure that came back is looked at once more: what the variables held where it happened.
import type { Attempt } from '../contract/loop.js'
import type { Sandbox } from '../contract/sandbox.js'
import type { RunScope } from '../engine/run-scope.js'
import { localValues } from '../language/local-values.js'
import { limitsInEffect, overlaid } from '../sandbox/limits-in-effect.js'
import type { RepairLoopOptions } from './create-repair-loop.js'
import type { ParsedTask } from './repair-task.js'

/**
 * Runs the attempt's program again in `sandbox`, which must be fresh, when an exception ended it and nobody said what its
 * variables were.
 *
 * @returns undefined when there is nothing to learn; a run that cannot be had is none
 * @throws RunEnd when the run was ended
 */
export async function valuesWhereItFailed(
  scope: RunScope,
  sandbox: Sandbox,
  { failures, candidate }: Attempt,
  { task, limits: own }: { task: ParsedTask; limits: RepairLoopOptions['limits'] },
): Promise<Readonly<Record<string, string>> | undefined> {
  const [failure] = failures
  if (failure === undefined || scope.meter.beforeExecution() !== undefined) return undefined
  const limits = overlaid(own, task.limits)
  const { wallMs } = limitsInEffect(sandbox, limits)
  const leftMs = Math.min(scope.meter.remainingExecutionMs(), scope.meter.remainingWallMs(), wallMs)
  const startedAt = performance.now()
  try {
    await scope.settled(sandbox.files.write({ ...task.files, ...candidate.files }))
    return await scope.settled(
      localValues(sandbox, {
        language: task.language,
        candidate,
        failure,
        wallMs: Math.max(1, Math.ceil(leftMs)),
        signal: scope.signal,
        ...(limits !== undefined && { limits }),
        ...(task.args !== undefined && { args: task.args }),
        ...(task.stdin !== undefined && { stdin: task.stdin }),
      }),
    )
  } catch {
    return undefined
  } finally {
    scope.meter.chargeExecution(performance.now() - startedAt)
    scope.check()
  }
}

/** True for a failure of which more could be known. */
export const isWorthALook = ({ failures: [first] }: Attempt): boolean =>
  first?.kind === 'exception' && first.location !== undefined && first.locals === undefined
