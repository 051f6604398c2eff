// A sandbox whose executions are reported as events, charged to the run's budget and bounded by what is left of it.

import type { ExecutionResult } from '../contract/execution.js'
import type { Command, ExecOptions, Limits, OutputChunk, Sandbox } from '../contract/sandbox.js'
import { onAbort } from '../internal/on-abort.js'
import { RunEnd } from './run-end.js'
import type { RunScope } from './run-scope.js'

/** Who asked for an execution. */
export type ExecutionPurpose = 'program' | 'verification'

/**
 * Runs `command` under the run's budget.
 *
 * @throws RunEnd when a budget ends before or during the execution, or the run was ended
 */
export async function observedExec(
  scope: RunScope,
  sandbox: Sandbox,
  limits: Limits,
  command: Command,
  purpose: ExecutionPurpose,
  options: ExecOptions = {},
): Promise<ExecutionResult> {
  scope.check()
  const ended = scope.meter.beforeExecution()
  if (ended !== undefined) throw new RunEnd({ status: 'exhausted', budget: ended })
  const wanted = options.limits?.wallMs ?? limits.wallMs
  const leftMs = Math.min(scope.meter.remainingExecutionMs(), scope.meter.remainingWallMs())
  const wallMs = Math.max(1, Math.ceil(Math.min(wanted, leftMs)))
  const name = commandText(command)
  scope.events.emit('execution-start', { command: name, purpose })
  const onOutput = (chunk: OutputChunk): void => {
    scope.events.emit('execution-output', chunk)
    options.onOutput?.(chunk)
  }
  const either = eitherSignal(scope.signal, options.signal)
  const settings = { limits: { ...options.limits, wallMs }, signal: either.signal, onOutput }
  const result = await sandbox.exec(command, settings).finally(either.forget)
  scope.meter.chargeExecution(result.durationMs)
  scope.events.emit('execution-end', { command: name, purpose, result })
  scope.check()
  // A limit that only the budget made this short says nothing about the program.
  if (result.outcome.kind === 'timeout' && result.outcome.clock === 'wall' && wallMs < wanted)
    throw new RunEnd({ status: 'exhausted', budget: scope.meter.beforeExecution() ?? 'executionMs' })
  return result
}

/** Aborted with either; AbortSignal.any would take signals of this realm only. */
function eitherSignal(ours: AbortSignal, theirs?: AbortSignal): { signal: AbortSignal; forget(): void } {
  if (theirs === undefined) return { signal: ours, forget: () => undefined }
  const controller = new AbortController()
  const forgets = [ours, theirs].map((one) => onAbort(one, () => controller.abort(one.reason)))
  const forget = (): void => {
    for (const one of forgets) one()
  }
  return { signal: controller.signal, forget }
}

/** A command as a person would write it, at most 120 characters. */
function commandText(command: Command): string {
  const argv: readonly string[] | undefined =
    typeof command === 'string' ? undefined : 'argv' in command ? command.argv : command
  const text =
    argv === undefined
      ? String(command)
      : argv.map((part) => (/^[\w@%+=:,./-]+$/.test(part) ? part : JSON.stringify(part))).join(' ')
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}
