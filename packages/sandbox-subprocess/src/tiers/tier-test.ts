// The self-test of each tier, made once in the life of this process: the machine does not change under it.
import { MendloopError } from '@mendloop/core'
import type { IsolationTier } from '../options.js'
import { inWords } from '../system-error.js'
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
    return whyUnavailable(error)
  }
}

const PROCESS_LIMIT =
  "The system refuses this user another process (EAGAIN). Raise its limit of processes (ulimit -u, or a container's --ulimit nproc), end some of them, or run as a user with fewer: all with the same user id count, also those of other containers."

/** What a tier cannot be had for, and whether that is a fault of the tier at all. */
export function whyUnavailable(error: unknown): TierTest {
  const unavailable = inWords(error)
  if (/EAGAIN|Resource temporarily unavailable/.test(unavailable))
    return { unavailable: 'another process was refused (EAGAIN)', remedy: PROCESS_LIMIT }
  // What is not to be tried again has nothing to do with walls, and says itself what to do: there is no Python, say.
  if (MendloopError.is(error, 'SANDBOX_UNAVAILABLE') && !error.retryable)
    return { unavailable: error.details.reason, remedy: error.message.replace(/^subprocess\(\): /, '') }
  return { unavailable }
}
