// A sandbox of one tier for a measurement; a tier that is not to be had here is a reason to skip, no failure.
import { MendloopError, type Sandbox, type SandboxOptions } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import type { Measurement } from './figure.js'

/** Tiers that are measured. */
export type Tier = 'process' | 'landlock' | 'namespaces'

/** Opens a sandbox, measures in it, closes it. */
export async function inTier(
  isolation: Tier,
  options: SandboxOptions,
  measure: (sandbox: Sandbox) => Promise<Measurement>,
): Promise<Measurement> {
  let sandbox: Sandbox
  try {
    sandbox = await subprocess({ isolation, minimum: isolation }).create(options)
  } catch (error) {
    if (MendloopError.is(error, 'ISOLATION_UNAVAILABLE')) return { skipped: error.message }
    throw error
  }
  await using open = sandbox
  return await measure(open)
}
