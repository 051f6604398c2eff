// Jest and Vitest's vmThreads run tests in a vm realm, where much that Node gives is an instance of no class at hand.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { requires } from '../../core/test/helpers/requires.js'
import { subprocess } from '../src/index.js'

const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))
const config = fileURLToPath(new URL('fixtures/vm-realm/vitest.config.ts', import.meta.url))

test.runIf(requires('python3'))(
  'everything works in a vm realm as it does outside of one',
  async () => {
    const sandbox = await subprocess({ minimum: 'process' }).create()
    await sandbox.close()
    const env = { ...process.env, MENDLOOP_TEST_TIER: sandbox.guarantees.isolation, NO_COLOR: '1' }
    const inner = await promisify(execFile)(process.execPath, [vitest, 'run', '--config', config], {
      env,
    }).catch((error: { stdout: string; stderr: string }) => error)
    expect(inner.stdout + inner.stderr).toMatch(/Tests +2 passed \(2\)/)
  },
  120_000,
)
