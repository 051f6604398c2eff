import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tiersHere } from './helpers/tiers.js'

const EXECUTIONS = 2_000
const MOST_GROWN_BYTES = 32 * 1024 ** 2

describe.each(tiersHere)('$tier', ({ tier, here }) => {
  test.runIf(here)(
    `${EXECUTIONS} executions in a row, with timeouts, crashes and aborts among them, leave nothing behind`,
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'soak-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      // Programs may run as a user of their own.
      await chmod(folder, 0o755)
      const fixture = fileURLToPath(new URL('./fixtures/soak.ts', import.meta.url))
      const argv = ['--expose-gc', '--conditions=@mendloop/source', '--import', 'tsx', fixture]
      const { stdout } = await promisify(execFile)(process.execPath, [...argv, tier, String(EXECUTIONS)], {
        timeout: 170_000,
        // A folder that nobody else puts anything into.
        env: { ...process.env, TMPDIR: folder },
      })
      const { wrong, untouched, early, late, closed } = JSON.parse(stdout)
      expect(wrong).toEqual([])
      const { residentBytes: before, ...kept } = early
      const { residentBytes: after, ...left } = late
      expect(left).toEqual(kept)
      expect(after - before).toBeLessThan(MOST_GROWN_BYTES)
      expect(closed.listeners).toBe(0)
      expect(closed.temporary).toBe(untouched.temporary)
      expect(closed.processes).toBe(untouched.processes)
      expect(closed.descriptors).toBe(untouched.descriptors)
    },
    180_000,
  )
})
