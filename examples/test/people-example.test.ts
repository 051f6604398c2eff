// The example that asks a person does so in one process, and goes on in another.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isolationHere } from './helpers/isolation-here.js'

const isolated = await isolationHere()
const cwd = fileURLToPath(new URL('../..', import.meta.url))

function run(...args: string[]): string {
  const argv = ['--conditions=@mendloop/source', '--import', 'tsx', 'examples/ask-a-person.ts', ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
    cwd,
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return stdout
}

const ANSWERED = 'May there be folders in it? yes, remove them as well (person)\n'
const APPROVAL = 'The program can delete folders. May it run?'

test.runIf(isolated)(
  'a question is answered, an approval is given in another process, the program passes',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'mendloop-people-'))
    try {
      const file = join(folder, 'waiting.json')
      expect(run(file)).toBe(`May there be folders in it?\n${APPROVAL}\n${ANSWERED}needs-human\n`)
      expect(run(file, 'allow')).toBe(`${ANSWERED}${APPROVAL} allow (person)\nverified\n`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  // Two processes that each compile the example.
  120_000,
)
