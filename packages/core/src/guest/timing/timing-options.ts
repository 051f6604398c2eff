// What a comparison of times is asked for.
import { z } from 'zod'
import { abortSignalSchema } from '../../contract/foreign-values.js'
import { languageAmong } from '../../contract/language-names.js'

/** What is compared, and how. */
export interface CompareTimingsOptions {
  /** Language of the code, Python or JavaScript, by any usual name. */
  readonly language: 'python' | 'javascript' | (string & {})
  /** Name → code; at least two. The value of a last expression (in JavaScript: of code that is one) is its result. */
  readonly alternatives: Readonly<Record<string, string>>
  /** Code that runs before, untimed; its names are seen by every alternative. May import files of the workspace. */
  readonly setup?: string
  /** Samples of each alternative, each from a process of its own; 7 to 100. Default 9. */
  readonly repeats?: number
  /** Least time of one measurement, in milliseconds, 1 to 10 000; short code is run often enough to take it. Default 20. */
  readonly minTimeMs?: number
  /** Most time of one process, in milliseconds. Default 30 000. */
  readonly wallMs?: number
  /** Time nothing, and call it inconclusive, when the alternatives have different results. Default true. */
  readonly sameResult?: boolean
  /** Aborting ends the comparison. */
  readonly signal?: AbortSignal
}

/** The same with its defaults filled in. */
export interface CheckedTimingOptions extends CompareTimingsOptions {
  readonly language: 'python' | 'javascript'
  readonly setup: string
  readonly repeats: number
  readonly minTimeMs: number
  readonly wallMs: number
  readonly sameResult: boolean
}

const NAMES_AND_CODE = 'must be an object of names and their code, such as { loop: "…", builtin: "…" }'

/** Refuses what cannot be compared before any process starts. */
export const timingOptionsSchema: z.ZodType<CheckedTimingOptions> = z.strictObject({
  language: languageAmong(['python', 'javascript']),
  alternatives: z
    .record(z.string().min(1, 'it is empty'), z.string().regex(/\S/, 'must hold code, and is empty'), {
      error: ({ code }) => (code === 'invalid_type' ? NAMES_AND_CODE : undefined),
    })
    .refine((all) => Object.keys(all).length >= 2, 'must name at least two alternatives'),
  setup: z.string().default(''),
  repeats: z.int().min(7, 'must be at least 7').max(100, 'must be at most 100').default(9),
  minTimeMs: z.number().min(1, 'must be at least 1').max(10_000, 'must be at most 10000').default(20),
  wallMs: z.int('must be a whole number of milliseconds').positive('must be more than 0').default(30_000),
  sameResult: z.boolean().default(true),
  signal: abortSignalSchema.optional(),
})
