// The static checks as checks that a task can demand: no wrong names and uses, no wrong types.
import { z } from 'zod'
import type { Candidate } from '../../contract/candidate.js'
import { parseOptions } from '../../contract/options.js'
import type { Verdict, Verifier, VerifyContext } from '../../contract/verify.js'
import { notRun } from '../new-failure.js'
import type { Finding, FindingKind, ToolRun } from './finding.js'
import { toFailures } from './finding-failure.js'
import { isChecked, type StaticReport, staticChecks } from './static-checks.js'
import {
  candidateSchema,
  filesSchema,
  type StaticChecksOptions,
  staticOptionFields,
} from './static-checks-options.js'

/** How {@link lintClean} and {@link typesCheck} should decide. Comments that silence a tool are ignored by default. */
export interface StaticVerifierOptions extends Omit<StaticChecksOptions, 'types'> {
  /** Name of the verifier. Default `lint clean` and `types check`. */
  readonly name?: string
  /** Default `visible`. */
  readonly visibility?: 'visible' | 'held-out'
  /** Whether warnings fail the check too. Default `pass`. */
  readonly warnings?: 'pass' | 'fail'
  /** The program as it was; what is found in it is nobody's fault now. Default: none, so that every finding counts. */
  readonly baseline?: Candidate
  /** Other files that the program imports, such as the task's; they are not checked. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
}

const optionsSchema: z.ZodType<StaticVerifierOptions> = z.strictObject({
  ...staticOptionFields,
  name: z.string().min(1, 'must not be empty').optional(),
  visibility: z.enum(['visible', 'held-out']).optional(),
  warnings: z.enum(['pass', 'fail']).optional(),
  baseline: candidateSchema.optional(),
  files: filesSchema.optional(),
})

/**
 * Passes when no tool finds a wrong name or a wrong use in a Python, JavaScript or TypeScript program; nothing is run.
 *
 * Without a tool the verdict is `not-run` with `misuse`, which says how to get one; a tool that crashes gives `not-run`.
 * `integrity` is `shared` when the tool ran in the sandbox, where the program may have been before it.
 *
 * @throws MendloopError INVALID_OPTION
 */
export function lintClean(options: StaticVerifierOptions = {}): Verifier {
  return staticVerifier(parseOptions(optionsSchema, options, 'lintClean()'), 'lint')
}

/**
 * Passes when a type checker finds nothing wrong in a Python or TypeScript program: mypy or pyright in the sandbox, TypeScript
 * in this process or in the sandbox. Otherwise as {@link lintClean}.
 *
 * @throws MendloopError INVALID_OPTION
 */
export function typesCheck(options: StaticVerifierOptions = {}): Verifier {
  return staticVerifier(parseOptions(optionsSchema, options, 'typesCheck()'), 'type')
}

const WORDS = {
  lint: { name: 'lint clean', what: 'names' },
  type: { name: 'types check', what: 'types' },
} as const

function staticVerifier(
  { name, visibility = 'visible', warnings = 'pass', baseline, files, ...rest }: StaticVerifierOptions,
  kind: 'lint' | 'type',
): Verifier {
  const checks = staticChecks({ suppressions: 'ignored', ...rest, types: kind === 'type' })
  return {
    name: name ?? WORDS[kind].name,
    visibility,
    async verify({ candidate, language, sandbox, signal }: VerifyContext): Promise<Verdict> {
      if (!isChecked(language)) return unusable(`No tool checks the ${WORDS[kind].what} of ${language}.`)
      const report = await checks.check({
        candidate,
        language,
        sandbox,
        signal,
        ...(baseline !== undefined && { previous: baseline }),
        ...(files !== undefined && { files }),
      })
      return verdictOn(report, { kind, candidate, withWarnings: warnings === 'fail' })
    },
  }
}

const unusable = (cause: string): Verdict => notRun('separate', cause, { misuse: cause })

function verdictOn(
  { findings, tools }: StaticReport,
  { kind, candidate, withWarnings }: { kind: 'lint' | 'type'; candidate: Candidate; withWarnings: boolean },
): Verdict {
  const asked = tools.filter(({ finds }) => finds.includes(kind))
  const decided = asked.filter(({ status }) => status === 'ran')
  const counted = findings.filter(
    (one) => countsFor(one, kind, decided) && (withWarnings || one.severity === 'error'),
  )
  const integrity = tools.some(({ where, status }) => where === 'sandbox' && status === 'ran')
    ? 'shared'
    : 'separate'
  if (counted.length > 0) return { status: 'fail', integrity, failures: toFailures(counted, candidate) }
  if (decided.length > 0) return { status: 'pass', integrity, failures: [] }
  const why = asked.find(({ status }) => status === 'not-run') ?? asked[0]
  if (why?.status === 'not-run') return notRun(integrity, why.reason ?? `${why.tool} did not run.`)
  return unusable(why?.reason ?? `No tool was there that checks the ${WORDS[kind].what} of this program.`)
}

/** A text that does not parse has neither names nor types; what a type checker says of names is its own finding too. */
function countsFor({ kind, tool }: Finding, asked: FindingKind, decided: readonly ToolRun[]): boolean {
  return kind === 'syntax' || kind === asked || (asked === 'type' && decided.some((one) => one.tool === tool))
}
