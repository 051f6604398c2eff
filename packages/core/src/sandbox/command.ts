// What a sandbox is asked to run, in its one explicit form.
import { z } from 'zod'
import { bytesSchema } from '../contract/foreign-values.js'
import { invalidOption, parseOptions } from '../contract/options.js'
import type { Command, CommandObject } from '../contract/sandbox.js'

const withoutNul = z.string().refine((text) => !text.includes('\0'), 'must not hold a NUL byte')

/** Shells drop variables with other names without a word, so they are refused with one. */
const environmentSchema: z.ZodType<Record<string, string>> = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be named with letters, digits and underscores'),
  withoutNul,
)

const commandSchema: z.ZodType<CommandObject> = z.strictObject({
  argv: z
    .array(withoutNul)
    .min(1, 'must name a program')
    .readonly()
    .refine((argv) => argv[0] !== '', 'must name a program'),
  cwd: z.string().optional(),
  env: environmentSchema.optional(),
  stdin: z.union([z.string(), bytesSchema]).optional(),
})

/**
 * Checks a command and brings it into the object form; a string becomes `/bin/sh -c`.
 *
 * @param owner - what the caller called, such as `exec()`
 * @throws MendloopError INVALID_OPTION
 */
export function toCommandObject(command: Command, owner: string): CommandObject {
  if (command === '')
    throw invalidOption(owner, 'command', 'must not be empty', { expected: 'a command', received: '""' })
  if (typeof command === 'string')
    return parseOptions(commandSchema, { argv: ['/bin/sh', '-c', command] }, owner)
  return parseOptions(commandSchema, Array.isArray(command) ? { argv: command } : command, owner)
}

const environmentOptionSchema = z.strictObject({ env: environmentSchema })

/**
 * Checks variables for a program's environment.
 *
 * @throws MendloopError INVALID_OPTION
 */
export const parseEnvironment = (
  env: Readonly<Record<string, string>>,
  owner: string,
): Record<string, string> => parseOptions(environmentOptionSchema, { env }, owner).env
