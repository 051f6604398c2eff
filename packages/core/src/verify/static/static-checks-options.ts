// What a caller may ask of the static checks.
import { z } from 'zod'
import type { Candidate } from '../../contract/candidate.js'
import { abortSignalSchema, bytesSchema } from '../../contract/foreign-values.js'
import { withPlaces } from '../../contract/option-hints.js'
import type { Sandbox } from '../../contract/sandbox.js'

/** Which findings count, and who looks for them. */
export interface StaticChecksOptions {
  /**
   * Whether types are checked: `'auto'` where a checker is there; `true` likewise, and `tools` tells when there is none. Default:
   * `'auto'` for TypeScript, `false` for Python, whose programs often have no types.
   */
  types?: boolean | 'auto'
  /**
   * Comments such as `# noqa`, `# type: ignore` and `// @ts-ignore`. Default `'honoured'`; `'ignored'` is for programs whose
   * author would rather silence a tool than mend the program.
   */
  suppressions?: 'honoured' | 'ignored'
  /** Further codes that gate, such as `B006` or `union-attr`. */
  gate?: readonly string[]
  /** Codes that are not told at all. */
  ignore?: readonly string[]
  /** TypeScript's, as in a `tsconfig.json`; they go over the lenient ones here. */
  compilerOptions?: Readonly<Record<string, unknown>>
  /** Wall time of each tool, in milliseconds. Default 20 000. */
  timeoutMs?: number
}

/** One program to be checked. */
export interface StaticCheckInput {
  /** The program. */
  candidate: Candidate
  /** What it was made from; its findings are not told again. */
  previous?: Candidate
  /** Other files of the workspace that it may import, by path; nothing is told of them. */
  files?: Readonly<Record<string, string | Uint8Array>>
  /** Name of its language. Default: by the ending of its entry. */
  language?: string
  /** Where processes of tools run; the program itself never does. Default: only tools of this process are used. */
  sandbox?: Sandbox
  /** Ids of findings that have been told; they are left out. */
  told?: Iterable<string>
  /** Aborting ends the tool that runs. */
  signal?: AbortSignal
}

const codes = z.array(z.string().min(1, 'must not be empty')).readonly().optional()

/** The fields of {@link StaticChecksOptions}, for calls that take more beside them. */
export const staticOptionFields = {
  suppressions: z.enum(['honoured', 'ignored']).optional(),
  gate: codes,
  ignore: codes,
  compilerOptions: z.record(z.string(), z.unknown()).optional(),
  timeoutMs: z.int('must be a whole number').positive('must be more than 0').optional(),
}

const OF_THE_CHECK = 'it belongs to a check, as in checks.check({ candidate, '

/** Schema of {@link StaticChecksOptions}. */
export const staticChecksSchema: z.ZodType<StaticChecksOptions> = withPlaces(
  z.strictObject({ types: z.union([z.boolean(), z.literal('auto')]).optional(), ...staticOptionFields }),
  Object.fromEntries(
    ['sandbox', 'previous', 'language', 'told', 'signal'].map((field) => [
      field,
      `${OF_THE_CHECK}${field} })`,
    ]),
  ),
)

/** Schema of a program. */
export const candidateSchema: z.ZodType<Candidate> = z.strictObject({
  files: z.record(z.string().min(1), z.string()),
  entry: z.string().min(1, 'must not be empty'),
})

/** Schema of other files. */
export const filesSchema: z.ZodType<Readonly<Record<string, string | Uint8Array>>> = z.record(
  z.string().min(1),
  z.union([z.string(), bytesSchema], 'must be a text or bytes'),
)

/** Schema of {@link StaticCheckInput}. */
export const staticCheckSchema: z.ZodType<StaticCheckInput> = z.strictObject({
  candidate: candidateSchema,
  previous: candidateSchema.optional(),
  files: filesSchema.optional(),
  language: z.string().min(1, 'must not be empty').optional(),
  sandbox: z
    .custom<Sandbox>(
      (value) => typeof (value as Sandbox | null)?.exec === 'function',
      'must be a sandbox, as `await provider.create()` opens one',
    )
    .optional(),
  told: z
    .custom<Iterable<string>>(
      (value) => typeof (value as Iterable<string> | null)?.[Symbol.iterator] === 'function',
      'must be a list or a set of ids',
    )
    .optional(),
  signal: abortSignalSchema.optional(),
})
