// Verdicts that are not a check's own: what it cannot have meant, and what was never asked.
import type { NamedVerdict } from '../contract/loop.js'
import type { Failure, TestReport, Verdict, Verifier } from '../contract/verify.js'
import { newFailure, notRun } from '../verify/new-failure.js'

/** A custom verifier is somebody's function: an answer that is no verdict has passed nothing. */
export function asVerdict(value: unknown, { name }: Verifier): Verdict {
  const verdict = value as Partial<Verdict> | null | undefined
  const status = verdict?.status
  if (
    verdict === null ||
    verdict === undefined ||
    (status !== 'pass' && status !== 'fail' && status !== 'not-run')
  )
    return notRun(
      'shared',
      `The check "${name}" returned no verdict: its status must be pass, fail or not-run.`,
    )
  const failures = listOf<Failure>(verdict.failures, (one) => typeof one.message === 'string')
  const tests = listOf<TestReport>(verdict.tests, (one) => typeof one.name === 'string')
  if (failures === undefined || tests === undefined)
    return notRun('shared', `The check "${name}" returned failures or tests that are no lists of such.`)
  if (verdict.status === 'pass' && (failures.length > 0 || tests.some(({ status }) => status === 'fail')))
    return notRun('shared', `The check "${name}" says pass and reports failures; that is not a pass.`)
  // A check of somebody's own may leave the kind and the fingerprint to us.
  const explained =
    verdict.status === 'pass' || failures.length > 0
      ? failures.map((failure) => newFailure({ ...failure, kind: failure.kind ?? 'custom' }))
      : [
          newFailure({
            kind: 'custom',
            message: `The check "${name}" ${verdict.status === 'fail' ? 'failed' : 'did not run'}.`,
          }),
        ]
  return {
    integrity: 'shared',
    ...verdict,
    status,
    failures: explained,
    ...(verdict.tests !== undefined && { tests }),
  }
}

/** True for the failure of a check that gave none. */
export const saysNothing = ({ kind, message }: Failure): boolean =>
  kind === 'custom' && /^The check ".*" (?:failed|did not run)\.$/su.test(message)

/** The list, empty when there is none; undefined when it holds something else. */
function listOf<T extends object>(value: unknown, isOne: (one: Partial<T>) => boolean): T[] | undefined {
  if (value === undefined) return []
  if (!Array.isArray(value)) return undefined
  const all = value.every(
    (one: unknown) => typeof one === 'object' && one !== null && isOne(one as Partial<T>),
  )
  return all ? value : undefined
}

/** The verdict of a check that was not started. */
export const notAskedFor = ({ name, visibility }: Verifier): NamedVerdict => ({
  name,
  visibility,
  status: 'not-run',
  integrity: 'shared',
  failures: [],
})

/** The verdict on a program that makes its own check impossible. */
export const inTheWay = (): Verdict => ({
  status: 'fail',
  integrity: 'separate',
  failures: [
    newFailure({
      kind: 'denied',
      message:
        'The program put a folder or a link where its own files or its inputs belong, so that it cannot be checked.',
    }),
  ],
})
