// The runner of bug cases must not believe anyone: neither a case that it does not understand nor one that lies.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onLinux, requires } from '../../packages/core/test/helpers/requires.js'
import { ProcessWatch, settled } from '../cases/processes.js'
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

/** A value that no case can mean: kind, expectation, what is said of it. */
const oddValues: readonly (readonly [kind: string, expect: object, why: RegExp, more?: object])[] = [
  ['constructor', { status: 'ok' }, /constructor.* is not known/],
  ['run', { exitCodeNot: '1' }, /expected a number/],
  ['run', { statusNot: ['okay'] }, /okay.* is not known/],
  ['run', { statusIn: ['ok', 'okay'] }, /okay.* is not known/],
  ['run', { statusNot: [] }, /asks for nothing/],
  ['run', { stdoutContains: '' }, /asks for nothing/],
  ['run', { stdoutNotContains: [] }, /asks for nothing/],
  ['run', { stdoutEndsWith: '' }, /asks for nothing/],
  ['run', { filesNotContaining: [] }, /asks for nothing/],
  ['run', { skippedFiles: [] }, /asks for nothing/],
  ['run', { skippedFiles: ['never-made'] }, /never made/],
  ['run', { forModel: {} }, /asks for nothing/],
  ['run', { survivorsWithArgument: {} }, /asks for nothing/],
  ['run', { survivors: '0' }, /expected a number/],
  ['run', { nextRunWorks: 'yes' }, /expected true or false/],
  ['run', { status: 'ok' }, /constructor/, { options: { constructor: 1 } }],
  ['extract', { status: 'ok' }, /zzz.* is not known/, { finish: 'zzz' }],
  ['extract', { status: 'none' }, /klingon/, { options: { language: 'klingon' } }],
  ['extract', { mustNotRunAs: 'klingon' }, /klingon/],
  ['extract', { notContains: [] }, /asks for nothing/],
  ['extract', { contains: [''] }, /asks for nothing/],
  ['extract', { warningsInclude: [] }, /asks for nothing/],
  ['extract', { byPick: {} }, /asks for nothing/],
  ['extract', { byPick: { first: {} } }, /asks for nothing/],
]
const oddCases = Object.fromEntries(
  oddValues.map(([kind, expect, why, more]) => {
    const expected = { id: 'X', kind, input: kind === 'extract' ? 'reply.md' : 'c.py', expect }
    const options = kind === 'extract' ? { options: { language: 'python' } } : {}
    const files = { 'c.py': 'print("hello")\n', 'reply.md': '```python\nprint("hello")\n```\n' }
    const name = `${kind} ${JSON.stringify({ ...expect, ...more })}`
    return [name, [{ 'expected.json': { ...expected, ...options, ...more }, ...files }, why] as const]
  }),
)

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
      { 'expected.json': { id: 'X', kind: 'loop-resume', input: 'c.json', expect: { vanishes: true } } },
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
    ...oddCases,
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
  }, 60_000)

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
  const write = { kind: 'write-files', input: 'files.json' }
  const verdict = { kind: 'verdict', solution: 'solution.py', tests: 'test_solution.py' }
  const failing = { ...verdict, solution: 'wrong.py' }
  const shell = { ...extract, input: 'shell.md' }
  const thinking = { ...extract, input: 'thinking.md' }
  const entities = { ...extract, input: 'entities.md' }
  const noisy = { ...run, input: 'noisy.py' }
  const named = { kind: 'write-files', input: 'reply.md' }
  const edit = { kind: 'edit-whole-file', files: { 'solution.py': 'solution.py' }, input: 'shortened.md' }
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
    'run status': [run, { expect: { status: 'ok' } }, { expect: { status: 'error' } }],
    'run statusIn': [
      run,
      { expect: { statusIn: ['ok', 'error'] } },
      { expect: { statusIn: ['error', 'timeout'] } },
    ],
    'run exitCode': [run, { expect: { exitCode: 0 } }, { expect: { exitCode: null } }],
    'run exitCodeNot': [run, { expect: { exitCodeNot: [1, null] } }, { expect: { exitCodeNot: [1, 0] } }],
    'run signal': [run, { expect: { signal: null } }, { expect: { signal: 'SIGKILL' } }],
    'run rawStdout': [run, { expect: { rawStdout: 'hello\n' } }, { expect: { rawStdout: 'hello' } }],
    'run stdoutContains': [
      run,
      { expect: { stdoutContains: ['hel'] } },
      { expect: { stdoutContains: ['hel', 'bye'] } },
    ],
    'run stdoutNotContains': [
      run,
      { expect: { stdoutNotContains: ['bye'] } },
      { expect: { stdoutNotContains: ['bye', 'hello'] } },
    ],
    'run stdoutEndsWith': [run, { expect: { stdoutEndsWith: 'lo\n' } }, { expect: { stdoutEndsWith: 'lo' } }],
    'run stdoutBytes': [run, { expect: { stdoutBytes: 6 } }, { expect: { stdoutBytes: 5 } }],
    'run stdoutBytesAtMost': [
      run,
      { expect: { stdoutBytesAtMost: 6 } },
      { expect: { stdoutBytesAtMost: 5 } },
    ],
    'run truncated': [run, { expect: { truncated: false } }, { expect: { truncated: true } }],
    'run forModel': [
      run,
      { expect: { forModel: { stdout: 'hello\n', noEscapeBytes: true } } },
      { expect: { forModel: { noEscapeBytes: false } } },
    ],
    'run survivors': [run, { expect: { survivors: 0 } }, { expect: { survivors: 99 } }],
    'run survivorsWithArgument': [
      run,
      { expect: { survivorsWithArgument: { moon: 0 } } },
      { expect: { survivorsWithArgument: { moon: 1 } } },
    ],
    // Orphans of other tests wait for the first process of the machine meanwhile, but never so many.
    'run zombies': [run, { expect: { zombies: 0 } }, { expect: { zombies: 1000 } }],
    'run filesNotContaining': [
      noisy,
      { expect: { filesNotContaining: ['bye'] } },
      { expect: { filesNotContaining: ['secret'] } },
    ],
    // The program's own file holds whatever the program names.
    'run filesNotContaining of the program': [
      run,
      { expect: { filesNotContaining: ['hello'] } },
      { expect: { filesNotContaining: ['hello'], stdoutNotContains: ['hello'] } },
    ],
    'run nextRunWorks': [run, { expect: { nextRunWorks: true } }, { expect: { nextRunWorks: false } }],
    'extract statusIn': [
      extract,
      { expect: { statusIn: ['ok', 'none'] } },
      { expect: { statusIn: ['none', 'mismatch'] } },
    ],
    'extract language': [extract, { expect: { language: 'python' } }, { expect: { language: 'shell' } }],
    'extract languages': [extract, { expect: { languages: ['python'] } }, { expect: { languages: [] } }],
    'extract codes': [extract, { expect: { codes: [CODE] } }, { expect: { codes: [] } }],
    'extract contains': [
      extract,
      { expect: { contains: ['hello'] } },
      { expect: { contains: ['hello', 'bye'] } },
    ],
    'extract notEmpty': [extract, { expect: { notEmpty: true } }, { expect: { notEmpty: false } }],
    'extract blocksSeen': [extract, { expect: { blocksSeen: 1 } }, { expect: { blocksSeen: 2 } }],
    'extract closed': [extract, { expect: { closed: true } }, { expect: { closed: false } }],
    'extract warnings': [
      extract,
      { expect: { warnings: [] } },
      { expect: { warnings: ['entities-decoded'] } },
    ],
    'extract mustNotRun': [extract, { expect: { mustNotRun: false } }, { expect: { mustNotRun: true } }],
    'extract mustNotRunAs': [
      extract,
      { expect: { mustNotRunAs: ['shell'] } },
      { expect: { mustNotRunAs: ['shell', 'python'] } },
    ],
    'extract feedbackWhenSomeNotRun': [
      extract,
      { expect: { feedbackWhenSomeNotRun: false } },
      { expect: { feedbackWhenSomeNotRun: true } },
    ],
    'verdict failedChecks': [verdict, { expect: { failedChecks: 0 } }, { expect: { failedChecks: 1 } }],
    'verdict notRun': [verdict, { expect: { notRun: [] } }, { expect: { notRun: ['test_two'] } }],
    'write rejectedOthers': [
      write,
      { expect: { rejectedOthers: false } },
      { expect: { rejectedOthers: true } },
    ],
    'write noPartialWrite': [
      write,
      { expect: { noPartialWrite: true } },
      { expect: { noPartialWrite: false } },
    ],
    'write nothingWrittenOutside': [
      write,
      { expect: { nothingWrittenOutside: true } },
      { expect: { nothingWrittenOutside: false } },
    ],
    'write accepted': [write, { expect: { accepted: ['in/side.txt'] } }, { expect: { accepted: [] } }],
    'write acceptedAs': [
      write,
      { expect: { acceptedAs: { 'in/side.txt': 'in/side.txt' } } },
      { expect: { acceptedAs: { 'in/side.txt': 'side.txt' } } },
    ],
    'verdict failedChecks of a failure': [
      failing,
      { expect: { failedChecks: 1 } },
      { expect: { failedChecks: 2 } },
    ],
    'verdict feedbackContains': [
      failing,
      { expect: { feedbackContains: ['test_one'] } },
      { expect: { feedbackContains: ['KeyError'] } },
    ],
    'extract feedbackMentions': [
      shell,
      { expect: { feedbackMentions: ['python', 'SHELL'] } },
      { expect: { feedbackMentions: ['klingon'] } },
    ],
    'extract reasoningContains': [
      thinking,
      { expect: { reasoningContains: ['hm'] } },
      { expect: { reasoningContains: ['aha'] } },
    ],
    'extract warningsInclude': [
      entities,
      { expect: { warningsInclude: ['entities-decoded'] } },
      { expect: { warningsInclude: ['never'] } },
    ],
    'run stderrContains': [
      noisy,
      { expect: { stderrContains: ['loud'] } },
      { expect: { stderrContains: ['quiet'] } },
    ],
    'run skippedFiles': [
      noisy,
      { expect: { skippedFiles: ['link'] } },
      { expect: { skippedFiles: ['kept.txt'] } },
    ],
    'write-files fileNameUsed': [
      named,
      { expect: { fileNameUsed: 'solution.py' } },
      { expect: { fileNameUsed: 'not solution.py' } },
    ],
    'edit applied': [edit, { expect: { applied: false } }, { expect: { applied: true } }],
    'edit reason': [edit, { expect: { reason: 'omission-placeholder' } }, { expect: { reason: 'no-code' } }],
    'edit unchanged': [edit, { expect: { unchanged: true } }, { expect: { unchanged: false } }],
    'edit feedbackMentions': [
      edit,
      { expect: { feedbackMentions: ['complete'] } },
      { expect: { feedbackMentions: ['klingon'] } },
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
    'test_solution.py': 'from solution import one\n\n\ndef test_one():\n    assert one() == 1\n',
    'wrong.py': 'def one():\n    return 2\n',
    'shell.md': '```shell\nls -1 | wc -l\n```\n',
    'thinking.md': `<think>hm</think>\n${REPLY}`,
    'entities.md': '```python\nif 1 &lt; 2:\n    print(&quot;x&quot;)\n```\n',
    'shortened.md': '```python\ndef two():\n    return 2\n\n# ... rest of the code unchanged ...\n```\n',
    'noisy.py':
      'import os, sys\nsys.stderr.write("loud")\nopen("kept.txt", "w").write("sec" + "ret")\nos.symlink("/etc/passwd", "link")\n',
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
  }, 180_000)

  test.each(names)('%s', (name) => {
    const outcomes = results.filter(({ id }) => id === name).map(({ outcome }) => outcome)
    expect(outcomes[0]).toEqual({ status: 'passed' })
    expect(outcomes[1]).toMatchObject({ status: 'failed' })
  })
})

