// A sandbox whose executions are reported as events, charged to the run's budget and bounded by what is left of it.

import type { ExecutionResult } from '../contract/execution.js'
import type { Command, ExecOptions, Limits, Sandbox } from '../contract/sandbox.js'
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
  const result = await sandbox.exec(command, {
    ...options,
    limits: { ...options.limits, wallMs },
    signal: options.signal === undefined ? scope.signal : AbortSignal.any([scope.signal, options.signal]),
    onOutput: (chunk) => {
      scope.events.emit('execution-output', chunk)
      options.onOutput?.(chunk)
    },
  })
  scope.meter.chargeExecution(result.durationMs)
  scope.events.emit('execution-end', { command: name, purpose, result })
  scope.check()
  // A limit that only the budget made this short says nothing about the program.
  if (result.outcome.kind === 'timeout' && result.outcome.clock === 'wall' && wallMs < wanted)
    throw new RunEnd({ status: 'exhausted', budget: scope.meter.beforeExecution() ?? 'executionMs' })
  return result
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
