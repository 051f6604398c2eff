// The one place where the neutral names of the bug cases meet the product's own.
import { extname } from 'node:path'
import {
  type Candidate,
  type CellResult,
  type CommandObject,
  DEFAULT_LIMITS,
  type ExtractOptions,
  type Language,
  type Limits,
  MendloopError,
  type Outcome,
  type SandboxProvider,
  textForModel,
} from '@mendloop/core'
import { type SubprocessOptions, subprocess } from '@mendloop/sandbox-subprocess'
import type { CaseOutcome, Fields } from './bug-case.js'
import {
  asCount,
  asFilledText,
  asFilledTexts,
  asKnown,
  asNumber,
  asObject,
  asObjectOf,
  asText,
  asTexts,
  NotUnderstood,
  own,
} from './expectation.js'
import { limitOf } from './limit-names.js'

/** The tiers in which programs of this process ran. */
export const tiersUsed = new Set<string>()

/**
 * The sandbox that cases run in. The strongest tier that is here; cases hold accidents, not attacks, so any is good
 * enough, as long as the report says which.
 */
export function caseSandbox(options: SubprocessOptions = {}): SandboxProvider {
  const provider = subprocess({ minimum: 'process', ...options })
  return {
    id: provider.id,
    specVersion: provider.specVersion,
    create: async (sandboxOptions) => {
      const sandbox = await provider.create(sandboxOptions)
      tiersUsed.add(sandbox.guarantees.isolation)
      return sandbox
    },
  }
}

/** What runs a program of an interpreted language. */
export async function runCommand(
  language: Language,
  program: Candidate,
  workdir: string,
): Promise<CommandObject> {
  const { memoryBytes } = DEFAULT_LIMITS
  const { run, compile } = await language.recipe(program, {
    workdir,
    memoryBytes,
    compileArgs: [],
    answers: {},
  })
  if (compile !== undefined) throw new NotUnderstood(`programs in ${language.id} are not run here`)
  return run
}

/** outcome → `status` of kind `run`. */
export function runStatus(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'exit':
      return outcome.code === 0 ? 'ok' : 'error'
    case 'signal':
      return 'killed'
    case 'resource':
      return { output: 'output-limit', memory: 'memory', disk: 'disk', processes: 'processes' }[outcome.limit]
    default:
      return outcome.kind
  }
}

/** Every `status` that {@link runStatus} can give. */
export const RUN_STATUSES = [
  ...['ok', 'error', 'killed', 'output-limit', 'memory', 'disk', 'processes'],
  ...['timeout', 'aborted', 'denied', 'lost'],
] as const

/** Every `status` of kind `extract`. */
export const EXTRACT_STATUSES = ['ok', 'none', 'incomplete', 'mismatch'] as const

/** Why a reply ended, in kind `extract`. */
export const FINISHES = ['stop', 'length', 'tool', 'filter', 'other'] as const

/** outcome → `exitCode` of kind `run`; null when there is none. */
export const exitCode = (outcome: Outcome): number | null => (outcome.kind === 'exit' ? outcome.code : null)

/** outcome → `signal` of kind `run`. What the sandbox itself ends, it ends by SIGKILL. */
export function signalName(outcome: Outcome): string | null {
  if (outcome.kind === 'signal') return outcome.signal
  // So does a system-call filter end a process.
  if (outcome.kind === 'denied') return outcome.rule === 'system call' ? 'SIGSYS' : null
  return ['timeout', 'resource', 'aborted'].includes(outcome.kind) ? 'SIGKILL' : null
}

/**
 * Ends that the neutral names have no word for, and what a case that keeps to those calls them. At the limit of disk a
 * program may have been refused or ended by a signal, which its result does not tell.
 */
const ALSO_CALLED: Readonly<Record<string, readonly string[]>> = {
  disk: ['error', 'killed'],
  processes: ['error'],
  denied: ['killed'],
}

/** What `status` of kind `run` may be. */
export function runStatuses(outcome: Outcome): readonly [string, ...string[]] {
  const status = runStatus(outcome)
  return [status, ...(own(ALSO_CALLED, status) ?? [])]
}

/** What a cell's `status` may be. One that ends the session's own process is no success, whatever code it leaves. */
export function cellStatuses({ outcome, lost }: CellResult): readonly [string, ...string[]] {
  const statuses = runStatuses(outcome)
  return statuses[0] === 'ok' && lost !== undefined ? ['error', 'killed'] : statuses
}

/** A cell's `stderr`: what it wrote, and its traceback, which a program of its own would have written there too. */
export const cellStderr = ({ stderr, error }: CellResult): string => `${stderr.text}${error?.traceback ?? ''}`

/** Everything of a cell that a model reads. */
export function cellFeedback(result: CellResult): string {
  const value = result.value?.data['text/plain']
  const said = [
    ...[result.restarted?.message, result.stdout.text, typeof value === 'string' ? value : ''],
    ...[cellStderr(result), result.lost?.message],
  ]
  return said.map((part) => textForModel(part ?? '')).join('\n')
}

