import { expect, onTestFinished, test } from 'vitest'
import type { Engine } from '../../src/engine.js'
import { openEngine } from '../../src/open-engine.js'
import { selfTest } from '../../src/tiers/self-test.js'
import { testTier } from '../../src/tiers/tier-test.js'
import { seesProcesses } from '../helpers/processes.js'
import { workingTiers } from '../helpers/tiers.js'

test.runIf(seesProcesses)(
  'where there are no walls the self-test finds every one of them missing, whatever the engine claims',
  async () => {
    const request = { id: 'liar', python: undefined, sharesNetwork: false, diskBytes: 1 }
    const { engine } = await openEngine('process', request)
    onTestFinished(() => engine.close())
    const claimed = await testTier('namespaces', undefined)
    const liar: Engine = {
      ...engine,
      guarantees: 'guarantees' in claimed ? claimed.guarantees : engine.guarantees,
      prepare: () => engine.prepare(),
      openInput: (data) => engine.openInput(data),
      start: (launch) => engine.start(launch),
      close: () => engine.close(),
    }
    expect(await selfTest(liar)).toMatchObject({
      network: 'host',
      files: 'same-user',
      processes: 'none',
      pids: 'none',
    })
  },
)

test.runIf(workingTiers.length > 0).each(workingTiers)('the "%s" tier is tested once', async (tier) => {
  const [first, again] = [testTier(tier, undefined), testTier(tier, undefined)]
  expect(again).toBe(first)
  expect(await first).toMatchObject({
    guarantees: { isolation: tier, network: 'denied', syscalls: 'allow-list' },
  })
})
