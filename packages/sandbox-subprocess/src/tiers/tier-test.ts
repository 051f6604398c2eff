// The self-test of each tier, made once in the life of this process: the machine does not change under it.
import { MendloopError } from '@mendloop/core'
import { isForWantOfFiles, OPEN_FILES_REMEDY } from '../open-file-limit.js'
import type { IsolationTier } from '../options.js'
import { inWords } from '../system-error.js'
import type { TierTest } from './choose-tier.js'
import { type PythonChoice, pythonOn } from './installations.js'
import { openRunnerEngine } from './open-engine.js'
import { openSeatbeltEngine } from './seatbelt.js'
import { selfTest } from './self-test.js'

/** Small, but the self-test needs next to nothing. */
const DISK_BYTES = 4 * 1024 * 1024

const known = new Map<string, Promise<TierTest>>()

/** Tests a tier with the interpreter that its programs will have, which is the usual one by default. Never rejects. */
export function testTier(tier: IsolationTier, choice: PythonChoice = {}): Promise<TierTest> {
  const { python = '', path } = choice
  if (path === undefined) return testOnce(tier, choice, python)
  return pythonOn(path).then((found) => testOnce(tier, choice, found?.file ?? python))
}

function testOnce(tier: IsolationTier, choice: PythonChoice, python: string): Promise<TierTest> {
  const key = `${tier}\0${python}`
  const tested = known.get(key) ?? runTest(tier, choice)
  known.set(key, tested)
  // What is missing now may be installed by the next call.
  void tested.then((answer) => 'unavailable' in answer && known.delete(key))
  return tested
}

async function runTest(tier: IsolationTier, choice: PythonChoice): Promise<TierTest> {
  try {
    const request = { ...choice, sharesNetwork: false, diskBytes: DISK_BYTES }
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
  if (isForWantOfFiles(error))
    return { unavailable: `another open file was refused (${unavailable})`, remedy: OPEN_FILES_REMEDY }
  // What is not to be tried again has nothing to do with walls, and says itself what to do: there is no Python, say.
  if (MendloopError.is(error, 'SANDBOX_UNAVAILABLE') && !error.retryable)
    return { unavailable: error.details.reason, remedy: error.message.replace(/^subprocess\(\): /, '') }
  return { unavailable }
}
