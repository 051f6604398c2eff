import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { onLinux } from '../../core/test/helpers/requires.js'

const MOST_MIB = 64

test.runIf(onLinux('how much memory a process has used'))(
  'files of 100 MB, and one of 150 MB in a zip, pass through within 64 MiB of memory',
  async () => {
    const fixture = fileURLToPath(new URL('./fixtures/measures-memory.ts', import.meta.url))
    const argv = ['--expose-gc', '--conditions=@mendloop/source', '--import', 'tsx', fixture]
    const { stdout } = await promisify(execFile)(process.execPath, argv, { timeout: 110_000 })
    const grown: Record<string, number> = JSON.parse(stdout)
    expect(Object.keys(grown)).toEqual([
      '100 MB in',
      '100 MB out',
      '150 MB into a zip',
      '150 MB out of a zip',
    ])
    for (const [what, mebibytes] of Object.entries(grown)) expect(mebibytes, what).toBeLessThan(MOST_MIB)
  },
  120_000,
)
