// Most examples open `subprocess()`, which refuses where a machine cannot isolate programs; a skip says so by name.
import { MendloopError } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

/**
 * Whether this machine isolates programs; if not, the skip and its reason are printed once per test file.
 *
 * @throws Error instead of skipping when MENDLOOP_REQUIRE_ALL is 1, as in `.ci/run`
 */
export async function isolationHere(): Promise<boolean> {
  try {
    await (await subprocess().create()).close()
    return true
  } catch (error) {
    if (!MendloopError.is(error, 'ISOLATION_UNAVAILABLE')) throw error
    const sentence = `examples that isolate programs cannot run here: ${error.message}`
    if (process.env['MENDLOOP_REQUIRE_ALL'] === '1') throw new Error(sentence, { cause: error })
    process.stderr.write(`skipped: ${sentence}\n`)
    return false
  }
}
