// The example of the guide to records does what the guide says.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { recordFromJsonl } from '@mendloop/core'
import { expect, test } from 'vitest'
import { isolationHere } from './helpers/isolation-here.js'

const isolated = await isolationHere()

test.runIf(isolated)(
  'record-a-run writes its record as it goes and reads prompts, run and training data from it',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'mendloop-example-'))
    try {
      const path = join(folder, 'run.jsonl')
      const source = ['--conditions=@mendloop/source', '--import', 'tsx', 'examples/record-a-run.ts']
      const { stdout, stderr } = spawnSync(process.execPath, [...source, path], {
        cwd: fileURLToPath(new URL('../..', import.meta.url)),
        encoding: 'utf8',
        timeout: 30_000,
      })
      expect(stderr).toBe('')
      const { events } = recordFromJsonl(readFileSync(path, 'utf8'))
      expect(stdout).toContain(`{ events: ${events.length}, complete: true }`)
      expect(stdout).toMatch(/call 1: 2 messages, \d+ tokens\ncall 2: 4 messages, \d+ tokens\n/)
      expect(stdout).toContain('attempt 1: false\nattempt 2: true\nverified from statistics import median\n')
      expect(stdout).toContain('system user assistant user assistant [')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
