// A repair loop as one tool of an agent: a description for its model, and a function that answers its calls.
import { z } from 'zod'
import { type Budget, budgetSchema } from '../contract/budget.js'
import { MendloopError } from '../contract/errors.js'
import { abortSignalSchema } from '../contract/foreign-values.js'
import type { Loop, RepairResult } from '../contract/loop.js'
import type { ToolSpec } from '../contract/model.js'
import { invalidOption, parseOptions } from '../contract/options.js'
import type { Verifier } from '../contract/verify.js'
import { languageOf } from '../language/languages.js'
import { parseTask, type RepairTask } from './repair-task.js'
import { answerOf, refusalOf } from './tool-answer.js'
import { type AcceptedInput, inputSchema, parametersOf, type ToolTask, taskOf } from './tool-input.js'

/** How a loop is offered as a tool. */
export interface AsToolOptions {
  /** Name of the tool: 1 to 64 letters, digits, `_` and `-`. Default `write_program`. */
  name?: string
  /** What the tool does, for the calling model. Default: a sentence with the language in it. */
  description?: string
  /** What the application decides: the language, its own checks, files, limits, … None of it can be changed by a call. */
  task: ToolTask
  /** What a call may hand in. Default: a goal and nothing else. */
  accept?: AcceptedInput
  /** Overrides of the loop's budget for each call. */
  budget?: Partial<Budget>
  /** Upper bound of the answer, in characters, at least 2000. Default 8000. */
  maxChars?: number
}

/** What a call of the tool came to. */
export interface LoopToolAnswer {
  /** `bad-input`: the call could not be used, nothing was run. */
  readonly status: RepairResult['status'] | 'bad-input'
  /** For the calling model: JSON with `status`, `summary` and, after a run, `cost`, `program` and `report`. */
  readonly text: string
  /** The whole result of the run, for the application. */
  readonly result?: RepairResult
}

/** A loop as a tool. */
export interface LoopTool {
  /** For the calling model. `parameters` is a JSON Schema that refuses further keys. */
  readonly spec: ToolSpec
  /**
   * Runs the loop for one call.
   *
   * @param input - the call's arguments, as text or decoded; text is mended where there is one reading
   * @param options - `signal`: aborting it ends the run, which then answers `aborted`
   * @throws MendloopError as `loop.run` does: for what the application has to mend, never for what a program or a call does
   */
  execute(
    input: string | Readonly<Record<string, unknown>>,
    options?: { signal?: AbortSignal },
  ): Promise<LoopToolAnswer>
}

const OWNER = 'asTool()'
const DEFAULT_MAX_CHARS = 8000

const optionsSchema: z.ZodType<AsToolOptions> = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"')
    .optional(),
  description: z.string().min(1, 'must not be empty').optional(),
  task: z.custom<ToolTask>((value) => typeof value === 'object' && value !== null, 'must be a task'),
  accept: z
    .strictObject({
      tests: z
        .custom<AcceptedInput['tests']>((value) => typeof value === 'function', 'must be a function')
        .optional(),
      files: z.boolean().optional(),
      program: z.boolean().optional(),
    })
    .optional(),
  budget: budgetSchema.optional(),
  maxChars: z.int().min(2000, 'must be at least 2000').optional(),
})

const executeSchema: z.ZodType<{ signal?: AbortSignal }> = z.strictObject({
  signal: abortSignalSchema.optional(),
})

/**
 * Offers a repair loop to another agent: the tool takes a goal and answers with a program that passed, or with what still
 * fails. The application decides on the language, the checks and what a call may hand in.
 *
 * @throws MendloopError INVALID_OPTION, PATH_REFUSED
 * @example
 * ```ts
 * const tool = asTool(loop, { task: { language: 'python' }, accept: { tests: pythonTests } })
 * const reply = await model.generate({ messages, tools: [tool.spec], signal })
 * for (const call of reply.toolCalls) {
 *   const { text } = await tool.execute(call.arguments, { signal })
 *   messages.push({ role: 'tool', toolCallId: call.id, content: text })
 * }
 * ```
 */
export function asTool(loop: Pick<Loop<RepairTask, RepairResult>, 'run'>, options: AsToolOptions): LoopTool {
  if (typeof (loop as Partial<typeof loop> | undefined)?.run !== 'function')
    throw invalidOption(OWNER, 'loop', 'must be a loop, such as one of createRepairLoop()', {
      expected: 'an object with a run function',
      received: loop === null ? 'null' : typeof loop,
    })
  const parsed = parseOptions(optionsSchema, options, OWNER)
  const { name = 'write_program', task, accept = {}, budget, maxChars = DEFAULT_MAX_CHARS } = parsed
  const language = requireTask(task, accept)
  const schema = inputSchema(task, accept)
  const spec: ToolSpec = {
    name,
    description: parsed.description ?? describe(language),
    parameters: parametersOf(schema),
  }
  return {
    spec,
    async execute(input, executeOptions = {}) {
      const { signal } = parseOptions(executeSchema, executeOptions, 'execute()')
      const asked = taskOf(input, { name, schema, task, accept })
      if ('problem' in asked) return refused(asked.problem)
      try {
        const result = await loop.run(asked.task, {
          ...(signal !== undefined && { signal }),
          ...(budget !== undefined && { budget }),
        })
        return { status: result.status, text: answerOf(result, maxChars), result }
      } catch (error) {
        // Tests that cannot be used, whatever the program, are the caller's where they are those it has handed in.
        const isOwn = asked.ownCheck !== undefined && MendloopError.is(error, 'INVALID_OPTION')
        if (isOwn && error.details.option === 'verify' && error.details.received === asked.ownCheck)
          return refused(error.message)
        throw error
      }
    },
  }
}

const refused = (problem: string): LoopToolAnswer => ({ status: 'bad-input', text: refusalOf(problem) })

const describe = (language: string): string =>
  `Writes a ${language} program for a goal, runs it in a sandbox and mends it until its checks pass. ` +
  'Answers with the program, or with what still fails.'

/** Checks the application's part now, so that what is wrong with it is nobody's fault later. */
function requireTask(task: ToolTask, { tests }: AcceptedInput): string {
  const verify = task.verify ?? []
  if (verify.length === 0 && tests === undefined)
    throw invalidOption(OWNER, 'task.verify', 'needs at least one check, or accept.tests', {
      expected: 'a check: without one nothing can be verified',
      received: 'none',
    })
  return languageOf(
    parseTask({ ...task, goal: 'any', verify: verify.length > 0 ? verify : [NO_CHECK] }).language,
  ).id
}

/** Stands in for the checks that calls bring along. */
const NO_CHECK: Verifier = {
  name: 'none',
  visibility: 'visible',
  verify: async () => ({ status: 'not-run', integrity: 'shared', failures: [] }),
}
