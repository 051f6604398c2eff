// Functions of the application that code in a session may call: named, typed, bounded.
import { z } from 'zod'
import { invalidOption, parseOptions } from '../../contract/options.js'
import type { WorkspaceFiles } from '../../contract/workspace-files.js'
import { type CheckedValue, checkBy, type HostSchema, hostSchemaSchema, jsonSchemaOf } from './host-schema.js'

/** What a handler is given besides its input. */
export interface HostCallContext {
  /** Aborted when nobody waits for the answer any longer: its time is up, or the session has ended. */
  readonly signal: AbortSignal
  /** The workspace of the code that calls: an answer may be written there, and its path returned. */
  readonly files: WorkspaceFiles
}

/** A function as the application defines it. */
export interface HostFunctionDefinition<Input, Output> {
  /** What it does, for the model to read. */
  description: string
  /** What it takes: a zod 4 schema, or one like it. What does not fit is refused before the handler is called. */
  input: HostSchema<Input>
  /** What it gives. Default: any plain data. */
  output?: HostSchema<Output>
  /** Does it. What it returns is plain data; a `Uint8Array` in it arrives as bytes. */
  handler(input: Input, context: HostCallContext): Output | Promise<Output>
  /** Longest time for one call, in milliseconds. Default 30 000. */
  timeoutMs?: number
  /** Most calls in one session. Default 10 000. */
  maxCalls?: number
  /** Most calls within one second. Default 100. */
  maxCallsPerSecond?: number
  /** Longest input as JSON, in bytes. Default 1 MiB. */
  maxInputBytes?: number
  /** Longest answer as JSON, in bytes. Default 8 MiB. */
  maxOutputBytes?: number
}

/** A function that code in a session may call; made by {@link hostFunction}. */
export interface HostFunction {
  /** What it does. */
  readonly description: string
  /** JSON Schema of what it takes, for the model to read; `{}` where the library of the schema tells of none. */
  readonly inputSchema: unknown
  /** Its bounds. */
  readonly limits: HostFunctionLimits
  /** @internal Checks the input. */
  check(input: unknown): Promise<CheckedValue>
  /** @internal Calls the handler with a checked input and checks what it gives. */
  call(input: unknown, context: HostCallContext): Promise<CheckedValue>
}

/** Bounds of one host function. */
export interface HostFunctionLimits {
  /** Longest time for one call, in milliseconds. */
  readonly timeoutMs: number
  /** Most calls in one session. */
  readonly maxCalls: number
  /** Most calls within one second. */
  readonly maxCallsPerSecond: number
  /** Longest input as JSON, in bytes. */
  readonly maxInputBytes: number
  /** Longest answer as JSON, in bytes. */
  readonly maxOutputBytes: number
}

/** Functions by the name they are called by. */
export type HostFunctions = Readonly<Record<string, HostFunction>>

/** Thrown by a handler to tell the calling code why; the message of any other error stays in the application. */
export class HostCallError extends Error {
  /** Always `HostCallError`. */
  override readonly name = 'HostCallError'
}

const MIB = 1024 * 1024
const positive = z.int('must be a whole number').positive('must be more than 0')

const definitionSchema = z.strictObject({
  description: z.string().min(1),
  input: hostSchemaSchema,
  output: hostSchemaSchema.optional(),
  handler: z.custom<(input: unknown, context: HostCallContext) => unknown>(
    (value) => typeof value === 'function',
    'must be a function',
  ),
  timeoutMs: positive.default(30_000),
  maxCalls: positive.default(10_000),
  maxCallsPerSecond: positive.default(100),
  maxInputBytes: positive.max(16 * MIB, `must be at most ${16 * MIB}`).default(MIB),
  maxOutputBytes: positive.max(32 * MIB, `must be at most ${32 * MIB}`).default(8 * MIB),
})

/**
 * Defines a function that code in a session may call as `host.call(name, input)`.
 *
 * @throws MendloopError INVALID_OPTION
 */
export function hostFunction<Input, Output>(definition: HostFunctionDefinition<Input, Output>): HostFunction {
  const { description, input, output, handler, ...limits } = parseOptions(
    definitionSchema as z.ZodType<z.output<typeof definitionSchema>>,
    definition,
    'hostFunction()',
  )
  return {
    description,
    inputSchema: jsonSchemaOf(input),
    limits,
    check: (value) => checkBy(input, value),
    call: async (value, context) => {
      const answer = await handler(value, context)
      return output === undefined ? { value: answer } : checkBy(output, answer)
    },
  }
}

/**
 * A set of functions for a session, with their names checked.
 *
 * @throws MendloopError INVALID_OPTION for a name that is not 1 to 64 letters, digits, `_`, `-` or `.`
 */
export function createHostFunctions(functions: HostFunctions): HostFunctions {
  for (const [name, one] of Object.entries(functions)) {
    if (!/^[\w.-]{1,64}$/.test(name))
      throw invalidOption('createHostFunctions()', name, 'must be 1 to 64 letters, digits, "_", "-" or "."', {
        expected: 'a name',
        received: JSON.stringify(name.slice(0, 80)),
      })
    if (!isHostFunction(one))
      throw invalidOption('createHostFunctions()', name, 'must be made by hostFunction()', {
        expected: 'a host function',
        received: typeof one,
      })
  }
  return Object.freeze({ ...functions })
}

const isHostFunction = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'check' in value && 'call' in value && 'limits' in value
