// The runner of bug cases must not believe anyone: neither a case that it does not understand nor one that lies.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requires } from '../../packages/core/test/helpers/requires.js'
import type { CaseResult, Summary } from '../cases/report.js'
import { kindsWithRunner } from '../cases/run-case.js'
import { builtKinds } from '../cases/vocabulary.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Files of cases, `id/name` → content; objects become JSON. */
function folderOf(files: Record<string, unknown>): string {
  const folder = mkdtempSync(join(tmpdir(), 'mendloop-cases-'))
  folders.push(folder)
  for (const [path, content] of Object.entries(files)) {
    const [id = ''] = path.split('/')
    mkdirSync(join(folder, id), { recursive: true })
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return folder
}

async function runCases(
  folder: string,
  ...flags: string[]
): Promise<{ output: string; code: number | null }> {
  const args = [
    '--conditions=@mendloop/source',
    '--import',
    'tsx',
    'tools/cases/main.ts',
    '--dir',
    folder,
    ...flags,
  ]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { output: await text(child.stdout), code: await exit }
}

const REPLY = '```python\nprint("hello")\n```\n'
const CODE = 'print("hello")\n'

test('every kind that is called built has a runner, and the other way round', () => {
  expect([...builtKinds()].sort()).toEqual([...kindsWithRunner].sort())
})

test('an empty folder is not a success', async () => {
  const { output, code } = await runCases(folderOf({}))
  expect(output).toMatch(/No case was found[\s\S]*\n0 passed, 0 failed\n$/)
  expect(code).toBe(1)
})

test('a folder that is not there is told apart from a failed case', async () => {
  expect((await runCases('/nowhere/at/all')).code).toBe(2)
})

describe('a case that is not understood fails', () => {
  const cases: Record<string, readonly [files: Record<string, unknown>, why: RegExp]> = {
    'unknown kind': [
      { 'expected.json': { id: 'X', kind: 'telepathy', input: 'a', expect: { status: 'ok' } } },
      /telepathy/,
    ],
    'unknown expectation': [
      {
        'expected.json': { id: 'X', kind: 'run', input: 'c.py', expect: { status: 'ok', stdoutSings: true } },
        'c.py': CODE,
      },
      /stdoutSings/,
    ],
    'unknown input key': [
      {
        'expected.json': { id: 'X', kind: 'run', input: 'c.py', moon: 1, expect: { status: 'ok' } },
        'c.py': CODE,
      },
      /moon/,
    ],
    'unknown expectation of a kind that is not built': [
      { 'expected.json': { id: 'X', kind: 'session', input: 'c.json', expect: { vanishes: true } } },
      /vanishes/,
    ],
    'unknown option': [
      {
        'expected.json': {
          id: 'X',
          kind: 'run',
          input: 'c.py',
          options: { gravity: 1 },
          expect: { status: 'ok' },
        },
        'c.py': CODE,
      },
      /gravity/,
    ],
    'unknown key inside forModel': [
      {
        'expected.json': {
          id: 'X',
          kind: 'run',
          input: 'c.py',
          expect: { forModel: { stdoutRhymes: true } },
        },
        'c.py': CODE,
      },
      /stdoutRhymes/,
    ],
    'value of the wrong shape': [
      {
        'expected.json': { id: 'X', kind: 'run', input: 'c.py', expect: { settlesWithinMs: 'soon' } },
        'c.py': CODE,
      },
      /expected a number/,
    ],
    'no expectation at all': [
      { 'expected.json': { id: 'X', kind: 'run', input: 'c.py' }, 'c.py': CODE },
      /expects nothing/,
    ],
    'no sub-case': [{ 'expected.json': { id: 'X', kind: 'run', cases: [] } }, /at least one case/],
    'broken JSON': [{ 'expected.json': '{' }, /expected\.json/],
    'input that is not there': [
      {
        'expected.json': {
          id: 'X',
          kind: 'extract',
          input: 'gone.md',
          options: { language: 'python' },
          expect: { status: 'ok' },
        },
      },
      /gone\.md/,
    ],
  }
  let results: readonly CaseResult[] = []
  let summary: Summary | undefined
  const names = Object.keys(cases)
  beforeAll(async () => {
    const files = Object.entries(cases).flatMap(([, [own]], index) =>
      Object.entries(own).map(
        ([name, content]) => [`${String(index).padStart(2, '0')}/${name}`, content] as const,
      ),
    )
    const { output, code } = await runCases(folderOf(Object.fromEntries(files)), '--json')
    const report = JSON.parse(output) as { summary: Summary; cases: readonly CaseResult[] }
    results = report.cases
    summary = report.summary
    expect(code).toBe(1)
  })

  test.each(names)('%s', (name) => {
    const outcome = results[names.indexOf(name)]?.outcome
    expect(outcome).toMatchObject({ status: 'failed' })
    expect(JSON.stringify(outcome)).toMatch(cases[name]?.[1] ?? /never/)
  })

  test('none of them passes', () => {
    expect(summary).toEqual({ passed: 0, failed: names.length, notBuilt: 0, cannotRun: 0 })
  })
})

describe.runIf(requires('python3'))('a case that lies is caught', () => {
  const extract = { kind: 'extract', input: 'reply.md', options: { language: 'python' } }
  const run = { kind: 'run', input: 'code.py', language: 'python' }
  const verdict = { kind: 'verdict', solution: 'solution.py', tests: 'test_solution.py' }
  /** Each: a true claim, which passes, and a false one, which must not. */
  const claims: Record<string, readonly [base: object, truth: object, lie: object]> = {
    'the code of a reply': [extract, { expect: { code: CODE } }, { expect: { code: 'print("bye")\n' } }],
    'what must not be in it': [
      extract,
      { expect: { notContains: ['bye'] } },
      { expect: { notContains: ['hello'] } },
    ],
    'what the extracted code prints': [extract, { runStdout: 'hello\n' }, { runStdout: 'bye\n' }],
    'what the extracted code computes': [extract, { check: '1 + 1 == 2' }, { check: '1 + 1 == 3' }],
    'a pick of one sort': [
      extract,
      { expect: { byPick: { first: { status: 'ok' } } } },
      { expect: { byPick: { first: { status: 'none' } } } },
    ],
    'what a program prints': [run, { expect: { stdout: 'hello\n' } }, { expect: { stdout: 'hello' } }],
    'how it ends': [run, { expect: { status: 'ok', exitCode: 0 } }, { expect: { statusNot: ['ok'] } }],
    'every round of several': [
      run,
      { expect: { repeat: 3, status: 'ok' } },
      { expect: { repeat: 2, status: 'error' } },
    ],
    'how long it takes': [run, { expect: { settlesWithinMs: 10_000 } }, { expect: { settlesWithinMs: 1 } }],
    'the memory of the host': [
      run,
      { expect: { hostMemoryGrowthMiBAtMost: 64 } },
      { expect: { hostMemoryGrowthMiBAtMost: -1000 } },
    ],
    'what the host sees unhandled': [
      run,
      { expect: { unhandledRejections: 0 } },
      { expect: { uncaughtExceptions: 1 } },
    ],
    'a verdict': [verdict, { expect: { verdict: 'pass' } }, { expect: { verdict: 'fail' } }],
    'a name that leaves the workspace': [
      { kind: 'write-files', input: 'files.json' },
      { expect: { rejectedOthers: true, accepted: ['in/side.txt'], nothingWrittenOutside: true } },
      { expect: { accepted: ['../out.txt'] } },
    ],
  }
  const files = {
    'reply.md': REPLY,
    'code.py': CODE,
    'solution.py': 'def one():\n    return 1\n',
    'test_solution.py': 'from solution import one\nassert one() == 1\n',
    'files.json': { names: ['../out.txt', 'in/side.txt'] },
  }
  let results: readonly CaseResult[] = []
  const names = Object.keys(claims)
  beforeAll(async () => {
    const folders = names.map((name, index) => {
      const [base, truth, lie] = claims[name] ?? [{}, {}, {}]
      const expected = { id: name, ...base, cases: [truth, lie] }
      const id = String(index).padStart(2, '0')
      return Object.entries({ ...files, 'expected.json': expected }).map(([file, content]) => [
        `${id}/${file}`,
        content,
      ])
    })
    const { output } = await runCases(folderOf(Object.fromEntries(folders.flat())), '--json')
    results = (JSON.parse(output) as { cases: readonly CaseResult[] }).cases
  }, 60_000)

  test.each(names)('%s', (name) => {
    const outcomes = results.filter(({ id }) => id === name).map(({ outcome }) => outcome)
    expect(outcomes[0]).toEqual({ status: 'passed' })
    expect(outcomes[1]).toMatchObject({ status: 'failed' })
  })
})

test('what is not built, and what cannot run here, is listed by name and counts neither way', async () => {
  const folder = folderOf({
    'A/expected.json': { id: 'A', kind: 'session', input: 'cells.json' },
    'B/expected.json': {
      id: 'B',
      kind: 'run',
      input: 'code.py',
      needs: ['no_such_package'],
      expect: { status: 'ok' },
    },
    'B/code.py': CODE,
    'C/expected.json': {
      id: 'C',
      kind: 'extract',
      input: 'reply.md',
      options: { language: 'python' },
      expect: { status: 'ok' },
    },
    'C/reply.md': REPLY,
  })
  const plain = await runCases(folder)
  expect(plain.output).toMatch(/^not built +A session: /m)
  expect(plain.output).toMatch(/^cannot run here +B run: no_such_package is not installed/m)
  expect(plain.output).toMatch(/^PASS +C extract$/m)
  expect(plain.output.trimEnd().split('\n').at(-1)).toBe('1 passed, 0 failed')
  expect(plain.code).toBe(0)

  const strict = await runCases(folder, '--strict')
  expect(strict.output.trimEnd().split('\n').at(-1)).toBe('1 passed, 1 failed')
  expect(strict.code).toBe(1)
}, 30_000)
