// What a sandbox is asked to run, in its one explicit form.
import { z } from 'zod'
import { environmentSchema, passableTextSchema } from '../contract/environment-schema.js'
import { inputSchema } from '../contract/foreign-values.js'
import { withPlaces } from '../contract/option-hints.js'
import { invalidOption, parseOptions } from '../contract/options.js'
import type { Command, CommandObject } from '../contract/sandbox.js'

/** A command that was checked. */
export interface CheckedCommand extends CommandObject {
  /** Further variables, none of them undefined. */
  readonly env?: Readonly<Record<string, string>>
}

const ONE_LIST = "program and arguments are one list, as in { argv: ['ls', '-l'] }"

const commandSchema: z.ZodType<CheckedCommand> = withPlaces(
  z.strictObject(
    {
      argv: z
        .array(passableTextSchema)
        .min(1, 'must name a program')
        .readonly()
        .refine((argv) => argv[0] !== '', 'must name a program'),
      cwd: z.string().optional(),
      env: environmentSchema.optional(),
      stdin: inputSchema.optional(),
    },
    "the command must be text for the shell, a list of words, or an object such as { argv: ['ls', '-l'] }",
  ),
  Object.fromEntries(
    ['args', 'arguments', 'cmd', 'command', 'file', 'program'].map((key) => [key, ONE_LIST]),
  ),
)

/**
 * Checks a command and brings it into the object form; a string becomes `/bin/sh -c`.
 *
 * @param owner - what the caller called, such as `exec()`
 * @throws MendloopError INVALID_OPTION
 */
export function toCommandObject(command: Command, owner: string): CheckedCommand {
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
 * @param env - a plain object or `process.env`
 * @returns those that are not undefined
 * @throws MendloopError INVALID_OPTION
 */
export const parseEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
  owner: string,
): Record<string, string> => parseOptions(environmentOptionSchema, { env }, owner).env
