import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { onLinux } from '../../core/test/helpers/requires.js'

const MOST_MIB = 64

test.runIf(onLinux('how much memory a process has used'))(
  'files of 100 MB, and archives of them, pass through within 64 MiB of memory',
  async () => {
    const fixture = fileURLToPath(new URL('./fixtures/measures-memory.ts', import.meta.url))
    const argv = ['--expose-gc', '--conditions=@mendloop/source', '--import', 'tsx', fixture]
    const { stdout } = await promisify(execFile)(process.execPath, argv, { timeout: 110_000 })
    const grown: Record<string, number> = JSON.parse(stdout)
    expect(Object.keys(grown)).toEqual([
      '100 MB in',
      '100 MB out',
      ...['zip', 'tar', 'tar.gz'].flatMap((format) => [
        `100 MB into a ${format}`,
        `100 MB out of a ${format}`,
      ]),
    ])
    for (const [what, mebibytes] of Object.entries(grown)) expect(mebibytes, what).toBeLessThan(MOST_MIB)
  },
  120_000,
)
