// What a runner may be asked to have ready.
import { z } from 'zod'
import type { RunnerPreparation } from '../../contract/fork-runner.js'

const MODULE = /^[^\W\d]\w*(\.[^\W\d]\w*)*$/u
const NO_MODULE = 'must be a name that Python imports, such as "sklearn" for the package scikit-learn'

/** Packages to load ahead. */
export const preloadSchema: z.ZodType<readonly string[]> = z
  .array(z.string().regex(MODULE, NO_MODULE), 'must be a list of modules, such as ["pandas"]')
  .readonly()

export const preparationSchema: z.ZodType<RunnerPreparation> = z.strictObject({
  preload: preloadSchema.optional(),
  spares: z.int().nonnegative('must not be negative').max(64, 'must be at most 64').optional(),
})
