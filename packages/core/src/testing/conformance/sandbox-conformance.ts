// Puts the kit into whatever runs the caller's tests: vitest, node:test, mocha, anything that can skip while it runs.
import { requireProvider } from '../../contract/require-parts.js'
import type { SandboxProvider } from '../../contract/sandbox.js'
import { allCases } from './all-cases.js'
import type { ConformanceFacts, ConformanceOptions } from './conformance-case.js'
import { deadlineOf, runCase } from './run-case.js'
import { factsOrSentence, parseConformanceOptions } from './run-sandbox-conformance.js'

/** The functions of a test framework. */
export interface ConformanceTestFramework {
  /** Names a group of tests. */
  describe(name: string, define: () => void): unknown
  /** Names a test; the third argument is its deadline in milliseconds, where the framework takes one. */
  it(name: string, test: () => Promise<void>, deadlineMs?: number): unknown
}

/** Time to open and close what a case leaves, beyond its own deadline. */
const MARGIN_MS = 60_000

/**
 * Defines one test for each promise of a sandbox: `sandboxConformance({ describe, it }, provider)`.
 *
 * A promise that the sandbox does not claim is skipped under its name, with the reason.
 *
 * @throws MendloopError INVALID_OPTION
 */
export function sandboxConformance(
  { describe, it }: ConformanceTestFramework,
  provider: SandboxProvider,
  options: ConformanceOptions = {},
): void {
  requireProvider(provider, 'sandboxConformance()')
  const full = parseConformanceOptions(options, 'sandboxConformance()')
  let asked: Promise<ConformanceFacts | string> | undefined
  for (const group of new Set(allCases.map((one) => one.group))) {
    describe(`sandbox ${provider.id}: ${group}`, () => {
      for (const one of allCases.filter((each) => each.group === group)) {
        const deadlineMs = deadlineOf(one, full) + MARGIN_MS
        // Rest arguments: a framework that counts parameters would wait for a callback otherwise.
        it(
          one.name,
          async function (this: unknown, ...args: unknown[]) {
            allowTime(this, deadlineMs)
            asked ??= factsOrSentence(provider, full, options.host)
            const facts = await asked
            if (typeof facts === 'string') throw new Error(facts)
            const { status, reason = '' } = await runCase(one, provider, facts, full)
            if (status === 'failed') throw new Error(`the sandbox does not keep "${one.name}": ${reason}`)
            if (status === 'skipped') skip(this, args[0], reason)
          },
          deadlineMs,
        )
      }
    })
  }
}

/** Mocha takes the deadline of a test through `this`. */
function allowTime(self: unknown, deadlineMs: number): void {
  const timeout = memberOf(self, 'timeout')
  if (timeout !== undefined) timeout(deadlineMs)
}

/** Skips while it runs: vitest and node:test by their context, mocha by `this`. */
function skip(self: unknown, context: unknown, reason: string): void {
  const skipNow = memberOf(context, 'skip') ?? memberOf(self, 'skip')
  if (skipNow === undefined)
    throw new Error(
      `This test framework cannot skip a test while it runs, and a promise that is not claimed must not look kept (${reason}). ` +
        'Run runSandboxConformance(provider) in one test instead and look at its report.',
    )
  skipNow(reason)
}

function memberOf(owner: unknown, name: string): ((argument: unknown) => void) | undefined {
  // The context of vitest is a function.
  if ((typeof owner !== 'object' && typeof owner !== 'function') || owner === null) return undefined
  const member: unknown = Reflect.get(owner, name)
  return typeof member === 'function' ? member.bind(owner) : undefined
}