test('folders of cases behind links are run, a link in a circle ends, and one to nowhere fails', async () => {
  const expected = {
    kind: 'extract',
    input: 'reply.md',
    options: { language: 'python' },
    expect: { status: 'ok' },
  }
  const real = folderOf({ 'L/expected.json': { id: 'L', ...expected }, 'L/reply.md': REPLY })
  const folder = folderOf({})
  symlinkSync(join(real, 'L'), join(folder, 'linked'))
  symlinkSync(folder, join(folder, 'circle'))
  expect((await runCases(folder)).output.trimEnd().split('\n').at(-1)).toBe('1 passed, 0 failed')
  symlinkSync('/nowhere/at/all', join(folder, 'lost'))
  expect((await runCases(folder)).output).toMatch(/^FAIL +lost: the link leads nowhere$/m)
}, 30_000)

test.runIf(onLinux('what is left of a case') && requires('python3'))(
  'a daemon with a session, a folder and no variables of its own is counted as a survivor',
  async () => {
    const watch = new ProcessWatch()
    const program = `
import os
if os.fork() == 0:
    os.setsid()
    child = os.fork()
    if child == 0:
        os.chdir("/")
        null = os.open("/dev/null", os.O_RDWR)
        for n in (0, 1, 2): os.dup2(null, n)
        os.execve("/bin/sleep", ["sleep", "20"], {})
    print(child, flush=True)
    os._exit(0)
os.wait()
`
    const child = spawn('python3', ['-c', program], { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
    const exit = once(child, 'exit')
    const daemon = Number(await text(child.stdout))
    await exit
    const running = watch.survivors()
    process.kill(daemon, 'SIGKILL')
    expect(running).toBeGreaterThan(0)
    expect(await settled(() => watch.survivors(), running - 1)).toBeLessThan(running)
  },
)

test('what is not built, and what cannot run here, is listed by name and counts neither way', async () => {
  const folder = folderOf({
    'A/expected.json': { id: 'A', kind: 'loop-resume', input: 'state.json' },
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
  expect(plain.output).toMatch(/^not built +A loop-resume: /m)
  expect(plain.output).toMatch(/^cannot run here +B run: no_such_package is not installed/m)
  expect(plain.output).toMatch(/^PASS +C extract$/m)
  expect(plain.output.trimEnd().split('\n').at(-1)).toBe('1 passed, 0 failed')
  expect(plain.code).toBe(0)

  const required = await runCases(folder, '--require-tools')
  expect(required.output.trimEnd().split('\n').at(-1)).toBe('1 passed, 1 failed')

  const strict = await runCases(folder, '--strict')
  expect(strict.output.trimEnd().split('\n').at(-1)).toBe('1 passed, 1 failed')
  expect(strict.code).toBe(1)
}, 30_000)
