// Python programs checked in this process, by the WebAssembly build of Ruff that is a dependency of these tests.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MendloopError } from '../../../src/contract/errors.js'
import { parseHere } from '../../../src/verify/static/python-checks.js'
import { staticChecks } from '../../../src/verify/static/static-checks.js'
import { py, short, turns } from './tools.js'

const checks = staticChecks()

test('an undefined name gates, with its place, its line and a failure', async () => {
  const candidate = py('import math\n\n\ndef area(r):\n    return math.pi * raduis ** 2\n')
  const report = await checks.check({ candidate })
  expect(turns(report)).toEqual(['ruff host ran'])
  expect(report.gating).toEqual([
    {
      tool: 'ruff',
      rule: 'F821',
      kind: 'lint',
      severity: 'error',
      message: 'Undefined name `raduis`',
      path: 'solution.py',
      line: 5,
      column: 22,
      id: expect.stringMatching(/^F821-[0-9a-f]{16}$/u),
    },
  ])
  const [failure] = report.failures
  expect(failure).toMatchObject({ kind: 'lint', message: 'Undefined name `raduis` (ruff F821)' })
  expect(failure?.location).toEqual({ path: 'solution.py', line: 5, column: 22 })
  expect(failure?.excerpt).toContain('> 5 |     return math.pi * raduis ** 2\n    |                      ^')
  expect(failure?.fingerprint).toMatch(/^lint-[0-9a-f]{12}$/u)
})

test('style is told and does not gate, and the program is left as it is', async () => {
  const candidate = py('import os\ndef f(x, seen=[]):\n    y = 1\n    return x\n')
  const before = structuredClone(candidate)
  const report = await checks.check({ candidate })
  expect(report.gating).toEqual([])
  expect(report.failures).toEqual([])
  expect(short(report.advisory)).toEqual([
    'F401 solution.py:1:8',
    'B006 solution.py:2:15',
    'F841 solution.py:3:5',
  ])
  expect(candidate).toEqual(before)
})

test.each([
  ['a %-format with too few values', '"%s %s" % (1,)', 'F507'],
  ['str.format with too few values', '"{} {}".format(1)', 'F524'],
  ['a value returned by __init__', 'class A:\n    def __init__(self):\n        return 1', 'PLE0101'],
  ['a local variable before its assignment', 'x = 1\ndef f():\n    print(x)\n    x = 2', 'F823'],
  [
    'a special method with too few parameters',
    'class A:\n    def __getitem__(self):\n        ...',
    'PLE0302',
  ],
  ['a text that is raised', 'raise "no"', 'B016'],
  ['a keyword given twice', 'dict(a=1, **{"a": 2})', 'PLE1132'],
])('wrong use gates: %s', async (_name, text, rule) => {
  const { gating } = await checks.check({ candidate: py(`${text}\n`) })
  expect(gating.map((one) => one.rule)).toEqual([rule])
})

test.each([
  ['in quotes', 'def f(x: "Frame"): ...'],
  ['in an annotation after the future import', 'from __future__ import annotations\ndef f(x: Frame): ...'],
  ['in the annotation of a local variable', 'def f():\n    x: Frame = 1\n    return x'],
  ['in a program that makes names', 'exec("total = 1")\nprint(total)'],
])('a name that Python may never miss is only told: %s', async (_name, text) => {
  const report = await checks.check({ candidate: py(`${text}\n`) })
  expect(report.gating).toEqual([])
  expect(report.advisory.map(({ rule }) => rule)).toEqual(['F821'])
})

test('a name of an evaluated annotation gates', async () => {
  const { gating } = await checks.check({ candidate: py('def f(x: List[int]) -> int:\n    return 1\n') })
  expect(short(gating)).toEqual(['F821 solution.py:1:10'])
})

describe('Only what is new counts', () => {
  const old = 'def f():\n    return missing\n'

  test('a finding that the previous program had is not told, wherever its line has moved', async () => {
    const candidate = py(`# A comment.\n\n${old}\nprint(f(), other)\n`)
    const report = await checks.check({ candidate, previous: py(old) })
    expect(report.findings.map(({ message }) => message)).toEqual(['Undefined name `other`'])
  })

  test('a second one of the same words in the same words of code is new', async () => {
    const report = await checks.check({ candidate: py(old + old.replace('f()', 'g()')), previous: py(old) })
    expect(report.gating).toHaveLength(1)
  })

  test('a message that names another line is the same when only numbers differ', async () => {
    const twice = 'def f(): ...\ndef f(): ...\nf()\n'
    const { findings } = await checks.check({ candidate: py(twice) })
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Redefinition of unused `f` from line 1/u),
    ])
    const moved = await checks.check({ candidate: py(`\n\n${twice}`), previous: py(twice) })
    expect(moved.findings).toEqual([])
  })

  test('what was told is not told again, and gates no more', async () => {
    const first = await checks.check({ candidate: py(old) })
    expect(first.gating).toHaveLength(1)
    const told = new Set(first.findings.map(({ id }) => id))
    const again = await checks.check({ candidate: py(`${old}print(f())\n`), told })
    expect(again.findings).toEqual([])
    expect(again.failures).toEqual([])
  })
})

