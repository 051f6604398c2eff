// What can be known of a program before it runs: whether it parses, uses names that exist and, where asked, fits its types.
import type { Candidate } from '../../contract/candidate.js'
import { languageId, languageOfPath } from '../../contract/language-names.js'
import { parseOptions } from '../../contract/options.js'
import type { Failure } from '../../contract/verify.js'
import { type CheckedProgram, textsOf } from './checked-program.js'
import type { Finding, FindingKind, ToolResult, ToolRun } from './finding.js'
import { toFailures } from './finding-failure.js'
import { identified, newAgainst } from './new-findings.js'
import { checkPython } from './python-checks.js'
import { aborted } from './sandbox-tool.js'
import { checkScripts } from './script-checks.js'
import {
  type StaticCheckInput,
  type StaticChecksOptions,
  staticCheckSchema,
  staticChecksSchema,
} from './static-checks-options.js'

/** What the checks found. */
export interface StaticReport {
  /** Everything new: errors before warnings, syntax before names before types, then by place. */
  readonly findings: readonly Finding[]
  /** The errors among them: while there is one, the program need not be run. */
  readonly gating: readonly Finding[]
  /** The warnings among them. */
  readonly advisory: readonly Finding[]
  /** `gating` as failures of kind `syntax`, `lint` and `type`, with the lines they are about. */
  readonly failures: readonly Failure[]
  /** Every tool that was asked, and how its turn ended. Empty for a language without tools here. */
  readonly tools: readonly ToolRun[]
  /** What is missing and how to get it, each sentence once in the life of these checks. */
  readonly notes: readonly string[]
}

/** Checks programs without running them. */
export interface StaticChecks {
  /**
   * Checks one program.
   *
   * @throws MendloopError INVALID_OPTION; ABORTED when `signal` was aborted; what the sandbox throws when it is gone. A tool that
   * crashes, takes too long or prints nonsense is `not-run` in `tools`, and nothing else
   */
  check(input: StaticCheckInput): Promise<StaticReport>
}

/** Languages of one family share their tools. */
const SCRIPTS: readonly string[] = ['javascript', 'typescript', 'jsx', 'tsx']
const TYPED: readonly string[] = ['typescript', 'tsx']
const ORDER: readonly FindingKind[] = ['syntax', 'lint', 'type']
const DEFAULT_TIMEOUT_MS = 20_000

/** True for a language that anything is known of here. */
export const isChecked = (language: string): boolean => language === 'python' || SCRIPTS.includes(language)

/**
 * Makes checks that find mistakes in Python, JavaScript and TypeScript programs before they run. Nothing of a program is
 * executed and nothing in it is changed.
 *
 * Only findings count that `previous` has not. Those that mean an exception or a program that does not compile gate; the
 * rest is told.
 *
 * @throws MendloopError INVALID_OPTION
 * @see docs/static-checks.md for the rules, and which tool is used where
 */
export function staticChecks(options: StaticChecksOptions = {}): StaticChecks {
  const settings = parseOptions(staticChecksSchema, options, 'staticChecks()')
  const noted = new Set<string>()
  return { check: (input) => check(parseOptions(staticCheckSchema, input, 'check()'), settings, noted) }
}

async function check(
  input: StaticCheckInput,
  settings: StaticChecksOptions,
  noted: Set<string>,
): Promise<StaticReport> {
  const { candidate, previous, told = [] } = input
  const language = languageId(input.language ?? languageOfPath(candidate.entry) ?? '') ?? ''
  const results = await resultsOf(candidate, language, input, settings)
  const now = findingsOf(results, candidate, settings)
  const before =
    previous === undefined || now.length === 0
      ? []
      : findingsOf(await resultsOf(previous, language, input, settings), previous, settings)
  const already = new Set(told)
  const findings = newAgainst(now, before).filter(({ id }) => !already.has(id))
  const gating = findings.filter(({ severity }) => severity === 'error')
  return {
    findings,
    gating,
    advisory: findings.filter(({ severity }) => severity === 'warning'),
    failures: toFailures(gating, candidate),
    tools: results.map(({ findings: _, ...run }) => run),
    notes: notesOf(results, noted),
  }
}

/** What each tool says of one program. */
async function resultsOf(
  candidate: Candidate,
  language: string,
  { files: others = {}, sandbox, signal }: StaticCheckInput,
  {
    types,
    gate = [],
    suppressions = 'honoured',
    compilerOptions = {},
    timeoutMs = DEFAULT_TIMEOUT_MS,
  }: StaticChecksOptions,
): Promise<readonly ToolResult[]> {
  if (signal?.aborted === true) throw aborted('before they began', signal)
  if (!isChecked(language)) return []
  const languages = language === 'python' ? ['python'] : SCRIPTS
  const texts = textsOf(candidate, others, { languages, silence: suppressions })
  if (Object.keys(texts.files).length === 0) return []
  const program: CheckedProgram = {
    ...texts,
    timeoutMs,
    asked: gate,
    ...(sandbox !== undefined && { sandbox }),
    ...(signal !== undefined && { signal }),
  }
  if (language === 'python') return await checkPython(program, types ?? false)
  const typed = (types ?? 'auto') !== false && TYPED.includes(language)
  return await checkScripts(program, { types: typed, compilerOptions })
}

/** In the order in which they are told, with the caller's own severities. */
function findingsOf(
  results: readonly ToolResult[],
  candidate: Candidate,
  { gate = [], ignore = [] }: StaticChecksOptions,
): readonly Finding[] {
  const found = results
    .flatMap(({ findings }) => findings)
    .filter(({ rule }) => !ignore.includes(rule))
    .map((one) => (gate.includes(one.rule) ? { ...one, severity: 'error' as const } : one))
  return [...identified(found, candidate.files)].sort(
    (a, b) =>
      a.severity.localeCompare(b.severity) ||
      ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) ||
      a.path.localeCompare(b.path) ||
      a.line - b.line ||
      a.column - b.column,
  )
}

function notesOf(results: readonly ToolResult[], noted: Set<string>): string[] {
  const notes = results
    .filter(({ status }) => status === 'not-available')
    .flatMap(({ reason }) => (reason === undefined ? [] : [reason]))
    .filter((note) => !noted.has(note))
  for (const note of notes) noted.add(note)
  return notes
}
