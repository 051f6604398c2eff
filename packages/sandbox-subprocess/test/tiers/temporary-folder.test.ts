// Where TMPDIR leads to no folder, or to one with a very long path, that is not taken for a fault of a tier.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openEngine } from '../../src/open-engine.js'
import { selfTest } from '../../src/tiers/self-test.js'
import { openTier, workingTiers } from '../helpers/tiers.js'

afterEach(() => void vi.unstubAllEnvs())

/** A folder whose path leaves no room for the name of a socket. */
function longFolder(): string {
  const root = mkdtempSync(join(tmpdir(), 'mendloop-long-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const path = join(root, 'long/'.repeat(28), 'folder')
  mkdirSync(path, { recursive: true })
  return path
}

describe.each(workingTiers)('in the "%s" tier', (tier) => {
  test('the self-test finds a place for its socket', async () => {
    vi.stubEnv('TMPDIR', longFolder())
    const { engine } = await openEngine(tier, { id: 'long', sharesNetwork: false, diskBytes: 1 << 20 })
    onTestFinished(() => engine.close())
    expect(await selfTest(engine)).toMatchObject({ isolation: tier, network: 'denied' })
  })
})

test.each([...workingTiers, 'process' as const])(
  'the "%s" tier says that TMPDIR leads nowhere',
  async (tier) => {
    vi.stubEnv('TMPDIR', '/nowhere-at-all')
    await expect(openTier(tier)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringMatching(
        /in \/nowhere-at-all \(ENOENT\)\. Set TMPDIR to a folder that this user can/,
      ),
    })
  },
)