test('a text that is not Python has its place, by Ruff as by the grammar here', async () => {
  const report = await checks.check({ candidate: py('def f(x):\n    return (x +\n\nprint(1)\n') })
  expect(report.gating.every(({ kind }) => kind === 'syntax')).toBe(true)
  expect(report.failures[0]).toMatchObject({ kind: 'syntax', location: { path: 'solution.py' } })
})

test('where no tool is there, the grammar here tells where a text stops being Python', () => {
  const told = (text: string): string[] =>
    parseHere({ files: { 'a.py': text }, known: {}, timeoutMs: 1000, asked: [] }).findings.map(
      ({ rule, path, line, column }) => `${rule} ${path}:${line}:${column}`,
    )
  expect(told('x = 1\nfoo bar\n')).toEqual([expect.stringMatching(/^syntax a\.py:2:[5-9]$/u)])
  expect(told('def f(x):\n    return (x +\n')).toEqual([expect.stringMatching(/^syntax a\.py:[23]:/u)])
  expect(told('match = 2.\nprint(f"{match!r}")\n')).toEqual([])
})

test('a text that overflows a tool is not blocked by it', async () => {
  const deep = py(`x = ${'-'.repeat(30_000)}1\n`)
  const report = await checks.check({ candidate: deep })
  expect(turns(report)).toEqual(['ruff host not-run'])
  expect(report.tools[0]?.reason).toMatch(/^Ruff could not check this program: /u)
  expect(report.gating).toEqual([])
  expect((await checks.check({ candidate: py('missing\n') })).gating).toHaveLength(1)
})

test('columns count as strings here do', async () => {
  const report = await checks.check({ candidate: py('x = "𝕏é"; missing\n') })
  expect(short(report.gating)).toEqual(['F821 solution.py:1:12'])
})

describe('What a caller may ask for', () => {
  test('codes that gate, and codes that are not told', async () => {
    const own = staticChecks({ gate: ['B006', 'PLW0603'], ignore: ['F401'] })
    const text = 'import os\nn = 0\ndef f(seen=[]):\n    global n\n    n += len(seen)\n'
    const report = await own.check({ candidate: py(text) })
    expect(short(report.gating)).toEqual(['B006 solution.py:3:12', 'PLW0603 solution.py:4:12'])
    expect(report.advisory).toEqual([])
  })

  test('comments that silence a tool are honoured, unless they are to be ignored', async () => {
    const candidate = py('missing  # noqa: F821\n# ruff: noqa\nother\n')
    expect((await checks.check({ candidate })).findings).toEqual([])
    const report = await staticChecks({ suppressions: 'ignored' }).check({ candidate })
    expect(short(report.gating)).toEqual(['F821 solution.py:1:1', 'F821 solution.py:3:1'])
  })

  test('types without a sandbox are told as not available, in a note that comes once', async () => {
    const own = staticChecks({ types: true })
    const first = await own.check({ candidate: py('x = 1\n') })
    expect(turns(first)).toContain('mypy sandbox not-available')
    expect(first.notes).toEqual([expect.stringContaining('pip install mypy')])
    expect((await own.check({ candidate: py('x = 2\n') })).notes).toEqual([])
    const auto = await staticChecks({ types: 'auto' }).check({ candidate: py('x = 1\n') })
    expect(turns(auto)).toEqual(['ruff host ran'])
  })

  test('a misspelt option is refused by name, and one of a check is sent there', async () => {
    // @ts-expect-error: no such option
    expect(() => staticChecks({ type: true })).toThrow(/did you mean "types"/u)
    // @ts-expect-error: it belongs to a check
    expect(() => staticChecks({ sandbox: {} })).toThrow(/checks\.check\(\{ candidate, sandbox \}\)/u)
    // @ts-expect-error: no such field
    await expect(async () => checks.check({ candidate: py(''), before: py('') })).rejects.toThrow(
      /unknown option "before"/u,
    )
  })

  test('an abort ends it with ABORTED', async () => {
    const error = await checks
      .check({ candidate: py('x\n'), signal: AbortSignal.abort() })
      .catch((thrown: unknown) => thrown)
    expect(MendloopError.is(error, 'ABORTED')).toBe(true)
  })
})

test('a language without tools here has no findings, and no tools', async () => {
  const candidate = { entry: 'main.rs', files: { 'main.rs': 'fn main() { missing() }' } }
  expect(await checks.check({ candidate })).toEqual({
    findings: [],
    gating: [],
    advisory: [],
    failures: [],
    tools: [],
    notes: [],
  })
})

test('no text makes it throw', { timeout: 60_000 }, async () => {
  const word = fc.constantFrom(
    'def f(',
    ')',
    ':\n',
    '  ',
    '"""',
    "f'{",
    '}',
    '# noqa',
    'lambda ',
    '\ud800',
    '\0',
    '\r',
    'é',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(word).map((words) => words.join('')),
  )
  await fc.assert(
    fc.asyncProperty(text, async (program) => {
      const { findings } = await checks.check({ candidate: py(program) })
      for (const { line, column } of findings) {
        expect(line).toBeGreaterThan(0)
        expect(column).toBeGreaterThan(0)
      }
    }),
    { numRuns: 100 },
  )
})
