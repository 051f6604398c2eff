// The example that docs/files.md quotes does what the page says.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isolationHere } from './helpers/isolation-here.js'

const isolated = await isolationHere()
const root = fileURLToPath(new URL('../..', import.meta.url))

test.runIf(isolated)(
  'files-in-and-out unpacks an upload, looks at it, and packs what a program made of it',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'mendloop-example-'))
    try {
      const archive = join(folder, 'results.tar.gz')
      const argv = [
        '--conditions=@mendloop/source',
        '--import',
        'tsx',
        'examples/files-in-and-out.ts',
        archive,
      ]
      const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
        cwd: root,
        encoding: 'utf8',
        timeout: 60_000,
      })
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout).toContain('input/project/data.csv 26 bytes []\n')
      expect(stdout).toContain("mime: 'text/csv'")
      expect(stdout).toMatch(
        /created output\/square\.bin [0-9a-f]{8}\ncreated output\/total\.txt [0-9a-f]{8}\n29\.5\n/,
      )
      expect(stdout).toContain(
        '00000010  00 21 44 69 90 b9 e4 11  40 71 a4 d9 10 49 84 c1  |.!Di....@q...I..|\n',
      )
      expect(stdout).toContain('not-an-archive The archive is no zip')
      expect(readFileSync(archive).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
