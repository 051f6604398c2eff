// Where a repair run stands, as JSON data: out of a run, and back into the next one.
import { z } from 'zod'
import type { Spent } from '../contract/budget.js'
import { MendloopError } from '../contract/errors.js'
import type { Attempt, RunState } from '../contract/loop.js'
import type { ModelReply } from '../contract/model.js'
import type { Failure } from '../contract/verify.js'
import type { QuestionsState } from '../engine/questions.js'
import type { RepairTask } from './repair-task.js'

/** What is known of an attempt besides what it came to. */
export interface ToldWith {
  /** What the extraction mended or found odd in the reply. */
  readonly warnings: readonly string[]
  /** Path of the workspace, which feedback keeps from the model. */
  readonly workdir: string
  /** Values of local variables where it failed. */
  readonly locals?: Readonly<Record<string, string>>
  /** What a second reading found. */
  readonly diagnosis?: string
}

/** What a repair run remembers from turn to turn. */
export interface RepairProgress {
  /** Guards against a state being resumed with another task. */
  readonly goal: string
  readonly spent: Spent
  readonly attempts: readonly Attempt[]
  /** One line for each turn so far. */
  readonly turns: readonly string[]
  /** What the feedback on an attempt needs besides it, by its number. */
  readonly told: Readonly<Record<number, ToldWith>>
  /** Attempts so far when the run ended as stalled; 0 when it has not. */
  readonly stalledAt: number
  /** Ids of findings of static checks that have been told. */
  readonly findingsTold: readonly string[]
  /** What was wrong with a later reply that held no program. */
  readonly rejection?: Failure
  /** A reply that was paid for and not judged yet. */
  readonly pending?: ModelReply
  /** The best attempt's outputs, base64. */
  readonly outputs: Readonly<Record<string, string>>
  /** Absent in states from before a run could ask. */
  readonly questions?: QuestionsState
}

const attemptSchema = z.looseObject({
  attempt: z.number(),
  candidate: z.looseObject({ files: z.record(z.string(), z.string()), entry: z.string() }),
  verdicts: z.array(z.looseObject({ name: z.string(), status: z.string() })),
  failures: z.array(z.looseObject({ message: z.string() })),
  passed: z.boolean(),
})

const question = {
  id: z.string(),
  question: z.string(),
  recommended: z.string(),
  why: z.enum(['question', 'approval', 'escalation']),
}
const answered = z.looseObject({ ...question, answer: z.string(), by: z.enum(['person', 'default']) })

const progressSchema = z.looseObject({
  goal: z.string(),
  spent: z.looseObject({ attempts: z.number(), modelCalls: z.number(), wallMs: z.number() }),
  attempts: z.array(attemptSchema),
  turns: z.array(z.string()),
  stalledAt: z.number(),
  findingsTold: z.array(z.string()),
  told: z.record(z.string(), z.looseObject({ warnings: z.array(z.string()), workdir: z.string() })),
  outputs: z.record(z.string(), z.string()),
  pending: z.looseObject({ text: z.string(), toolCalls: z.array(z.looseObject({})) }).optional(),
  rejection: z.looseObject({ kind: z.string(), message: z.string() }).optional(),
  questions: z
    .looseObject({
      answered: z.array(answered),
      dropped: z.number(),
      open: z.looseObject(question).optional(),
      standing: answered.optional(),
    })
    .optional(),
})

/**
 * Reads a state back.
 *
 * @throws MendloopError RECORD_INVALID when it is no state of a repair run of this task
 */
export function parseRepairState(
  state: RunState,
  task: RepairTask,
): { runId: string; progress: RepairProgress } {
  const invalid = (reason: string): MendloopError =>
    new MendloopError('RECORD_INVALID', `This run state cannot be resumed: ${reason}.`, {
      details: { reason },
    })
  if (state?.version !== 1)
    throw invalid(`it has version ${String(state?.version)}, and this library reads version 1`)
  if (state.loop !== 'repair') throw invalid(`it is of a loop of kind "${state.loop}", not "repair"`)
  const parsed = progressSchema.safeParse(state.data)
  if (!parsed.success) throw invalid('its data is damaged')
  // The schema checks what would crash; a state is our own writing, handed through somebody's storage.
  const progress = parsed.data as unknown as RepairProgress
  if (progress.goal !== task.goal) throw invalid('it belongs to a task with another goal')
  return { runId: state.runId, progress }
}

/** A copy that shares nothing with the run and survives `JSON.stringify`. */
export function repairState(runId: string, progress: RepairProgress): RunState {
  return { version: 1, loop: 'repair', runId, data: JSON.parse(JSON.stringify(progress)) as unknown }
}
