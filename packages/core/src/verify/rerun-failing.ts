// A check that is run again when it fails, on the same program, to tell a flaky test from a wrong program.
import { z } from 'zod'
import { invalidOption, parseOptions } from '../contract/options.js'
import type { Failure, Rerun, TestReport, Verdict, Verifier } from '../contract/verify.js'
import { verdictOf } from './combinators.js'
import { namedFields } from './shared-options.js'

/** How a failing check should be run again. */
export interface RerunFailingOptions {
  /** How many more runs a failing check gets at most, 1 to 20. Default 2. Each costs as much as the first. */
  readonly times?: number
  /**
   * What a check counts as that is flaky. `fail` (default): it fails, and the verdict says that it is flaky. `pass`: it passes
   * when one whole run passed; a program that is right only now and then passes too, so it has to be asked for.
   */
  readonly flaky?: 'fail' | 'pass'
  /** Name of the verifier. Default: that of the check. */
  readonly name?: string
  /** Default: that of the check. */
  readonly visibility?: 'visible' | 'held-out'
}

const TIMES = 'must be a whole number from 1 to 20'
const optionsSchema: z.ZodType<RerunFailingOptions> = z.strictObject({
  times: z.int(TIMES).min(1, TIMES).max(20, TIMES).optional(),
  flaky: z.enum(['fail', 'pass']).optional(),
  ...namedFields,
})

/**
 * Runs `verifier`, and when it fails runs it again on the same program, before an attempt is spent on what may be no fault
 * of the program's. For each run the workspace is put back to what was handed in, and a program that had run runs anew.
 *
 * The verdict says in `rerun` what came of it: `deterministic` when the same tests failed in every run, `flaky` when a run
 * passed or other tests failed. Of a check without single tests the kinds of its failures are compared. A test that passed in one run
 * and failed in another has `flaky: true` and counts as failed, and failures of every run are told. Runs end as soon as
 * the class is known, and with `flaky: 'pass'` as soon as one passed. A run that did not decide is not counted; when no further run
 * decided, the first verdict stands as it was.
 *
 * @throws MendloopError INVALID_OPTION, also for a visible form of a held-out check
 */
export function rerunFailing(verifier: Verifier, options: RerunFailingOptions = {}): Verifier {
  const owner = 'rerunFailing()'
  const parsed = parseOptions(optionsSchema, options, owner)
  if (typeof (verifier as Partial<Verifier> | null | undefined)?.verify !== 'function')
    throw invalidOption(owner, 'verifier', 'must be a check', {
      expected: 'a verifier, such as pytestTests({ … })',
      received: verifier === null ? 'null' : typeof verifier,
    })
  const { times = 2, flaky = 'fail', name = verifier.name, visibility = verifier.visibility } = parsed
  if (verifier.visibility === 'held-out' && visibility === 'visible')
    throw invalidOption(owner, 'visibility', 'would show a check that is held out', {
      expected: 'held-out, since the check is',
      received: `visible, with "${verifier.name}"`,
    })
  return {
    name,
    visibility,
    async verify(context) {
      const first = await verdictOf(verifier, context)
      if (first.status !== 'fail') return first
      const decided = [first]
      for (let left = times; left > 0 && !isSettled(decided, flaky); left--) {
        if ((await context.restore?.()) !== true) break
        const verdict = await verdictOf(verifier, context)
        // Nobody's fault, or nobody's to mend here: whoever runs the checks has to know.
        if (verdict.lost !== undefined || verdict.misuse !== undefined) return verdict
        if (verdict.status !== 'not-run') decided.push(verdict)
      }
      return classed(decided, flaky)
    },
  }
}

/** Whether another run could not change what is said. */
function isSettled(runs: readonly Verdict[], flaky: 'fail' | 'pass'): boolean {
  return flaky === 'pass' ? runs.some(hasPassed) : kindOf(runs) === 'flaky'
}

const hasPassed = ({ status }: Verdict): boolean => status === 'pass'

function kindOf(runs: readonly Verdict[]): Rerun['kind'] {
  return new Set(runs.map(signature)).size > 1 ? 'flaky' : 'deterministic'
}

/** What failed: names of tests, or without any the sorts of failures. */
function signature(verdict: Verdict): string {
  if (hasPassed(verdict)) return 'pass'
  const failures = verdict.failures ?? []
  const named = [...failing(verdict), ...failures.flatMap(({ test }) => test ?? [])]
  const parts = named.length > 0 ? named : failures.map(({ kind }) => kind)
  return JSON.stringify([named.length > 0, ...[...new Set(parts)].sort()])
}

const failing = ({ tests = [] }: Verdict): readonly string[] =>
  tests.filter(({ status }) => status === 'fail').map(({ name }) => name)

/** One verdict of the runs, of which the first failed. */
function classed(runs: readonly Verdict[], flaky: 'fail' | 'pass'): Verdict {
  const [first] = runs as [Verdict]
  if (runs.length === 1) return first
  const rerun: Rerun = { kind: kindOf(runs), runs: runs.length, passed: runs.filter(hasPassed).length }
  const passed = flaky === 'pass' ? runs.find(hasPassed) : undefined
  if (passed !== undefined) return { ...passed, ...testsOf(passed, runs), rerun }
  if (rerun.kind === 'deterministic') return { ...first, rerun }
  const tests = testsOf(first, runs).tests?.map((one) =>
    one.flaky === true ? { ...one, status: 'fail' as const } : one,
  )
  return { ...first, ...(tests !== undefined && { tests }), failures: failuresOf(runs), rerun }
}

/** The tests of a run, marked where they passed in one and failed in another. */
function testsOf({ tests }: Verdict, runs: readonly Verdict[]): Pick<Verdict, 'tests'> {
  if (tests === undefined) return {}
  const outcomes = (status: TestReport['status']): Set<string> =>
    new Set(runs.flatMap((run) => run.tests ?? []).flatMap((one) => (one.status === status ? one.name : [])))
  const [passed, failed] = [outcomes('pass'), outcomes('fail')]
  return {
    tests: tests.map((one) => (passed.has(one.name) && failed.has(one.name) ? { ...one, flaky: true } : one)),
  }
}

/** Those of every run, each sort once, the first run's in front. */
function failuresOf(runs: readonly Verdict[]): readonly Failure[] {
  const all = new Map<string, Failure>()
  // A check of somebody's own may leave the fingerprint to us.
  for (const failure of runs.flatMap(({ failures }) => failures ?? []))
    if (!all.has(failure.fingerprint ?? failure.message))
      all.set(failure.fingerprint ?? failure.message, failure)
  return [...all.values()]
}
