// The front of the repair loop: options in, a loop out.
import { z } from 'zod'
import { type Budget, budgetSchema } from '../contract/budget.js'
import { environmentSchema } from '../contract/environment-schema.js'
import type { LoopHooks } from '../contract/hooks.js'
import {
  type Loop,
  type LoopRun,
  type RepairResult,
  type ResumeOptions,
  type RunState,
  resumeOptionsSchema,
  runOptionsSchema,
} from '../contract/loop.js'
import type { ModelAdapter } from '../contract/model.js'
import { invalidOption, parseOptions } from '../contract/options.js'
import type { Limits, NetworkPolicy, SandboxProvider } from '../contract/sandbox.js'
import { limitsSchema, networkPolicySchema } from '../contract/sandbox-schemas.js'
import { resolveBudget } from '../engine/budget-meter.js'
import { hooksSchema } from '../engine/hooks.js'
import { requireOpen } from '../engine/questions.js'
import type { StaticChecks } from '../verify/static/static-checks.js'
import type { QuestionOptions } from './question-in-reply.js'
import { RepairRun } from './repair-run.js'
import { parseRepairState } from './repair-state.js'
import { parseTask, type RepairTask } from './repair-task.js'

/** How a repair loop is made. */
export interface RepairLoopOptions {
  /** Who writes the programs. */
  model: ModelAdapter
  /** Where they run. */
  sandbox: SandboxProvider
  /** What each run may spend. Default: {@link DEFAULT_BUDGET}. */
  budget?: Partial<Budget>
  /** Limits of every execution; a task may override them. */
  limits?: Partial<Limits>
  /** Which addresses the programs may reach. Default: none, where the sandbox can deny it. */
  network?: NetworkPolicy
  /** Variables that the programs see. */
  env?: Readonly<Record<string, string | undefined>>
  /** Upper bound of each reply, in tokens. Default: the server's own. */
  maxOutputTokens?: number
  /** Sampling temperature. Default: the server's own. */
  temperature?: number
  /** Passed to the model's provider as it is. */
  providerOptions?: unknown
  /** Upper bound of the feedback after each attempt, in characters. Default 8000. */
  feedbackChars?: number
  /**
   * Reads each program before it is run, such as `staticChecks()`: one with a mistake that it is sure of is not run, which
   * saves its time and tells the model the line. Default: none.
   */
  staticChecks?: StaticChecks
  /**
   * Repeats after which a run ends as `stalled`: attempts that bring back an earlier program or an earlier failure, since
   * the last one that got further. The model is told of the first, and a program that comes back to the letter is not run
   * again; from the second repeat on it starts afresh. `false`: all is run, and only budgets end a run. Default 3.
   */
  stallAfter?: number | false
  /** What changes from the second repeat on, until an attempt gets further. Default: nothing but the fresh start. */
  onStall?: {
    /** Who is asked instead. */
    model?: ModelAdapter
    /** Sampling temperature instead. */
    temperature?: number
  }
  /**
   * Asks a model for the cause of a failure, in three sentences without code, and tells those instead of the program's
   * output. Each costs a call. `true`: as {@link DiagnosisOptions} has it. Default: nobody is asked.
   */
  diagnosis?: boolean | DiagnosisOptions
  /**
   * Lets the model ask before it writes, where the task can be read in several ways; an answer costs no attempt. `true`: as
   * {@link QuestionOptions} has it. Default: it may not ask.
   */
  questions?: boolean | QuestionOptions
  /** Functions that are asked before the loop goes on; they may change, deny or suspend. */
  hooks?: LoopHooks
}

/** When a second reading of a failure is asked for, and of whom. */
export interface DiagnosisOptions {
  /** Who is asked. Default: the loop's model. */
  model?: ModelAdapter
  /** Attempts that repeat an earlier one before it is asked for; 0: at every failed attempt. Default 1. */
  afterRepeats?: number
  /** Upper bound of the reply, in tokens. Default: the server's own. */
  maxOutputTokens?: number
}

const providerSchema = z.custom<SandboxProvider>(
  (value) => typeof (value as SandboxProvider | null)?.create === 'function',
  'must be a sandbox provider, such as subprocess() of @mendloop/sandbox-subprocess',
)

