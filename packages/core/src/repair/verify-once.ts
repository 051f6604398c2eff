// The checks of a task on one program, without a model and without a loop: for agents that own their own loop.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { DEFAULT_BUDGET } from '../contract/budget.js'
import type { Candidate } from '../contract/candidate.js'
import { MendloopError } from '../contract/errors.js'
import type { ExecutionResult } from '../contract/execution.js'
import { abortSignalSchema } from '../contract/foreign-values.js'
import type { NamedVerdict } from '../contract/loop.js'
import { parseOptions } from '../contract/options.js'
import type { SandboxProvider } from '../contract/sandbox.js'
import type { Failure } from '../contract/verify.js'
import { BudgetMeter } from '../engine/budget-meter.js'
import { RunEnd } from '../engine/run-end.js'
import { RunEvents } from '../engine/run-events.js'
import { RunScope } from '../engine/run-scope.js'
import { renderFeedback } from '../feedback/render-feedback.js'
import { JudgingLost, judgeCandidate } from './judge-candidate.js'
import { judgedFields, parseTask, type RepairTask } from './repair-task.js'

/** What {@link verifyOnce} needs. */
export interface VerifyOnceInput extends Omit<RepairTask, 'goal' | 'program' | 'entry' | 'note'> {
  /** The program. */
  candidate: Candidate
  /** Where it runs. */
  sandbox: SandboxProvider
  /** Aborting kills what runs. */
  signal?: AbortSignal
}

/** What the checks found. */
export interface VerifyOnceResult {
  /** True when every check passed. */
  readonly passed: boolean
  /** Each check's verdict; a held-out check did not run when a visible one failed. */
  readonly verdicts: readonly NamedVerdict[]
  /** What went wrong, visible checks only. */
  readonly failures: readonly Failure[]
  /** The run of the program itself, when a check asked for it. */
  readonly execution?: ExecutionResult
  /** Content of the `outputs` that were asked for. */
  readonly outputs: Readonly<Record<string, Uint8Array>>
  /** The text that a loop would send to the model; empty when everything passed. */
  readonly feedback: string
}

/** Schema of a program. */
export const candidateSchema: z.ZodType<Candidate> = z.strictObject({
  files: z.record(z.string().min(1), z.string()),
  entry: z.string().min(1),
})

/** Where programs run, and until when. */
export const placeFields = {
  sandbox: z.custom<SandboxProvider>(
    (value) => typeof (value as SandboxProvider | null)?.create === 'function',
    'must be a sandbox provider',
  ),
  signal: abortSignalSchema.optional(),
}

const inputSchema: z.ZodType<VerifyOnceInput> = z.strictObject({
  candidate: candidateSchema,
  ...placeFields,
  ...judgedFields,
})

/**
 * Runs every check on one program in one fresh sandbox.
 *
 * @throws MendloopError INVALID_OPTION, ISOLATION_UNAVAILABLE, SANDBOX_UNAVAILABLE when the sandbox was lost,
 * ABORTED when `signal` was aborted
 */
export async function verifyOnce(input: VerifyOnceInput): Promise<VerifyOnceResult> {
  const { sandbox: provider, signal, candidate, ...rest } = parseOptions(inputSchema, input, 'verifyOnce()')
  const { files, entry } = candidate
  // As a task it gets a task's checks: only the goal is of no use here.
  const task = parseTask({ ...rest, goal: 'verify', program: files, entry })
  const scope = new RunScope(new RunEvents(`verify-${randomUUID()}`), new BudgetMeter(DEFAULT_BUDGET), signal)
  try {
    scope.check()
    await using sandbox = await provider.create({
      ...(task.limits !== undefined && { limits: task.limits }),
      signal: scope.signal,
    })
    const { workdir, ...judgement } = await judgeCandidate(scope, sandbox, candidate, task)
    const feedback = judgement.passed ? '' : renderFeedback({ ...judgement, candidate, workdir, attempt: 1 })
    return { ...judgement, feedback }
  } catch (error) {
    if (error instanceof RunEnd)
      throw new MendloopError('ABORTED', 'The verification was aborted.', {
        details: { during: 'sandbox' },
        cause: signal?.reason,
      })
    if (error instanceof JudgingLost)
      throw new MendloopError('SANDBOX_UNAVAILABLE', `The sandbox was lost: ${error.message}`, {
        details: { sandbox: provider.id, reason: error.message },
        retryable: true,
        cause: error.cause,
      })
    throw error
  } finally {
    scope.dispose()
  }
}
