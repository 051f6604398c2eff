// The limits that a sandbox was given are those that a program measures inside it, and those that stop it.
import { inventory } from '@mendloop/core'
import { describe, expect, test } from 'vitest'
import { onLinux } from '../../core/test/helpers/requires.js'
import { openTier, pythonSays, workingTiers } from './helpers/tiers.js'

const MIB = 1024 * 1024
const GIVEN = { openFiles: 120, fileBytes: 3 * MIB, cpuMs: 9_000, memoryBytes: 400 * MIB }
const TIERS = ['process', ...workingTiers] as const

/** How far a program gets: open files, bytes of one file, bytes of memory. */
const REACH = `
import os
opened = []
try:
    while len(opened) < 1000: opened.append(os.open('/dev/null', os.O_RDONLY))
except OSError: pass
files = opened[-1] + 1
for one in opened: os.close(one)
size = 0
try:
    with open('large', 'wb', buffering=0) as file:
        while size < 100 << 20: size += file.write(b'x' * 65536)
except OSError: pass
os.remove('large')
held = []
try:
    while len(held) < 1000: held.append(bytearray(1 << 20))
except MemoryError: pass
print(files, size, len(held) << 20)`

describe.runIf(onLinux('limits seen from inside')).each(TIERS)('In the tier %s', (tier) => {
  test('what was given is measured and enforced, and no way out is found where none is promised', async () => {
    const sandbox = await openTier(tier, {}, { limits: GIVEN })
    const { limits, memoryBytes, network, writableFolders } = await inventory(sandbox)
    expect(limits).toMatchObject({
      openFiles: GIVEN.openFiles,
      fileBytes: GIVEN.fileBytes,
      cpuSeconds: GIVEN.cpuMs / 1000,
      dataBytes: GIVEN.memoryBytes,
    })
    expect(memoryBytes).toBeLessThanOrEqual(GIVEN.memoryBytes)
    const [files = 0, size = 0, held = 0] = (await pythonSays(sandbox, REACH)).split(' ').map(Number)
    expect(files).toBe(limits.openFiles)
    expect(size).toBe(limits.fileBytes)
    expect(held).toBeLessThan(GIVEN.memoryBytes)
    expect(held).toBeGreaterThan(GIVEN.memoryBytes / 2)
    if (sandbox.guarantees.network === 'denied') expect(network).toBe('none')
    expect(writableFolders).toContain(sandbox.workdir)
    if (sandbox.guarantees.files !== 'same-user') expect(writableFolders).not.toContain('/var/tmp')
  }, 60_000)
})
