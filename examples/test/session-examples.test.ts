// The examples of sessions do what their page says.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isolationHere } from './helpers/isolation-here.js'

const isolated = await isolationHere()
const root = fileURLToPath(new URL('../..', import.meta.url))

function run(example: string): string {
  const argv = ['--conditions=@mendloop/source', '--import', 'tsx', `examples/${example}`]
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

test.runIf(isolated)(
  'session keeps its variables over a mistake and a timeout, and says what a death costs',
  {
    timeout: 60_000,
  },
  () => {
    expect(run('session.ts').split('\n')).toEqual([
      'sorting [1, 2, 3]',
      'IndexError in <cell 3>, line 3: return rows[9]',
      'timeout 3',
      'The session was restarted because a cell ended the process with exit code 9. All variables and imports are gone: numbers, tenth. Nothing was run again.',
      'epoch 2',
      '',
    ])
  },
)

test.runIf(isolated)(
  'host-functions enriches a table, and refuses what does not fit',
  { timeout: 60_000 },
  () => {
    expect(run('host-functions.ts').split('\n')).toEqual([
      'asked: capital',
      'asked: capital',
      "[{'country': 'France', 'capital': 'Paris'}, {'country': 'Japan', 'capital': 'Tokyo'}]",
      'asked: capital, refused: invalid-input',
      'HostError',
      '',
    ])
  },
)
