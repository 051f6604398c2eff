// Python programs checked by real tools in a real sandbox.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Sandbox } from '../../../src/contract/sandbox.js'
import { staticChecks } from '../../../src/verify/static/static-checks.js'
import { requires } from '../../helpers/requires.js'
import { hasTool, py, sandboxWith, short, turns } from './tools.js'

const checks = staticChecks({ types: true })

/** Paths in the workspace, to see that nothing ran and nothing was left. */
const paths = async (sandbox: Sandbox): Promise<string[]> =>
  (await sandbox.files.list()).map(({ path }) => path)

describe.runIf(requires('python3'))("The sandbox's Python", () => {
  test('finds errors of syntax that only its compiler sees, in every file, and runs nothing', async () => {
    await using sandbox = await sandboxWith()
    const text = "open('ran', 'w')\n"
    const candidate = {
      entry: 'solution.py',
      files: {
        'solution.py': `${text}def f():\n    x = 1\n    nonlocal x\n`,
        'lib/other.py': `${text}f(a for a in b, c)\n`,
      },
    }
    const report = await staticChecks().check({ candidate, sandbox })
    expect(report.failures.map(({ kind }) => kind)).toEqual(
      ['syntax', 'syntax', 'lint'].slice(0, report.failures.length),
    )
    expect(
      report.gating.filter(({ tool }) => tool === 'python3').map(({ path, line }) => `${path}:${line}`),
    ).toEqual(['lib/other.py:2', 'solution.py:4'])
    expect(report.gating[0]?.message).toMatch(/^SyntaxError: /u)
    expect(await paths(sandbox)).toEqual([])
  })

  test('decides what is Python, whatever Ruff knows of its version', async () => {
    await using sandbox = await sandboxWith()
    const report = await staticChecks().check({
      candidate: py('\ufeffmatch [1]:\n    case [x]: print(x)\n'),
      sandbox,
    })
    expect(turns(report)[0]).toBe('python3 sandbox ran')
    expect(report.gating).toEqual([])
  })

  test('is not there: the rest goes on without it', async () => {
    await using tools = await folderWith({ python3: 'exit 127' })
    await using sandbox = await sandboxWith(tools)
    const report = await staticChecks().check({ candidate: py('missing\n'), sandbox })
    expect(turns(report)).toEqual(['python3 sandbox not-available', 'ruff host ran'])
    expect(report.notes).toEqual([expect.stringContaining('apt-get install python3')])
    expect(short(report.gating)).toEqual(['F821 solution.py:1:1'])
  })
})

describe.runIf(requires('python3'))('A tool that misbehaves', () => {
  test('by printing nonsense is replaced by the one in this process', async () => {
    await using tools = await folderWith({ ruff: 'echo "all is well"' })
    await using sandbox = await sandboxWith(tools)
    const report = await staticChecks().check({ candidate: py('missing\n'), sandbox })
    expect(turns(report)).toEqual(['python3 sandbox ran', 'ruff host ran'])
    expect(short(report.gating)).toEqual(['F821 solution.py:1:1'])
  })

  test.each([
    ['by hanging', 'sleep 60', /had not ended after 700 ms/u],
    ['by crashing', 'echo "boom" >&2; exit 3', /exit code 3: boom/u],
    ['by printing nonsense', 'echo "hm"; exit 1', /could not be read/u],
    ['by killing itself', 'kill -9 $$', /signal/u],
  ])('%s blocks nothing and is told as not run', async (_name, script, reason) => {
    await using tools = await folderWith({ mypy: script })
    await using sandbox = await sandboxWith(tools)
    const own = staticChecks({ types: true, timeoutMs: 700 })
    const report = await own.check({ candidate: py('def f() -> int:\n    return "a"\n'), sandbox })
    expect(report.gating).toEqual([])
    const mypy = report.tools.find(({ tool }) => tool === 'mypy')
    expect(mypy).toMatchObject({ status: 'not-run', reason: expect.stringMatching(reason) })
    expect(await paths(sandbox)).toEqual([])
  })
})

describe.runIf(requires('python3') && hasTool('ruff'))('Ruff of the sandbox', () => {
  test('is asked before the one in this process, and reads no configuration of the program', async () => {
    await using sandbox = await sandboxWith('ruff')
    const config = '[lint]\nignore = ["F821"]\n'
    await sandbox.files.write({ 'ruff.toml': config })
    const candidate = { entry: 'a-b.py', files: { 'a-b.py': 'x = "𝕏é"; missing\n', 'ruff.toml': config } }
    const report = await staticChecks().check({ candidate, sandbox })
    expect(turns(report)).toEqual(['python3 sandbox ran', 'ruff sandbox ran'])
    expect(short(report.gating)).toEqual(['F821 a-b.py:1:12'])
    expect(await paths(sandbox)).toEqual(['ruff.toml'])
  })
})

describe.runIf(requires('python3') && hasTool('mypy'))('mypy', () => {
  const shop = {
    entry: 'solution.py',
    files: {
      'solution.py':
        'from prices import total\n\n\ndef show(rows: list[int]) -> str:\n    return total(rows)\n\n\nshow([1], 2)\nshow("ab")\n',
    },
  }
  const files = { 'prices.py': 'def total(rows: list[int]) -> int:\n    return sum(rows)\n' }

  test('finds wrong arity and wrong types, across files that the task brings', {
    timeout: 60_000,
  }, async () => {
    await using sandbox = await sandboxWith('mypy')
    const report = await checks.check({ candidate: shop, files, sandbox })
    expect(short(report.gating)).toEqual([
      'return-value solution.py:5:12',
      'call-arg solution.py:8:1',
      'arg-type solution.py:9:6',
    ])
    expect(report.failures[1]).toMatchObject({
      kind: 'type',
      message: 'Too many arguments for "show" (mypy call-arg)',
      location: { path: 'solution.py', line: 8, column: 1 },
    })
    const mended = {
      ...shop,
      files: { 'solution.py': shop.files['solution.py'].replace('show([1], 2)', 'show([1])') },
    }
    expect((await checks.check({ candidate: mended, previous: shop, files, sandbox })).findings).toEqual([])
  })

  test('runs no plugin that the program names', { timeout: 60_000 }, async () => {
    await using sandbox = await sandboxWith('mypy')
    const plugin = "open('/tmp/mendloop-plugin-ran', 'w')\ndef plugin(version): raise SystemExit(0)\n"
    const configured = {
      entry: 'solution.py',
      files: {
        'solution.py': 'x: int = len(3)\n',
        'evil.py': plugin,
        'mypy.ini': '[mypy]\nplugins = evil.py\nignore_errors = True\n',
      },
    }
    await sandbox.files.write(configured.files)
    const report = await checks.check({ candidate: configured, sandbox })
    expect(short(report.gating)).toEqual(['arg-type solution.py:1:14'])
  })
})

/** A folder of scripts that stand for tools of a machine. */
async function folderWith(
  scripts: Readonly<Record<string, string>>,
): Promise<{ folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'mendloop-static-'))
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(folder, name), 0o755)
  }
  await chmod(folder, 0o755)
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
