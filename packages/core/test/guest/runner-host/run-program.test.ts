// One table of programs through both engines: a fork of a warm interpreter, and a process of its own.
import type { Sandbox, SandboxProvider } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ProgramResult } from '../../../src/guest/runner/program-run.js'
import { runProgram } from '../../../src/guest/runner/run-program.js'
import { RUNS, type RunCase } from '../../fixtures/runs.js'
import { onLinux, requires } from '../../helpers/requires.js'
import { withoutSpawn } from '../../helpers/without-spawn.js'

const provider: SandboxProvider = subprocess({ isolation: 'process', minimum: 'process' })

/** Where an error is, as Python 3.11 and later point it out. */
const CARETS = /^ *[~^]+ *\n/gm
const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
const SIGNS = { created: '+', modified: '~', deleted: '-' } as const

/** What must be alike, without the name of the folder it ran in. */
function essence({ outcome, stdout, stderr, changes, files, withheld, ok }: ProgramResult): unknown {
  const masked = stderr.text.replaceAll(/(["\n]|^)\/[^"\n]*\/(?=main\.py)/g, '$1DIR/')
  // What is no file has a size only where it was looked at from outside.
  const known = changes.map(({ sizeBytes, ...change }) =>
    change.sha256 === undefined ? change : { ...change, sizeBytes },
  )
  return {
    outcome,
    ok,
    stdout,
    stderr: { ...stderr, text: masked, bytes: 0 },
    changes: known,
    files,
    withheld,
  }
}

const ENGINES = ['runner', 'process'] as const

describe.runIf(requires('python3') && onLinux('both engines of runProgram'))('runProgram', () => {
  let sandbox: Sandbox
  let bare: Sandbox

  beforeAll(async () => {
    sandbox = await provider.create({ limits: { wallMs: 30_000 } })
    bare = withoutSpawn(sandbox)
  })
  afterAll(() => sandbox.close())

  const run = async (engine: (typeof ENGINES)[number], one: RunCase): Promise<ProgramResult> => {
    const program = typeof one.program === 'string' ? { files: { 'main.py': one.program } } : one.program
    const result = await runProgram(engine === 'runner' ? sandbox : bare, program, one.options)
    expect(result.engine).toBe(engine)
    return result
  }

  test.each(RUNS)('gives the same from both engines when a program $name', async (one) => {
    const results = [await run('runner', one), await run('process', one)]
    for (const result of results) {
      const { outcome, stdout, stderr, changes } = essence(result) as ProgramResult
      const shown = JSON.stringify(result)
      expect(outcome, shown).toEqual(one.outcome)
      if (one.stdout === 'CUT') expect(stdout.truncated).toBe(true)
      else expect(stdout.text, shown).toBe(one.stdout ?? '')
      if (one.stderr === undefined) expect(stderr.text).toBe('')
      else expect(stderr.text.replaceAll(CARETS, '')).toMatch(new RegExp(`${escaped(one.stderr)}$`))
      expect(changes.map(({ kind, path }) => SIGNS[kind] + path)).toEqual(one.changes ?? [])
    }
    expect(results.map(essence)[0]).toEqual(results.map(essence)[1])
  })

  test('gives a process of its own a home and a temporary folder of its own, which are gone afterwards', async () => {
    const program =
      'import os, tempfile\nfor folder in {os.path.expanduser("~"), tempfile.gettempdir()}:\n' +
      '    print(os.listdir(folder))\n    open(folder + "/left", "w").close()'
    for (const name of ['first', 'second']) {
      const { stdout, changes } = await run('process', { name, program, outcome: { kind: 'exit', code: 0 } })
      expect([stdout.text, changes]).toEqual(['[]\n', []])
    }
    expect(await sandbox.files.list()).toEqual([])
  })

  test('names what a process of its own left too deep to look at as its program knows it', async () => {
    const program = "import os\nfor n in range(140):\n    os.mkdir('d')\n    os.chdir('d')"
    const { unseen } = await run('process', { name: 'digs', program, outcome: { kind: 'exit', code: 0 } })
    expect(unseen).toEqual([{ path: expect.stringMatching(/^d(\/d)+$/), reason: 'too-deep' }])
  })
})
