// One tier of this package against the promises that every sandbox makes.
import { MendloopError } from '@mendloop/core'
import { sandboxConformance } from '@mendloop/core/testing'
import { describe, test } from 'vitest'
import { canaryHost } from '../../../core/test/helpers/canary-host.js'
import { isPresent } from '../../../core/test/helpers/skips.js'
import { type IsolationTier, subprocess } from '../../src/index.js'

/** Defines a test for each promise; where this machine lacks the tier, says why. */
export async function keepsItsPromises(tier: IsolationTier): Promise<void> {
  const provider = subprocess({ isolation: tier, minimum: tier })
  if (!(await isHere(tier))) return
  describe(`tier ${tier}`, () => {
    // The machine may be busy with other tests.
    sandboxConformance({ describe, it: test }, provider, { host: canaryHost, overrunMs: 4_000 })
  })
}

/** Whether a tier works on this machine. */
async function isHere(tier: IsolationTier): Promise<boolean> {
  try {
    await (await subprocess({ isolation: tier, minimum: tier }).create()).close()
    return true
  } catch (error) {
    if (!MendloopError.is(error, 'ISOLATION_UNAVAILABLE')) throw error
    return isPresent(false, `the tier "${tier}" cannot be tested here: ${error.message}`, error)
  }
}
