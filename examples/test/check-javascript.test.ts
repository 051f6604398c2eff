// The example of the page on checks, for JavaScript, does what its page says.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isolationHere } from './helpers/isolation-here.js'

const isolated = await isolationHere()
const root = fileURLToPath(new URL('../..', import.meta.url))

test.runIf(isolated)(
  'check-javascript fails a wrong program and a cheat, and passes the right one',
  { timeout: 60_000 },
  () => {
    const argv = ['--conditions=@mendloop/source', '--import', 'tsx', 'examples/check-javascript.ts']
    const options = { cwd: root, encoding: 'utf8', timeout: 60_000 } as const
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, options)

    expect([status, stderr]).toEqual([0, ''])
    expect(stdout.split('\n').map((line) => line.trim())).toEqual([
      'wrong fail separate assertion []',
      'cheat fail separate early-exit',
      'right pass separate',
      '',
    ])
  },
)
