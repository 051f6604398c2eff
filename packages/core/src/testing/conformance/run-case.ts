// Runs one case so that nothing can hang it: a deadline, and everything it opened is closed afterwards.
import { isError } from '../../contract/foreign-values.js'
import type { Sandbox, SandboxProvider } from '../../contract/sandbox.js'
import type {
  ConformanceCase,
  ConformanceContext,
  ConformanceFacts,
  ConformanceOptions,
  ConformanceResult,
} from './conformance-case.js'
import { inShort, NotClaimed, within } from './expectations.js'

/** Options with their defaults. */
export type FullOptions = Required<Omit<ConformanceOptions, 'host'>>

/** How long a case may take. */
export const deadlineOf = (one: ConformanceCase, options: FullOptions): number =>
  Math.max(one.deadlineMs ?? 0, options.deadlineMs)

/** True when the case is to be probed, else why not. */
function isProbed(one: ConformanceCase, facts: ConformanceFacts): true | string {
  const needs = one.needs ?? 'shell'
  if (needs !== 'nothing' && facts.shell !== true) return facts.shell
  if (needs === 'python' && facts.python !== true) return facts.python
  return one.requires?.(facts) ?? true
}

/** Probes one promise; never throws and never hangs. */
export async function runCase(
  one: ConformanceCase,
  provider: SandboxProvider,
  facts: ConformanceFacts,
  options: FullOptions,
): Promise<ConformanceResult> {
  const startedAt = performance.now()
  const told = (status: ConformanceResult['status'], reason?: string): ConformanceResult => ({
    name: one.name,
    group: one.group,
    status,
    ...(reason !== undefined && { reason }),
    durationMs: performance.now() - startedAt,
  })
  const probed = isProbed(one, facts)
  if (probed !== true) return told('skipped', probed)
  const scope = openScope(provider, facts, options)
  let result: ConformanceResult
  try {
    await within(deadlineOf(one, options), 'the case', one.check(scope.context))
    result = told('passed')
  } catch (error) {
    result = error instanceof NotClaimed ? told('skipped', error.message) : told('failed', sentence(error))
  }
  const trouble = await scope.close()
  return trouble !== undefined && result.status === 'passed' ? told('failed', trouble) : result
}

const sentence = (error: unknown): string =>
  isError(error) && error.name === 'Error' ? error.message : inShort(error)

interface CaseScope {
  readonly context: ConformanceContext
  /** Undoes everything. @returns what went wrong, as a sentence */
  close(): Promise<string | undefined>
}

function openScope(provider: SandboxProvider, facts: ConformanceFacts, options: FullOptions): CaseScope {
  const sandboxes: Promise<Sandbox>[] = []
  const undone: (() => void | Promise<void>)[] = []
  const context: ConformanceContext = {
    provider,
    facts,
    python: options.python,
    overrunMs: options.overrunMs,
    floodBytes: options.floodBytes,
    open(sandboxOptions) {
      const sandbox = provider.create(sandboxOptions)
      sandboxes.push(sandbox)
      return sandbox
    },
    afterwards: (undo) => void undone.unshift(undo),
  }
  const close = async (): Promise<string | undefined> => {
    let trouble: string | undefined
    const attempt = async (what: string, act: () => unknown): Promise<void> => {
      try {
        await within(options.deadlineMs, what, Promise.resolve(act()))
      } catch (error) {
        trouble ??= sentence(error)
      }
    }
    for (const undo of undone) await attempt('clearing away', undo)
    // One that could not be opened is the case's own affair.
    for (const sandbox of sandboxes)
      await attempt('close()', () =>
        sandbox.then(
          (one) => one.close(),
          () => undefined,
        ),
      )
    return trouble
  }
  return { context, close }
}
