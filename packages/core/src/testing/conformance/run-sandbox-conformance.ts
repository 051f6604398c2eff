// Runs the kit by itself, without any test framework, and reports.
import { z } from 'zod'
import { abortSignalSchema } from '../../contract/foreign-values.js'
import { invalidOption, parseOptions } from '../../contract/options.js'
import { requireProvider } from '../../contract/require-parts.js'
import type { SandboxProvider } from '../../contract/sandbox.js'
import { allCases } from './all-cases.js'
import type {
  ConformanceCase,
  ConformanceFacts,
  ConformanceHost,
  ConformanceOptions,
  ConformanceReport,
  ConformanceResult,
} from './conformance-case.js'
import { inShort } from './expectations.js'
import { findFacts } from './facts.js'
import { type FullOptions, runCase } from './run-case.js'

/** How a run of the kit is steered, besides how cases are run. */
export interface ConformanceRunOptions extends ConformanceOptions {
  /** Names of cases, or of groups of them. Default: all. */
  only?: readonly string[]
  /** Ends the run after the case that is under way; the rest is skipped by name. */
  signal?: AbortSignal
  /** Called after each case. */
  onResult?(result: ConformanceResult): void
}

const shape = {
  python: z.string().min(1).optional(),
  host: z.custom<ConformanceHost>((value) => typeof value === 'object' && value !== null).optional(),
  deadlineMs: z.int().positive().optional(),
  overrunMs: z.int().positive().optional(),
  floodBytes: z.int().positive().optional(),
}

const optionsSchema: z.ZodType<ConformanceOptions> = z.strictObject(shape)

const runOptionsSchema: z.ZodType<ConformanceRunOptions> = z.strictObject({
  ...shape,
  only: z.array(z.string()).readonly().optional(),
  signal: abortSignalSchema.optional(),
  onResult: z.custom<(result: ConformanceResult) => void>((value) => typeof value === 'function').optional(),
})

/** Strictly parsed options, with defaults. */
export const parseConformanceOptions = (options: ConformanceOptions, owner: string): FullOptions =>
  withDefaults(parseOptions(optionsSchema, options, owner))

const withDefaults = ({
  python = 'python3',
  deadlineMs = 30_000,
  overrunMs = 1_000,
  floodBytes = 1024 ** 3,
}: ConformanceOptions): FullOptions => ({ python, deadlineMs, overrunMs, floodBytes })

/**
 * Probes every promise that a provider's sandboxes make, one after the other.
 *
 * @returns what became of each; a broken promise is a result, never an exception
 * @throws MendloopError INVALID_OPTION
 */
export async function runSandboxConformance(
  provider: SandboxProvider,
  options: ConformanceRunOptions = {},
): Promise<ConformanceReport> {
  requireProvider(provider, 'runSandboxConformance()')
  const parsed = parseOptions(runOptionsSchema, options, 'runSandboxConformance()')
  const full = withDefaults(parsed)
  const chosen = chosenCases(parsed.only)
  const results: ConformanceResult[] = []
  const tell = (result: ConformanceResult): void => {
    results.push(result)
    parsed.onResult?.(result)
  }
  const facts = await factsOrSentence(provider, full, parsed.host)
  for (const one of chosen) {
    const { name, group } = one
    if (parsed.signal?.aborted)
      tell({ name, group, status: 'skipped', reason: 'the run was aborted', durationMs: 0 })
    else if (typeof facts === 'string') tell({ name, group, status: 'failed', reason: facts, durationMs: 0 })
    else tell(await runCase(one, provider, facts, full))
  }
  const count = (status: ConformanceResult['status']): number =>
    results.filter((result) => result.status === status).length
  return {
    provider: provider.id,
    ...(typeof facts !== 'string' && { guarantees: facts.guarantees }),
    results,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
  }
}

/** The facts, or the sentence why there are none: every case has failed then. */
export async function factsOrSentence(
  provider: SandboxProvider,
  options: FullOptions,
  host: ConformanceHost | undefined,
): Promise<ConformanceFacts | string> {
  try {
    return await findFacts(provider, options.python, host)
  } catch (error) {
    return `no sandbox could be opened and closed: ${inShort(error)}`
  }
}

function chosenCases(only: readonly string[] | undefined): readonly ConformanceCase[] {
  if (only === undefined) return allCases
  for (const name of only)
    if (!allCases.some((one) => one.name === name || one.group === name))
      throw invalidOption('runSandboxConformance()', 'only', 'must name cases or groups of the kit', {
        expected: 'names of cases or groups',
        received: JSON.stringify(name),
        hint: `there is no "${name}"; a run of the whole kit tells them all`,
      })
  return allCases.filter(({ name, group }) => only.includes(name) || only.includes(group))
}
