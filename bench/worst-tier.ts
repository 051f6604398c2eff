// A figure that is promised of every tier: it is as good as that of the worst.
import type { Sandbox, SandboxOptions } from '@mendloop/core'
import type { Measurement } from './figure.js'
import { rounded } from './measure.js'
import { inTier, type Tier } from './tier.js'

const TIERS: readonly Tier[] = ['process', 'landlock', 'namespaces']

/** What `measure` gives on each tier that works here, and of these the highest. */
export async function worstTier(
  options: SandboxOptions,
  samples: number,
  measure: (sandbox: Sandbox) => Promise<number>,
): Promise<Measurement> {
  const values: number[] = []
  for (const tier of TIERS) {
    const measured = await inTier(tier, options, async (sandbox) => {
      const value = await measure(sandbox)
      return { value: rounded(value), baseline: null, samples }
    })
    const value = 'skipped' in measured ? null : measured.value
    console.error(`  ${tier}: ${value ?? 'skipped'}`)
    if (value !== null) values.push(value)
  }
  if (values.length === 0) return { skipped: 'no tier works here' }
  return { value: Math.max(...values), baseline: null, samples }
}
