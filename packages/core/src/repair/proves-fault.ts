// A generated test counts only when the old program fails it, and for the right reason: not because the test is broken.
import { z } from 'zod'
import type { Candidate } from '../contract/candidate.js'
import { parseOptions } from '../contract/options.js'
import type { Failure, FailureKind, Verdict, Verifier } from '../contract/verify.js'
import { notRun } from '../verify/new-failure.js'
import { rerunFailing } from '../verify/rerun-failing.js'
import { judgedFields, verifierSchema } from './repair-task.js'
import { candidateSchema, placeFields, type VerifyOnceInput, verifyOnce } from './verify-once.js'

/** What {@link provesFault} needs. */
export interface ProvesFaultInput extends Omit<VerifyOnceInput, 'candidate' | 'verify' | 'outputs'> {
  /** The test that was generated. */
  test: Verifier
  /** The program as it is, with the fault. */
  program: Candidate
  /**
   * What every failure's message must hold, or match: such as `ZeroDivisionError`, when the fault is an exception. Default:
   * only assertions of the test, and what it says of output, are the right reason.
   */
  reason?: string | RegExp
  /** How many more times a failing test is run, to tell a fault from a flaky test; 1 to 20. Default 1. */
  times?: number
}

/** What a generated test is worth. */
export interface FaultProof {
  /** True for `fault` only. */
  readonly proved: boolean
  /**
   * `fault`: it failed for the right reason, in every run. `no-fault`: it passed. `wrong-reason`: it failed otherwise, such as by
   * an import or a name of its own. `flaky`: it did not fail alike in every run. `unusable`: no program could pass it, as when it does not
   * parse. `not-run`: it did not run, say for want of its runner.
   */
  readonly finding: 'fault' | 'no-fault' | 'wrong-reason' | 'flaky' | 'unusable' | 'not-run'
  /** The same as a sentence, for whoever wrote the test; it may quote what the test or the program said. */
  readonly message: string
  /** What the test said. */
  readonly verdict: Verdict
}

const { verify: _verify, outputs: _outputs, ...judged } = judgedFields
const TIMES = 'must be a whole number from 1 to 20'
const inputSchema: z.ZodType<ProvesFaultInput> = z.strictObject({
  test: verifierSchema,
  program: candidateSchema,
  reason: z.union([z.string().min(1), z.instanceof(RegExp)], 'must be a text or a pattern').optional(),
  times: z.int(TIMES).min(1, TIMES).max(20, TIMES).optional(),
  ...placeFields,
  ...judged,
})

/** What says that a test could not be brought to the point. */
const NEVER: ReadonlySet<FailureKind> = new Set([
  ...(['syntax', 'import', 'missing-entry', 'no-code', 'truncated-reply', 'edit', 'refusal'] as const),
])
/** What `pytest.fail` raises, and `pytest.raises` in vain. */
const PYTEST_FAILED = /^Failed: /u
/** What a test says itself of what the program did. */
const SAID_BY_TEST: ReadonlySet<FailureKind> = new Set(['assertion', 'output', 'schema'])

/**
 * Runs a generated test on the old program, and says whether it shows a fault there. Only such a test should decide over a
 * mended program; that it asks for the right thing shows when that one passes it.
 *
 * Every failure must be for the right reason, so that a test of several parts counts only if none of them is broken.
 * Failures of syntax, imports and missing names of the program never count, whatever `reason` says. A held-out test is told
 * like any other, since no model reads this.
 *
 * @throws MendloopError as {@link verifyOnce}; a test that cannot be used is a finding
 */
export async function provesFault(input: ProvesFaultInput): Promise<FaultProof> {
  const { test, program, reason, times = 1, ...rest } = parseOptions(inputSchema, input, 'provesFault()')
  const visible: Verifier = {
    name: test.name,
    visibility: 'visible',
    verify: (context) => test.verify(context),
  }
  const check = rerunFailing(visible, { times })
  let misuse: string | undefined
  const { verdicts } = await verifyOnce({
    ...rest,
    candidate: program,
    verify: [
      {
        ...check,
        async verify(context) {
          const found = await check.verify(context)
          misuse = found.misuse
          // Here it is what was asked, and no misuse.
          return misuse === undefined ? found : notRun(found.integrity, misuse)
        },
      },
    ],
  })
  const [verdict = notRun('shared', 'The test was not run.')] = verdicts
  const finding = misuse === undefined ? findingOf(verdict, reason) : 'unusable'
  return { proved: finding === 'fault', finding, message: messageOf(finding, verdict, reason), verdict }
}

function findingOf(verdict: Verdict, reason: ProvesFaultInput['reason']): FaultProof['finding'] {
  if (verdict.status === 'not-run') return 'not-run'
  if (verdict.status === 'pass') return 'no-fault'
  if (verdict.failures.some((failure) => !isRight(failure, reason))) return 'wrong-reason'
  return verdict.rerun?.kind === 'flaky' ? 'flaky' : 'fault'
}

function isRight({ kind, message, frames = [] }: Failure, reason: ProvesFaultInput['reason']): boolean {
  if (NEVER.has(kind)) return false
  // An assertion of the program's own is an exception like any other.
  if (reason === undefined)
    return frames.length === 0 && (SAID_BY_TEST.has(kind) || PYTEST_FAILED.test(message))
  // A sticky or global pattern would remember where it was.
  return typeof reason === 'string'
    ? message.includes(reason)
    : new RegExp(reason.source, reason.flags.replace(/[gy]/gu, '')).test(message)
}

function messageOf(
  finding: FaultProof['finding'],
  { failures, rerun }: Verdict,
  reason: ProvesFaultInput['reason'],
): string {
  const wrong = failures.find((failure) => !isRight(failure, reason)) ?? failures[0]
  const said = wrong === undefined ? '' : ` It said: ${wrong.message}`
  switch (finding) {
    case 'fault':
      return `The test fails on the old program for the right reason.${said}`
    case 'no-fault':
      return 'The test passes on the old program, so it shows no fault.'
    case 'wrong-reason':
      return reason === undefined
        ? `The test fails on the old program, and not by an assertion of its own.${said}`
        : `The test fails on the old program for another reason than ${String(reason)}.${said}`
    case 'flaky':
      return `The test did not fail alike in ${rerun?.runs} runs on the old program (${rerun?.passed} passed), so it shows nothing.${said}`
    case 'unusable':
      return `The test cannot be used on any program.${said}`
    default:
      return `The test did not run on the old program.${said}`
  }
}
