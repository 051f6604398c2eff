// Most examples open `subprocess()`, which refuses where a machine cannot isolate programs; a skip says so by name.
import { MendloopError } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { isPresent } from '../../../packages/core/test/helpers/skips.js'

/**
 * Whether this machine isolates programs; if not, the reason is told once for each test file.
 *
 * @throws Error instead of skipping when MENDLOOP_REQUIRE_ALL is 1, as in `.ci/run`
 */
export async function isolationHere(): Promise<boolean> {
  try {
    await (await subprocess().create()).close()
    return true
  } catch (error) {
    if (!MendloopError.is(error, 'ISOLATION_UNAVAILABLE')) throw error
    return isPresent(false, `examples that isolate programs cannot run here: ${error.message}`, error)
  }
}