/** What the options of a `run` case mean. */
export interface RunOptions {
  readonly limits: Partial<Limits>
  readonly env: Record<string, string>
  readonly args: readonly string[]
  readonly stdin?: string
  readonly killGraceMs?: number
}

/**
 * `options` of kind `run` → limits, environment, arguments and input.
 *
 * @param endsAtOutputLimit - the limit of the output is one that ends the program, not only how much of it is kept
 */
export function runOptions(options: Fields, endsAtOutputLimit = false): RunOptions {
  const { env, stdin, args, killGraceMs, stdinBytes, ...rest } = options
  if (stdin !== undefined && stdinBytes !== undefined)
    throw new NotUnderstood('either "stdin" or "stdinBytes" can be given')
  const limits: Partial<Limits> = Object.assign(
    {},
    ...Object.entries(rest).map(([key, value]) => limitOf(key, asNumber(value))),
  )
  const variables = Object.entries(asObject(env ?? {})).map(([name, value]) => [name, asText(value)] as const)
  return {
    limits: { ...limits, ...outputLimits(limits.outputBytes, endsAtOutputLimit) },
    env: Object.fromEntries(variables),
    args: asTexts(args ?? []),
    ...(stdin !== undefined && stdin !== null && { stdin: asText(stdin) }),
    ...(stdinBytes !== undefined && { stdin: 'x'.repeat(asCount(stdinBytes)) }),
    ...(killGraceMs !== undefined && { killGraceMs: asNumber(killGraceMs) }),
  }
}

/** The product keeps no less than this of a stream. A case may ask for less, and gets what is nearest to it. */
const LEAST_OUTPUT_BYTES = 1024

function outputLimits(wanted: number | undefined, endsThere: boolean): Partial<Limits> {
  if (wanted === undefined) return {}
  const outputBytes = Math.max(LEAST_OUTPUT_BYTES, wanted)
  return { outputBytes, ...(endsThere && { totalOutputBytes: outputBytes }) }
}

const PICKS = ['best', 'first', 'last', 'all'] as const

/** `options` of kind `extract`; the names are the product's own. */
export function extractOptions(options: Fields, files?: Record<string, string>): ExtractOptions {
  const known = ['language', 'entry', 'pick', 'tags', 'entryPoint']
  const { language, entry, pick, tags, entryPoint } = asObjectOf(options, known)
  const [open, close, ...more] = tags === undefined ? [] : asFilledTexts(tags)
  if (more.length > 0 || (open !== undefined && close === undefined))
    throw new NotUnderstood('"tags" must be an opening and a closing tag')
  return {
    language: asLanguage(language),
    ...(entry !== undefined && { entry: asFilledText(entry) }),
    ...(pick !== undefined && { pick: asKnown(pick, PICKS) }),
    ...(open !== undefined && close !== undefined && { tags: [open, close] as const }),
    ...(entryPoint !== undefined && { entryPoint: asFilledText(entryPoint) }),
    ...(files !== undefined && { files }),
  }
}

const LANGUAGES = [
  ...['python', 'javascript', 'typescript', 'jsx', 'tsx', 'shell', 'console', 'powershell', 'batch'],
  ...['json', 'yaml', 'toml', 'xml', 'html', 'css', 'markdown', 'text', 'sql', 'diff'],
  ...['c', 'cpp', 'csharp', 'java', 'kotlin', 'go', 'rust', 'ruby', 'php'],
] as const

const SHORT_LANGUAGES: Readonly<Record<string, string>> = {
  py: 'python',
  js: 'javascript',
  ts: 'typescript',
  sh: 'shell',
  bash: 'shell',
}

/** A language that somebody could mean, by the id that the product gives it. */
export const asLanguage = (value: unknown): string => {
  const name = asText(value)
  return asKnown(own(SHORT_LANGUAGES, name) ?? name, LANGUAGES)
}

const LANGUAGE_BY_EXTENSION: Readonly<Record<string, string>> = {
  '.py': 'python',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.ts': 'typescript',
  '.sh': 'shell',
}

/** Name of a file → id of its language. */
export function languageOfFile(path: string): string {
  const language = own(LANGUAGE_BY_EXTENSION, extname(path))
  if (language === undefined) throw new NotUnderstood(`no language is known for the file "${path}"`)
  return language
}

/** An error that means "not on this machine, or not in this tier" → outcome; undefined for every other error. */
export function cannotRunHere(error: unknown): CaseOutcome | undefined {
  if (MendloopError.is(error, 'SANDBOX_UNSUPPORTED')) {
    return { status: 'cannot-run', reason: error.message, remedy: error.details.remedy }
  }
  if (MendloopError.is(error, 'TOOLCHAIN_MISSING')) {
    const { remedy } = error.details
    return { status: 'cannot-run', reason: error.message, remedy, missingTool: true }
  }
  if (MendloopError.is(error, 'ISOLATION_UNAVAILABLE')) {
    return { status: 'cannot-run', reason: error.message, remedy: error.details.remedy }
  }
  return undefined
}
