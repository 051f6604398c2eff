// The one place where the neutral names of the bug cases meet the product's own.
import {
  type CellResult,
  type ExtractOptions,
  type Limits,
  MendloopError,
  type ModelReply,
  type Outcome,
  type RepairResult,
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
import { asLanguage } from './language-names.js'
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

/** The last words of a program that got no more memory and ended of itself, in the languages that are run here. */
const OUT_OF_MEMORY: readonly RegExp[] = [
  // Python's last line, subclasses such as NumPy's _ArrayMemoryError too.
  /(?:^|\n)(?:\w+\.)*\w*MemoryError(?::[^\n]*)?\s*$/,
  /^FATAL ERROR: .*heap out of memory/m,
  /^RangeError: Array buffer allocation failed/m,
  /^terminat(?:e|ing) .*\bstd::bad_alloc/m,
  /^Exception in thread .*\bjava\.lang\.OutOfMemoryError/m,
  /^fatal error: .*(?:out of memory|cannot allocate memory)/m,
  /^memory allocation of \d+ bytes failed/m,
]

/**
 * What `status` of kind `run` may be.
 *
 * @param stderr - what the program wrote there: one that was refused memory says so, and ends with a code like any other
 */
export function runStatuses(outcome: Outcome, stderr: string): readonly [string, ...string[]] {
  const status = runStatus(outcome)
  const diedOfIt = ['error', 'killed'].includes(status) && OUT_OF_MEMORY.some((words) => words.test(stderr))
  return [status, ...(own(ALSO_CALLED, status) ?? []), ...(diedOfIt ? ['memory'] : [])]
}

/** What a cell's `status` may be. One that ends the session's own process is no success, whatever code it leaves. */
export function cellStatuses(result: CellResult): readonly [string, ...string[]] {
  const statuses = runStatuses(result.outcome, cellStderr(result))
  return statuses[0] === 'ok' && result.lost !== undefined ? ['error', 'killed'] : statuses
}

/** Every `outcome` of kind `loop`. */
export const LOOP_OUTCOMES = [
  ...['success', 'exhausted', 'stuck', 'refused', 'aborted', 'budget', 'empty-answer', 'model-error'],
] as const

/** Budgets that are about tries, which is what `exhausted` means; every other one is a `budget`. */
const TRIES: readonly string[] = ['attempts', 'modelCalls', 'formatErrors', 'editErrors']

/**
 * result → `outcome` of kind `loop`.
 *
 * @param reply - the last one; where no try was left after it, what was wrong with it says why
 */
export function loopOutcome(
  result: RepairResult,
  reply: Pick<ModelReply, 'text' | 'refusal'> | undefined,
): (typeof LOOP_OUTCOMES)[number] | 'needs-human' {
  switch (result.status) {
    case 'verified':
      return 'success'
    case 'exhausted':
      if (!TRIES.includes(result.budget)) return 'budget'
      if (reply?.refusal !== undefined) return 'refused'
      return reply?.text.trim() === '' ? 'empty-answer' : 'exhausted'
    case 'environment-lost':
      return 'model-error'
    case 'stalled':
      return 'stuck'
    default:
      return result.status
  }
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
