// One tier of this package against the promises that every sandbox makes.
import { MendloopError } from '@mendloop/core'
import { sandboxConformance } from '@mendloop/core/testing'
import { describe, test } from 'vitest'
import { canaryHost } from '../../../core/test/helpers/canary-host.js'
import { type IsolationTier, subprocess } from '../../src/index.js'

/** Defines a test for each promise; where this machine lacks the tier, one that is skipped and says why. */
export async function keepsItsPromises(tier: IsolationTier): Promise<void> {
  const provider = subprocess({ isolation: tier, minimum: tier })
  const missing = await whyMissing(tier)
  describe(`tier ${tier}`, () => {
    if (missing === undefined)
      // The machine may be busy with other tests.
      sandboxConformance({ describe, it: test }, provider, { host: canaryHost, overrunMs: 4_000 })
    else test.skip(`keeps its promises: ${missing}`, () => undefined)
  })
}

/** The reason why a tier does not work on this machine; where everything must run, it is an error. */
async function whyMissing(tier: IsolationTier): Promise<string | undefined> {
  try {
    await (await subprocess({ isolation: tier, minimum: tier }).create()).close()
    return undefined
  } catch (error) {
    if (!MendloopError.is(error, 'ISOLATION_UNAVAILABLE')) throw error
    const sentence = `the tier "${tier}" cannot be tested here: ${error.message}`
    if (process.env['MENDLOOP_REQUIRE_ALL'] === '1') throw new Error(sentence, { cause: error })
    process.stderr.write(`skipped: ${sentence}\n`)
    return error.details.remedy
  }
}
