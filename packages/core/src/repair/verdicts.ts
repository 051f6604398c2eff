// Verdicts that are not a check's own: what it cannot have meant, and what was never asked.
import type { NamedVerdict } from '../contract/loop.js'
import type { Verdict, Verifier } from '../contract/verify.js'
import { newFailure, notRun } from '../verify/new-failure.js'

/** A custom verifier is somebody's function: an answer that is no verdict has passed nothing. */
export function asVerdict(value: unknown, { name }: Verifier): Verdict {
  const verdict = value as Partial<Verdict> | null | undefined
  const known = verdict?.status === 'pass' || verdict?.status === 'fail' || verdict?.status === 'not-run'
  if (!known)
    return notRun(
      'shared',
      `The check "${name}" returned no verdict: its status must be pass, fail or not-run.`,
    )
  const failures = Array.isArray(verdict?.failures) ? verdict.failures : []
  if (verdict.status === 'pass' && failures.length > 0)
    return notRun('shared', `The check "${name}" says pass and reports failures; that is not a pass.`)
  const explained =
    verdict.status === 'pass' || failures.length > 0
      ? failures
      : [
          newFailure({
            kind: 'custom',
            message: `The check "${name}" ${verdict.status === 'fail' ? 'failed' : 'did not run'}.`,
          }),
        ]
  return { integrity: 'shared', ...verdict, failures: explained } as Verdict
}

/** The verdict of a check that was not started. */
export const notAskedFor = ({ name, visibility }: Verifier): NamedVerdict => ({
  name,
  visibility,
  status: 'not-run',
  integrity: 'shared',
  failures: [],
})
