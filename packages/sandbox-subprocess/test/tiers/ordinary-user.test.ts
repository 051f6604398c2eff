// What holds for an ordinary user, on root's machine too: walls, ids and control groups are others than root's.
import { describe, expect, test } from 'vitest'
import { canRunAsUser, runAsUser } from '../helpers/as-ordinary-user.js'
import { workingTiers } from '../helpers/tiers.js'

describe.runIf(workingTiers.length > 0 && canRunAsUser())('for an ordinary user', () => {
  test('the tiers hold, and its own files stay out of reach', async () => {
    const report = await runAsUser('tier-report')
    for (const tier of workingTiers)
      expect(report[tier]).toMatchObject({
        guarantees: { isolation: tier, network: 'denied', descendants: 'killed', syscalls: 'allow-list' },
        stdout: '42\n',
        changes: ['out.txt'],
        read: 'written',
        theft: [{ kind: 'exit', code: 1 }, ''],
        shell: [{ kind: 'exit', code: 0 }, '2\ndone\n', false],
      })
    expect(report.auto).toBe(workingTiers[0])
  }, 60_000)

  // An ordinary user's own run of the kit is that in `conformance`.
  test.each(process.getuid?.() === 0 ? workingTiers : [])(
    'the tier "%s" keeps its promises',
    async (tier) => {
      const found = await runAsUser('promises', { TIER: tier }, 270_000)
      expect(found.isolation).toBe(tier)
      expect(found.broken).toEqual([])
      expect(found.passed, JSON.stringify(found.skipped)).toBeGreaterThan(100)
    },
    280_000,
  )
})
