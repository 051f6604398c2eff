// Several checks as one. A check that did not run is neither a pass nor the program's failure, in any combination.
import { z } from 'zod'
import { inWords } from '../contract/foreign-values.js'
import { invalidOption, parseOptions } from '../contract/options.js'
import type { TestReport, Verdict, Verifier, VerifyContext } from '../contract/verify.js'
import { notRun } from './new-failure.js'
import { namedFields } from './shared-options.js'

/** How a combination of checks should be called. */
export interface CombinedOptions {
  /** Name of the verifier. Default: the names of its checks with a word between them. */
  readonly name?: string
  /** Default: `held-out` when one of its checks is, else `visible`. */
  readonly visibility?: 'visible' | 'held-out'
}

const optionsSchema: z.ZodType<CombinedOptions> = z.strictObject(namedFields)

/** A verdict with the name of its check. */
interface Part {
  readonly name: string
  readonly verdict: Verdict
}

/**
 * Passes when every check passes. All of them run.
 *
 * Fails when one fails; `not-run` when none fails and one did not run. The score is the mean of theirs. A check is shown the
 * candidate's files as they were handed in; what an earlier one did to other files of the workspace stays.
 *
 * @throws MendloopError INVALID_OPTION, also for a visible combination of held-out checks
 */
export function allOf(verifiers: readonly Verifier[], options: CombinedOptions = {}): Verifier {
  return combined('allOf()', ' and ', verifiers, options, async (parts) => {
    const all: Part[] = []
    for await (const part of parts) all.push(part)
    const failed = all.filter(({ verdict }) => verdict.status === 'fail')
    const open = all.filter(({ verdict }) => verdict.status === 'not-run')
    if (failed.length > 0) return merged('fail', all, failed)
    return open.length > 0 ? merged('not-run', all, open) : merged('pass', all, [])
  })
}

/**
 * Passes when one check passes; those after it are not run.
 *
 * Without a pass it is `not-run` when one did not run, since that might have passed, and fails when all failed.
 *
 * @throws MendloopError INVALID_OPTION, also for a visible combination of held-out checks
 */
export function anyOf(verifiers: readonly Verifier[], options: CombinedOptions = {}): Verifier {
  return combined('anyOf()', ' or ', verifiers, options, async (parts) => {
    const all: Part[] = []
    for await (const part of parts) {
      // Only what passed decides, and counts.
      if (part.verdict.status === 'pass') return merged('pass', [part], [])
      all.push(part)
    }
    const open = all.filter(({ verdict }) => verdict.status === 'not-run')
    return open.length > 0 ? merged('not-run', all, open) : merged('fail', all, all)
  })
}

/**
 * Runs the checks in order and stops at the first that does not pass, whose verdict is then the whole's: cheap checks first.
 *
 * @throws MendloopError INVALID_OPTION, also for a visible combination of held-out checks
 */
export function inSequence(verifiers: readonly Verifier[], options: CombinedOptions = {}): Verifier {
  return combined('inSequence()', ', then ', verifiers, options, async (parts) => {
    const all: Part[] = []
    for await (const part of parts) {
      all.push(part)
      const { status } = part.verdict
      if (status === 'pass') continue
      const whole = merged(status, all, [part])
      return { ...whole, score: ((whole.score ?? 0) * all.length) / verifiers.length }
    }
    return merged('pass', all, [])
  })
}

function combined(
  owner: string,
  word: string,
  verifiers: readonly Verifier[],
  options: CombinedOptions,
  decide: (parts: AsyncIterable<Part>) => Promise<Verdict>,
): Verifier {
  const parsed = parseOptions(optionsSchema, options, owner)
  requireVerifiers(owner, verifiers)
  const checks = [...verifiers]
  const hidden = checks.find(({ visibility }) => visibility === 'held-out')
  const { name = checks.map((one) => one.name).join(word) } = parsed
  const { visibility = hidden === undefined ? 'visible' : 'held-out' } = parsed
  if (hidden !== undefined && visibility === 'visible')
    throw invalidOption(owner, 'visibility', 'would show a check that is held out', {
      expected: 'held-out, since one of its checks is',
      received: `visible, with "${hidden.name}"`,
    })
  return { name, visibility, verify: (context) => decide(verdicts(checks, context)) }
}

