// Strict schemas of what a caller may ask of a sandbox.
import { z } from 'zod'
import { environmentSchema } from './environment-schema.js'
import { abortSignalSchema } from './foreign-values.js'
import { withPlaces } from './option-hints.js'
import type { ExecOptions, Limits, NetworkPolicy, OutputChunk, SandboxOptions } from './sandbox.js'

const positiveInteger = z.int('must be a whole number').positive('must be more than 0')

/** Schema of a full or partial set of limits. */
export const limitsSchema: z.ZodType<Partial<Limits>> = z.strictObject({
  wallMs: positiveInteger.optional(),
  cpuMs: positiveInteger.optional(),
  memoryBytes: positiveInteger.optional(),
  processes: positiveInteger.optional(),
  openFiles: positiveInteger.optional(),
  fileBytes: positiveInteger.optional(),
  diskBytes: positiveInteger.optional(),
  outputBytes: z.int().min(1024, 'must be at least 1024').optional(),
  totalOutputBytes: positiveInteger.optional(),
})

const notPolicy: z.core.$ZodErrorMap = ({ code }) =>
  code === 'invalid_type' ? "must be an object such as { mode: 'none' }" : undefined

/** Schema of {@link NetworkPolicy}. */
export const networkPolicySchema: z.ZodType<NetworkPolicy> = z.discriminatedUnion(
  'mode',
  [
    z.strictObject({ mode: z.literal('none') }),
    z.strictObject({ mode: z.literal('all') }),
    z.strictObject({ mode: z.literal('allow'), hosts: z.array(z.string().min(1)).readonly() }),
  ],
  { error: notPolicy },
)

/** Schema of {@link SandboxOptions}. */
export const sandboxOptionsSchema: z.ZodType<SandboxOptions> = z.strictObject({
  limits: limitsSchema.optional(),
  network: networkPolicySchema.optional(),
  env: environmentSchema.optional(),
  signal: abortSignalSchema.optional(),
})

/** The fields of {@link ExecOptions}, for calls that take more beside them. */
export const execOptionFields = {
  limits: limitsSchema.optional(),
  signal: abortSignalSchema.optional(),
  onOutput: z
    .custom<(chunk: OutputChunk) => void>((value) => typeof value === 'function', 'must be a function')
    .optional(),
}

const ofTheCommand = (field: string): string =>
  `it belongs to the command, as in { argv: ['python3', 'main.py'], ${field} }`

/** Words that follow a program, as other libraries take them, are no options. */
const notOptions: z.core.$ZodErrorMap = ({ code, input }) => {
  if (code !== 'invalid_type') return undefined
  return Array.isArray(input)
    ? "options must be an object; the words of a command are one list, as in ['ls', '-l']"
    : 'options must be an object'
}

/** Schema of {@link ExecOptions}. */
export const execOptionsSchema: z.ZodType<ExecOptions> = withPlaces(
  z.strictObject(execOptionFields, { error: notOptions }),
  {
    argv: ofTheCommand('cwd, env, stdin'),
    cwd: ofTheCommand('cwd'),
    env: ofTheCommand('env'),
    stdin: ofTheCommand('stdin'),
  },
)