const modelSchema = z.custom<ModelAdapter>(
  (value) => typeof (value as ModelAdapter | null)?.generate === 'function',
  'must be a model adapter, such as openai({ model }) of @mendloop/llm-openai',
)

const optionsSchema: z.ZodType<RepairLoopOptions> = z.strictObject({
  model: modelSchema,
  sandbox: providerSchema,
  budget: budgetSchema.optional(),
  limits: limitsSchema.optional(),
  network: networkPolicySchema.optional(),
  env: environmentSchema.optional(),
  maxOutputTokens: z.int().positive().optional(),
  temperature: z.number().nonnegative().optional(),
  providerOptions: z.unknown().optional(),
  feedbackChars: z.int().min(1000, 'must be at least 1000').optional(),
  staticChecks: z
    .custom<StaticChecks>(
      (value) => typeof (value as StaticChecks | null)?.check === 'function',
      'must be static checks, such as staticChecks()',
    )
    .optional(),
  stallAfter: z
    .union([z.int().positive(), z.literal(false)], 'must be a whole number from 1 on, or false')
    .optional(),
  onStall: z
    .strictObject({ model: modelSchema.optional(), temperature: z.number().nonnegative().optional() })
    .optional(),
  diagnosis: z
    .union([
      z.boolean(),
      z.strictObject({
        model: modelSchema.optional(),
        afterRepeats: z.int().nonnegative().optional(),
        maxOutputTokens: z.int().positive().optional(),
      }),
    ])
    .optional(),
  questions: z
    .union([
      z.boolean(),
      z.strictObject({
        most: z.int().nonnegative().optional(),
        answerWithinMs: z.number().nonnegative().optional(),
      }),
    ])
    .optional(),
  hooks: hooksSchema.optional(),
})

const OWNER = 'createRepairLoop()'

/**
 * Makes a loop that asks a model for a program, runs the task's checks on it, tells the model what happened, and goes
 * on until every check passes or a budget ends.
 *
 * @throws MendloopError INVALID_OPTION
 * @example
 * ```ts
 * const loop = createRepairLoop({ model: openai({ model: 'gpt-5-mini' }), sandbox: subprocess() })
 * const result = await loop.run({ goal, language: 'python', verify: [pythonTests(tests)] })
 * ```
 */
export function createRepairLoop(options: RepairLoopOptions): Loop<RepairTask, RepairResult> {
  const settings = parseOptions(optionsSchema, options, OWNER)
  // Checked now, so that a budget that cannot be kept fails before anything is spent.
  resolveBudget(OWNER, settings.model, settings.budget)
  const diagnosing = typeof settings.diagnosis === 'object' ? settings.diagnosis.model : undefined
  for (const other of [settings.onStall?.model, diagnosing])
    if (other !== undefined) resolveBudget(OWNER, other, settings.budget)

  const begin = (
    task: RepairTask,
    runOptions: ResumeOptions,
    kept?: { readonly state: RunState },
  ): LoopRun<RepairResult> => {
    const parsedTask = parseTask(task)
    const schema: z.ZodType<ResumeOptions> = kept === undefined ? runOptionsSchema : resumeOptionsSchema
    const { signal, budget: own, answers } = parseOptions(schema, runOptions, 'run options')
    const budget = resolveBudget('run options', settings.model, settings.budget, own)
    if (budget.attempts === 0 && parsedTask.program === undefined && kept === undefined)
      throw invalidOption(
        'run options',
        'budget.attempts',
        'must be at least 1 for a task without a program',
        {
          expected: 'at least 1',
          received: '0',
          hint: 'with a program to start from, 0 judges it and asks no model',
        },
      )
    const resumed = kept && parseRepairState(kept.state, parsedTask)
    // All that may be refused is so by now: a run that was made has begun.
    requireOpen(answers ?? {}, resumed?.progress.questions)
    return new RepairRun({
      settings,
      task: parsedTask,
      budget,
      ...(signal !== undefined && { signal }),
      ...(resumed !== undefined && { resumed }),
      ...(answers !== undefined && { answers }),
    })
  }
  return {
    run: async (task, runOptions = {}) => begin(task, runOptions).result,
    start: (task, runOptions = {}) => begin(task, runOptions),
    resume: (task, state, runOptions = {}) => begin(task, runOptions, { state }),
  }
}
