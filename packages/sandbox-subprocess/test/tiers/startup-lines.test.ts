// Code in .pth files, which Python runs at each start: with the runner, once a program imports what is installed.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareRunner, runProgram, type Sandbox } from '@mendloop/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pythonIsAtLeast } from '../../../core/test/helpers/requires.js'
import { openTier, workingTiers } from '../helpers/tiers.js'

// Older ones do not say which modules are their own.
const linesCanWait = pythonIsAtLeast(10)
const STATE = 'import builtins\nprint(getattr(builtins, "started", None))'

describe.each(workingTiers)('in the "%s" tier, the lines of .pth files', (tier) => {
  let folder: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mendloop-lines-'))
    chmodSync(folder, 0o755)
    spawnSync('python3', ['-m', 'venv', '--without-pip', folder], { encoding: 'utf8' })
    const lib = join(folder, 'lib')
    const site = join(lib, readdirSync(lib)[0] ?? '', 'site-packages')
    const line =
      'import builtins, installed_too; builtins.started = sys._getframe(1).f_locals["sitedir"].rsplit("/", 1)[1]'
    writeFileSync(join(site, 'lines.pth'), `${site}/more\nimport sys; ${line}\nimport nothing_of_this_name\n`)
    writeFileSync(join(site, 'installed.py'), 'import builtins\nSEEN = builtins.started\n')
    writeFileSync(join(site, 'installed_too.py'), 'HERE = True\n')
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const open = (): Promise<Sandbox> => openTier(tier, { python: join(folder, 'bin', 'python3') })

  const says = async (sandbox: Sandbox, main: string, files = {}): Promise<string> => {
    const { stdout, stderr, engine } = await runProgram(sandbox, { files: { 'main.py': main, ...files } })
    expect(engine).toBe('runner')
    return stdout.text + stderr.text
  }

  test.runIf(linesCanWait)(
    'wait while programs import what is Python’s own or theirs, and not any longer',
    async () => {
      const sandbox = await open()
      const own = `import json, mine, distutils_of_mine\n${STATE}`
      const files = { 'mine.py': '', 'distutils_of_mine.py': '', 'installed_too.py': '1 / 0' }
      expect(await says(sandbox, own, files)).toBe('None\n')

      expect(await says(sandbox, 'import installed\nprint(installed.SEEN)', files)).toBe('site-packages\n')
      // From then on each fork has what they did.
      await expect.poll(() => says(sandbox, STATE), { timeout: 10_000 }).toBe('site-packages\n')
    },
  )

  test('are run before packages are imported ahead', async () => {
    const other = await open()
    expect((await prepareRunner(other, { preload: ['installed'] })).failed).toEqual({})
    expect(await says(other, STATE)).toBe('site-packages\n')
  })

  test('do not hide that a module is nowhere', async () => {
    expect(await says(await open(), 'import surely_not_there')).toMatch(
      /ModuleNotFoundError: No module named 'surely_not_there'\n$/,
    )
  })
})
