// Processor time of processes that nobody waits for: only a control group counts it.
import { runProgram } from '@mendloop/core'
import { describe, expect, test } from 'vitest'
import { canBound } from '../helpers/cgroups.js'
import { openTier, workingTiers } from '../helpers/tiers.js'

/** Each child burns a fifth of a second and ends unseen; there are no more than forty. */
const UNSEEN = `
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(40):
    if os.fork() == 0:
        until = time.process_time() + 0.2
        while time.process_time() < until: pass
        os._exit(0)
    time.sleep(0.15)
print('got through')`

describe.runIf(canBound('cpu')).each(workingTiers)('in the "%s" tier', (tier) => {
  test('children that nobody waits for count into the limit and the usage', async () => {
    const sandbox = await openTier(tier)
    const limits = { cpuMs: 1_000, wallMs: 60_000 }
    const { outcome, stdout, usage } = await runProgram(sandbox, UNSEEN, { limits })
    expect(outcome).toEqual({ kind: 'timeout', clock: 'cpu', limitMs: 1_000 })
    expect(stdout.text).toBe('')
    expect(usage.cpuMs).toBeGreaterThan(1_500)
    // The next one in the same group begins at nothing.
    const next = await runProgram(sandbox, 'print(1)', { limits })
    expect(next).toMatchObject({ outcome: { kind: 'exit', code: 0 }, stdout: { text: '1\n' } })
    expect(next.usage.cpuMs).toBeLessThan(1_000)
  }, 60_000)
})
