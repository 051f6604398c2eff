// The program runs to its end and exits with code 0.
import { z } from 'zod'
import type { ExecutionResult } from '../contract/execution.js'
import { parseOptions } from '../contract/options.js'
import type { Verdict, Verifier, VerifyContext } from '../contract/verify.js'
import { diagnose } from '../language/diagnose.js'
import { newFailure, notRun } from './new-failure.js'

/** How {@link exitsCleanly} should be named. */
export interface ExitsCleanlyOptions {
  /** Name of the verifier. Default `exits cleanly`. */
  readonly name?: string
  /** Default `visible`. */
  readonly visibility?: 'visible' | 'held-out'
}

const optionsSchema: z.ZodType<ExitsCleanlyOptions> = z.strictObject({
  name: z.string().min(1, 'must not be empty').optional(),
  visibility: z.enum(['visible', 'held-out']).optional(),
})

/**
 * Passes when the candidate's program ends by itself with exit code 0.
 *
 * The program alone decides, so `integrity` is `shared`: a program that does nothing, or leaves early with
 * `sys.exit(0)`, exits cleanly too. Put a check of what it does beside it.
 *
 * @throws MendloopError INVALID_OPTION
 */
export function exitsCleanly(options: ExitsCleanlyOptions = {}): Verifier {
  const parsed = parseOptions(optionsSchema, options, 'exitsCleanly()')
  const { name = 'exits cleanly', visibility = 'visible' } = parsed
  return {
    name,
    visibility,
    async verify(context) {
      return (
        uncleanVerdict(await context.run(), context) ?? { status: 'pass', integrity: 'shared', failures: [] }
      )
    },
  }
}

/** The verdict on a program that did not end by itself with exit code 0; undefined when it did. */
export function uncleanVerdict(execution: ExecutionResult, context: VerifyContext): Verdict | undefined {
  const { outcome } = execution
  if (outcome.kind === 'exit' && outcome.code === 0) return undefined
  if (outcome.kind === 'lost')
    return notRun('shared', `The sandbox was lost: ${outcome.cause}`, { lost: outcome.cause })
  if (outcome.kind === 'aborted') return notRun('shared', 'The program was aborted before its end.')
  const { candidate, language } = context
  const failures = diagnose(execution, { language, candidate })
  const said = outcome.kind === 'exit' ? `exit code ${outcome.code}` : outcome.kind
  return {
    status: 'fail',
    integrity: 'shared',
    failures:
      failures.length > 0
        ? failures
        : [newFailure({ kind: 'exception', message: `The program did not exit cleanly: ${said}.` })],
  }
}
