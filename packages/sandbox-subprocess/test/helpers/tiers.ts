// The tiers that work on this machine, for tests that are to hold on each of them.
import type { Sandbox, SandboxOptions } from '@mendloop/core'
import { onTestFinished } from 'vitest'
import { onLinux } from '../../../core/test/helpers/requires.js'
import { isPresent } from '../../../core/test/helpers/skips.js'
import { type SubprocessOptions, subprocess } from '../../src/index.js'
import type { TierTest } from '../../src/tiers/choose-tier.js'
import { testTier } from '../../src/tiers/tier-test.js'

/** Tiers with walls. */
export type WalledTier = 'namespaces' | 'landlock'

/** The first tier whose self-test says that it works here. */
async function works(tier: WalledTier): Promise<boolean> {
  const answer: TierTest = await testTier(tier, undefined)
  if ('guarantees' in answer && answer.guarantees.processes !== 'none') return true
  const found = 'guarantees' in answer ? JSON.stringify(answer.guarantees) : answer.unavailable
  return isPresent(false, `tests of the "${tier}" tier cannot run here: ${found}`)
}

/** Whether each can be tested; what cannot is told once for each test file. */
export const tiersHere: readonly { tier: WalledTier; here: boolean }[] = onLinux('tiers with walls')
  ? [
      { tier: 'namespaces', here: await works('namespaces') },
      { tier: 'landlock', here: await works('landlock') },
    ]
  : []

/** Those that can. */
export const workingTiers: readonly WalledTier[] = tiersHere.flatMap(({ tier, here }) => (here ? [tier] : []))

/** Opens a sandbox of a tier and closes it after the test. */
export async function openTier(
  isolation: WalledTier | 'process',
  options: Omit<SubprocessOptions, 'minimum' | 'isolation'> = {},
  sandboxOptions?: SandboxOptions,
): Promise<Sandbox> {
  const sandbox = await subprocess({ ...options, isolation, minimum: isolation }).create(sandboxOptions)
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** Runs Python source and gives what it printed. @throws Error when it did not end with 0 */
export async function pythonSays(sandbox: Sandbox, source: string): Promise<string> {
  const { outcome, stdout, stderr } = await sandbox.exec(['python3', '-c', source])
  if (outcome.kind === 'exit' && outcome.code === 0) return stdout.text
  throw new Error(`${JSON.stringify(outcome)}: ${stderr.text}`)
}
