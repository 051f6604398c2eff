// More executions side by side than a sandbox has control groups.
import { setTimeout } from 'node:timers/promises'
import { runProgram, type SandboxProcess } from '@mendloop/core'
import { describe, expect, test } from 'vitest'
import { CgroupSlots, MOST_STAYING, SLOTS } from '../../src/cgroups/slots.js'
import { canBound } from '../helpers/cgroups.js'
import { until } from '../helpers/processes.js'
import { openTier, workingTiers } from '../helpers/tiers.js'

const COUNT = 20
const MIB = 1024 * 1024
/** Two processes that each keep within the limit, and together do not. */
const greedy = `
import os, time
child = os.fork()
block = bytearray(80 * 1024 * 1024)
for offset in range(0, len(block), 4096): block[offset] = 1
if child == 0: time.sleep(1); os._exit(0)
os._exit(0 if os.waitpid(child, 0)[1] == 0 else 1)`

describe.runIf(canBound('memory')).each(workingTiers)('in the "%s" tier', (tier) => {
  test('every one of many executions is bounded as its result says', async () => {
    const sandbox = await openTier(tier, {}, { limits: { memoryBytes: 128 * MIB } })
    const results = await Promise.all(
      Array.from({ length: COUNT }, () => sandbox.exec(['python3', '-c', greedy])),
    )
    expect(results.map(({ guarantees }) => guarantees.memory)).toEqual(Array(COUNT).fill('per-execution'))
    const bounds = results.map(({ outcome }) => outcome)
    expect(bounds).toEqual(Array(COUNT).fill({ kind: 'resource', limit: 'memory' }))
  }, 60_000)

  test('every one of many programs in the runner is, too', async () => {
    const sandbox = await openTier(tier, {}, { limits: { memoryBytes: 128 * MIB } })
    const results = await Promise.all(
      Array.from({ length: COUNT }, () => runProgram(sandbox, { files: { 'main.py': greedy } })),
    )
    expect(results.map(({ outcome }) => outcome)).toEqual(
      Array(COUNT).fill({ kind: 'resource', limit: 'memory' }),
    )
  }, 60_000)

  test('an execution waits in turn, its time begins with it, and an abort or close ends the wait', async () => {
    const sandbox = await openTier(tier)
    const stop = new AbortController()
    const release = new AbortController()
    let held = 0
    const holders = Array.from({ length: SLOTS }, () =>
      sandbox.exec('echo held; sleep 60', {
        limits: { wallMs: 60_000 },
        signal: release.signal,
        onOutput: () => void held++,
      }),
    )
    // Calls made at the same time come to their places in any order.
    await until('every place is held', () => held === SLOTS)
    const late = sandbox.exec('echo ran', { limits: { wallMs: 1_000 } })
    const program = runProgram(
      sandbox,
      { files: { 'main.py': 'print("ran")' } },
      { limits: { wallMs: 1_000 } },
    )
    const aborted = sandbox.exec('echo ran', { signal: stop.signal })
    const piped = await sandbox.spawn?.(['cat'])
    void piped?.write('in ')
    void piped?.write('order')
    piped?.end()
    await setTimeout(200)
    stop.abort()
    expect(await aborted).toMatchObject({ outcome: { kind: 'aborted' }, stdout: { text: '' } })
    await setTimeout(1_200)
    release.abort()
    expect(await late).toMatchObject({ ok: true, stdout: { text: 'ran\n' } })
    expect(await program).toMatchObject({ ok: true, stdout: { text: 'ran\n' } })
    for (const { outcome } of await Promise.all(holders)) expect(outcome).toEqual({ kind: 'aborted' })
    let text = ''
    for await (const { data } of piped?.output ?? []) text += Buffer.from(data).toString()
    expect(text).toBe('in order')
    let running = 0
    const onOutput = (): void => void running++
    const again = Array.from({ length: SLOTS + 2 }, () =>
      sandbox.exec('echo go; sleep 60', { limits: { wallMs: 60_000 }, onOutput }),
    )
    await until('all that have a place run', () => running === SLOTS)
    await sandbox.close()
    for (const { outcome } of await Promise.all(again)) expect(outcome).toEqual({ kind: 'aborted' })
  }, 60_000)

  test('open processes leave places for executions, and one too many is told of', async () => {
    const sandbox = await openTier(tier)
    const open = async () =>
      (await sandbox.spawn?.(['cat'], { limits: { wallMs: 3_600_000 } })) as SandboxProcess
    const held = await Promise.all(Array.from({ length: MOST_STAYING }, open))
    const next = await open()
    const tooMany = await open()
    expect((await sandbox.exec('echo beside')).stdout.text).toBe('beside\n')
    expect(await runProgram(sandbox, 'print("beside")')).toMatchObject({ stdout: { text: 'beside\n' } })
    held[0]?.end()
    await next.write('its turn')
    expect(await tooMany.outcome).toMatchObject({
      kind: 'lost',
      cause: expect.stringMatching(
        /^12 processes with open pipes, such as sessions, run in this sandbox already/,
      ),
    })
    next.end()
    expect(await next.outcome).toEqual({ kind: 'exit', code: 0 })
  }, 60_000)

  test('a sandbox that gets no control groups does not say that it has them', async () => {
    await openTier(tier)
    const open = CgroupSlots.open
    CgroupSlots.open = () => undefined
    try {
      const sandbox = await openTier(tier)
      expect(sandbox.guarantees.memory).toBe('per-process')
    } finally {
      CgroupSlots.open = open
    }
  })
})
