// The self-test of each tier, made once in the life of this process: the machine does not change under it.
import type { IsolationTier } from '../options.js'
import type { TierTest } from './choose-tier.js'
import { openRunnerEngine } from './open-engine.js'
import { openSeatbeltEngine } from './seatbelt.js'
import { selfTest } from './self-test.js'

/** Small, but the self-test needs next to nothing. */
const DISK_BYTES = 4 * 1024 * 1024

const known = new Map<string, Promise<TierTest>>()

/** Tests a tier with the interpreter that its programs will have. Never rejects. */
export function testTier(tier: IsolationTier, python: string | undefined): Promise<TierTest> {
  const key = `${tier}\0${python ?? ''}`
  const tested = known.get(key) ?? runTest(tier, python)
  known.set(key, tested)
  // What is missing now may be installed by the next call.
  void tested.then((answer) => 'unavailable' in answer && known.delete(key))
  return tested
}

async function runTest(tier: IsolationTier, python: string | undefined): Promise<TierTest> {
  try {
    const request = { python, sharesNetwork: false, diskBytes: DISK_BYTES }
    const engine =
      tier === 'landlock' || tier === 'namespaces'
        ? await openRunnerEngine({ tier, ...request })
        : await openSeatbeltEngine(request)
    try {
      return { guarantees: await selfTest(engine) }
    } finally {
      await engine.close()
    }
  } catch (error) {
    return { unavailable: error instanceof Error ? error.message : String(error) }
  }
}