function requireVerifiers(owner: string, verifiers: unknown): asserts verifiers is readonly Verifier[] {
  const isOne = (one: unknown): boolean => typeof (one as Partial<Verifier> | null)?.verify === 'function'
  if (!Array.isArray(verifiers) || verifiers.length === 0 || !verifiers.every(isOne))
    throw invalidOption(owner, 'verifiers', 'must be a list of at least one check', {
      expected: 'verifiers, such as [exitsCleanly()]',
      received: Array.isArray(verifiers) ? `a list of ${verifiers.length}` : typeof verifiers,
    })
}

/** Runs one check after another, as far as somebody asks for the next. */
async function* verdicts(checks: readonly Verifier[], context: VerifyContext): AsyncGenerator<Part> {
  for (const [index, check] of checks.entries()) {
    // What ran before may have rewritten the program.
    if (index > 0) await context.sandbox.files.write(context.candidate.files)
    yield { name: check.name, verdict: await verdictOf(check, context) }
  }
}

/** What a check says; one that throws or answers nonsense did not run. */
export async function verdictOf(check: Verifier, context: VerifyContext): Promise<Verdict> {
  try {
    const verdict: Verdict | undefined = await check.verify(context)
    const isVerdict =
      verdict !== undefined && verdict !== null && ['pass', 'fail', 'not-run'].includes(verdict.status)
    if (!isVerdict) return notRun('shared', `The check "${check.name}" returned no verdict.`)
    const contradicts = verdict.status === 'pass' && (verdict.failures?.length ?? 0) > 0
    return contradicts
      ? notRun('shared', `The check "${check.name}" says pass and reports failures.`)
      : verdict
  } catch (error) {
    return notRun('shared', `The check "${check.name}" threw: ${inWords(error)}`)
  }
}

/** One verdict of many; `telling` are those whose failures are told. */
function merged(status: Verdict['status'], all: readonly Part[], telling: readonly Part[]): Verdict {
  const scores = all.map(({ verdict }) => verdict.score ?? (verdict.status === 'pass' ? 1 : 0))
  const tests = all.flatMap(({ name, verdict }) => testsOf(name, verdict, all.length > 1))
  const weak = all.reduce((sum, { verdict }) => sum + (verdict.weakComparisons ?? 0), 0)
  const reason = telling.find(({ verdict }) => verdict.reason !== undefined)?.verdict.reason
  const lost = all.find(({ verdict }) => verdict.lost !== undefined)?.verdict.lost
  const misuse = all.find(({ verdict }) => verdict.misuse !== undefined)?.verdict.misuse
  return {
    status,
    integrity: all.every(({ verdict }) => verdict.integrity === 'separate') ? 'separate' : 'shared',
    score: scores.reduce((sum, one) => sum + one, 0) / scores.length,
    ...(tests.length > 0 && { tests }),
    failures: telling.flatMap(({ verdict }) => verdict.failures ?? []),
    ...(weak > 0 && { weakComparisons: weak }),
    ...(reason !== undefined && { reason }),
    ...(lost !== undefined && { lost }),
    ...(misuse !== undefined && { misuse }),
  }
}

/** Tests under the name of their check, and a check without tests as one. */
function testsOf(
  name: string,
  { tests, status, rerun }: Verdict,
  isOneOfMany: boolean,
): readonly TestReport[] {
  if (tests === undefined || tests.length === 0)
    return [{ name, status, ...(rerun?.kind === 'flaky' && { flaky: true }) }]
  return isOneOfMany ? tests.map((test) => ({ ...test, name: `${name}: ${test.name}` })) : tests
}
