// What a caller may ask of the subprocess sandbox, and the refusal of what is not there.
import type { Limits, NetworkPolicy } from '@mendloop/core'
import { environmentSchema, limitsSchema, networkPolicySchema, parseOptions, z } from '@mendloop/core/adapter'

/** How strong the wall around a program is, from a new set of namespaces down to a plain child process. */
export type IsolationTier = 'namespaces' | 'landlock' | 'seatbelt' | 'process'

/** Options of `subprocess()`. */
export interface SubprocessOptions {
  /** The tier to use. Default `auto`: the strongest that this machine offers. */
  isolation?: 'auto' | IsolationTier
  /**
   * The weakest tier the caller accepts; below it `create()` throws ISOLATION_UNAVAILABLE. Default `landlock`
   * (`seatbelt` on a Mac). `process` stops accidents, not adversaries, so it has to be asked for by name.
   */
  minimum?: IsolationTier
  /** Limits of every execution; a sandbox or one execution may override them. */
  limits?: Partial<Limits>
  /** Variables that programs see besides the few safe ones. */
  env?: Readonly<Record<string, string | undefined>>
  /** Which addresses programs may reach. Default: whatever the tier can deny is denied; `guarantees.network` tells. */
  network?: NetworkPolicy
  /**
   * Time between SIGTERM and SIGKILL at a limit or an abort, in milliseconds. Default 0: SIGKILL at once, since a
   * program that hangs rarely cleans up and a deaf one only costs time.
   */
  killGraceMs?: number
  /** Absolute path of the Python interpreter. Default: what `python3` on PATH really starts. */
  python?: string
}

/** The same, checked. */
export interface CheckedSubprocessOptions extends SubprocessOptions {
  env?: Record<string, string>
}

const tierSchema = z.enum(['namespaces', 'landlock', 'seatbelt', 'process'])

const subprocessOptionsSchema: z.ZodType<CheckedSubprocessOptions> = z.strictObject({
  isolation: z.enum(['auto', 'namespaces', 'landlock', 'seatbelt', 'process']).optional(),
  minimum: tierSchema.optional(),
  limits: limitsSchema.optional(),
  env: environmentSchema.optional(),
  network: networkPolicySchema.optional(),
  killGraceMs: z.int().min(0).max(60_000).optional(),
  python: z
    .string()
    .refine((path) => path.startsWith('/') || process.platform === 'win32', 'must be an absolute path')
    .optional(),
})

/** Strictly parsed options. */
export const parseSubprocessOptions = (options: SubprocessOptions): CheckedSubprocessOptions =>
  parseOptions(subprocessOptionsSchema, options, 'subprocess()')

/** The weakest tier that is had without asking for it by name. */
export const defaultMinimum = (): IsolationTier => (process.platform === 'darwin' ? 'seatbelt' : 'landlock')
