// The examples that docs/inventory.md quotes do what it says.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isolationHere } from './helpers/isolation-here.js'

const isolated = await isolationHere()
const root = fileURLToPath(new URL('../..', import.meta.url))

function run(example: string): string {
  const argv = ['--conditions=@mendloop/source', '--import', 'tsx', `examples/${example}`]
  const options = { cwd: root, encoding: 'utf8', timeout: 60_000 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, options)
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return stdout
}

test.runIf(isolated)(
  'look-around says what the sandbox holds and tries what a reply denied',
  { timeout: 60_000 },
  () => {
    const output = run('look-around.ts')
    expect(output).toMatch(/^Python 3\.\d+\.\d+\S* with 100 open files\n/)
    expect(output).toContain('6 * 7 was computed as 42.')
    expect(output).toContain('the sum of 1, 2 and 3 is 6.')
  },
)

test.runIf(isolated)(
  'compare-timings names the faster way and reports the broken one',
  { timeout: 60_000 },
  () => {
    const output = run('compare-timings.ts')
    expect(output).toMatch(/^join \S+ ms\nconcatenation \S+ ms\nmisspelt AttributeError: /)
    expect(output).toContain('join is fastest\n"concatenation", the next, takes')
  },
)

test.runIf(isolated)('compare-results tells both values and times nothing', { timeout: 60_000 }, () => {
  expect(run('compare-results.ts').split('\n')).toEqual([
    'different-results',
    'The results differ, so nothing was timed: "asText" gives [ 1, 10, 5 ], "asNumbers" gives [ 1, 5, 10 ].',
    "{ kind: 'untimed', result: '[ 1, 10, 5 ]' }",
    '',
  ])
})
