// The input of a loop that is offered as a tool: its schema for the calling model, and a call as a task.
import { z } from 'zod'
import { MendloopError } from '../contract/errors.js'
import { parseOptions } from '../contract/options.js'
import type { Verifier } from '../contract/verify.js'
import { decodeArguments } from '../reply/tool-arguments/decode-arguments.js'
import { toWorkspacePath } from '../sandbox/workspace-path.js'
import { isProtected } from './protected-files.js'
import { parseTask, type RepairTask } from './repair-task.js'

/** The application's part of a task. */
export type ToolTask = Omit<RepairTask, 'goal' | 'verify'> & Partial<Pick<RepairTask, 'verify'>>

/** What the calling model may hand in besides the goal. */
export interface AcceptedInput {
  /**
   * Makes a check of tests that the caller writes, such as {@link pythonTests}. They come on top of the task's own
   * checks, and are required where there are none. What it refuses with INVALID_OPTION is told to the caller.
   */
  tests?: (source: string) => Verifier
  /** Input files as text, by path. They never replace one of the task's. Default false. */
  files?: boolean
  /** A program to mend, by path, on top of the task's own. Default false. */
  program?: boolean
}

/** What a call holds. */
export interface ToolInput {
  readonly goal: string
  readonly tests?: string | undefined
  readonly files?: Readonly<Record<string, string>> | undefined
  readonly program?: Readonly<Record<string, string>> | undefined
}

/** Schema of what a call may hold. */
export function inputSchema(task: ToolTask, accept: AcceptedInput): z.ZodType<ToolInput> {
  const texts = z.record(z.string(), z.string())
  const tests = z.string().min(1).describe('Tests that the program has to pass, as source text.')
  const isRequired = (task.verify ?? []).length === 0
  const shape: Record<string, z.ZodType> = {
    goal: z.string().min(1).describe('What the program has to do. Its writer sees this text and no other.'),
    ...(accept.tests !== undefined && { tests: isRequired ? tests : tests.optional() }),
    ...(accept.files === true && { files: texts.optional().describe('Input files: path to text.') }),
    ...(accept.program === true && {
      program: texts.optional().describe('A program to mend: path to text.'),
    }),
  }
  return z.strictObject(shape) as unknown as z.ZodType<ToolInput>
}

/** The schema for a model, as JSON Schema. */
export function parametersOf(schema: z.ZodType<ToolInput>): Record<string, unknown> {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema)
  return parameters
}

/** A call as a task, or why it cannot be one. */
export type Asked =
  | { readonly task: RepairTask; readonly ownCheck: string | undefined }
  | { readonly problem: string }

/** A call as a task, or what is wrong with the call. */
export function taskOf(
  input: unknown,
  {
    name,
    schema,
    task,
    accept,
  }: { name: string; schema: z.ZodType<ToolInput>; task: ToolTask; accept: AcceptedInput },
): Asked {
  const subject = `The arguments of ${name}`
  const decoded =
    typeof input === 'string' ? decodeArguments(input, false) : ({ kind: 'data', value: input } as const)
  if (decoded.kind === 'unreadable') return { problem: `${subject} cannot be read: ${decoded.problem}.` }
  if (decoded.kind === 'text') return { problem: `${subject} must be a JSON object with a "goal".` }
  try {
    const { goal, tests, files, program } = parseOptions(schema, withoutNulls(decoded.value), subject)
    const taken = Object.keys(files ?? {}).find((path) => Object.hasOwn(task.files ?? {}, path))
    if (taken !== undefined)
      return { problem: `${subject}: the file ${JSON.stringify(taken)} is there already.` }
    const kept = Object.keys({ ...files, ...program })
      .filter((path) => !Object.hasOwn(task.program ?? {}, path))
      .find((path) => isKept(path, task))
    if (kept !== undefined)
      return {
        problem: `${subject}: the file ${JSON.stringify(kept)} is protected, and cannot be handed in.`,
      }
    const asked: RepairTask = {
      ...task,
      goal,
      verify: [
        ...(task.verify ?? []),
        ...(tests === undefined || !accept.tests ? [] : [accept.tests(tests)]),
      ],
      ...(files !== undefined && { files: { ...files, ...task.files } }),
      ...(program !== undefined && { program: { ...task.program, ...program } }),
    }
    // As it is called among the others.
    const named = parseTask(asked).verify.at(-1)?.name
    return { task: asked, ownCheck: tests === undefined ? undefined : named }
  } catch (error) {
    // The application's part was checked before, so that it is the call's.
    if (MendloopError.is(error, 'INVALID_OPTION') || MendloopError.is(error, 'PATH_REFUSED'))
      return { problem: error.message }
    throw error
  }
}

/** Under any spelling; a path that is none is refused with the task. */
function isKept(path: string, task: ToolTask): boolean {
  try {
    return isProtected(task)(toWorkspacePath(path))
  } catch {
    return false
  }
}

/** Models write `null` for what they leave out. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null))
}
