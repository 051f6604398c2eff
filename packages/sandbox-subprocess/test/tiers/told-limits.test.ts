// What is told of limits is what a program really runs into: their number, the blame for them, and the time it took.
import { inventory, runProgram } from '@mendloop/core'
import { describe, expect, test } from 'vitest'
import { openTier, workingTiers } from '../helpers/tiers.js'

const MIB = 1024 * 1024

/** Forks at most 100 times; the children end by themselves. */
const FORKS = `
import os, time
born = 0
try:
    for _ in range(100):
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)
        born += 1
finally:
    print(born, flush=True)`

/** Leaves much to look through. */
const LEAVES_MUCH = `
for number in range(4): open(f'f{number}', 'wb').write(bytes(60 << 20))
for number in range(900): open(f'small{number}', 'w').write('x' * 4000)
print('done', flush=True)`

describe.each(workingTiers)('in the "%s" tier', (tier) => {
  test('the inventory tells as many processes as a program gets', async () => {
    const sandbox = await openTier(tier, {}, { limits: { processes: 20 } })
    expect((await inventory(sandbox)).limits.processes).toBe(20)
    const { outcome, stdout } = await runProgram(sandbox, FORKS)
    expect(outcome).toEqual({ kind: 'resource', limit: 'processes' })
    // The program itself is one of them. Others of this user come and go meanwhile, where theirs are counted as well.
    const isOwn = sandbox.guarantees.pids === 'per-sandbox'
    expect(Number(stdout.text)).toBeLessThan(isOwn ? 20 : 60)
    if (isOwn) expect(Number(stdout.text)).toBeGreaterThan(14)
  })

  test('a wall limit never tells of less time than it gave', async () => {
    const sandbox = await openTier(tier)
    for (let round = 0; round < 5; round++) {
      const limits = { wallMs: 150 }
      const sleeps = 'import time; time.sleep(9)'
      const program = await runProgram(sandbox, sleeps, { limits })
      const command = await sandbox.exec(['sleep', '9'], { limits })
      for (const { outcome, durationMs } of [program, command]) {
        expect(outcome).toEqual({ kind: 'timeout', clock: 'wall', limitMs: 150 })
        expect(durationMs).toBeGreaterThanOrEqual(150)
      }
    }
  })

  test('the time of a program is no shorter than the processor time that it used alone', async () => {
    const sandbox = await openTier(tier)
    for (let round = 0; round < 10; round++) {
      // So long that what its process used before it began, on a slow machine as much as it itself, is little of it.
      const { durationMs, usage } = await runProgram(sandbox, 'sum(range(4_000_000))')
      expect(durationMs).toBeGreaterThan((usage.cpuMs ?? 0) / 2)
    }
  })
})

describe.each([...workingTiers, 'process'] as const)('in the "%s" tier', (tier) => {
  test('a program that ended in time is not late because of what it left', async () => {
    const sandbox = await openTier(tier)
    const run = async (wallMs: number) => {
      const startedAt = performance.now()
      const result = await runProgram(sandbox, LEAVES_MUCH, { limits: { wallMs }, collect: true })
      return { ...result, wallMs, tookMs: performance.now() - startedAt }
    }
    const overTime: unknown[] = []
    let { durationMs, tookMs } = await run(30_000)
    // A machine that was slow meanwhile has shown nothing; the next time it may.
    for (let round = 0; round < 5 && overTime.length === 0; round++) {
      const next = await run(Math.round((durationMs + tookMs) / 2))
      if (next.tookMs > next.wallMs && next.durationMs < next.wallMs) overTime.push(next)
      else ({ durationMs, tookMs } = await run(30_000))
    }
    expect(overTime).toMatchObject([{ outcome: { kind: 'exit', code: 0 }, stdout: { text: 'done\n' } }])
  }, 60_000)
})

test.runIf(workingTiers.includes('namespaces'))(
  'a workspace that was full before is not blamed for what fails in it',
  async () => {
    const sandbox = await openTier('namespaces', { limits: { diskBytes: 2 * MIB } })
    const disk = { kind: 'resource', limit: 'disk' }
    expect((await sandbox.exec('head -c 9000000 /dev/zero > large; exit 3')).outcome).toEqual(disk)
    expect((await sandbox.exec('exit 3')).outcome).toEqual({ kind: 'exit', code: 3 })
    await sandbox.files.remove('large')
    expect((await sandbox.exec('head -c 9000000 /dev/zero > again; exit 3')).outcome).toEqual(disk)
  },
)
