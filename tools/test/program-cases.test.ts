// Cases of programs and file names say what they want in many spellings; each must reach the product as it was meant.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { requires } from '../../packages/core/test/helpers/requires.js'
import { type BugCase, type Fields, readCases } from '../cases/bug-case.js'
import { limitOf } from '../cases/limit-names.js'
import { runOptions, runStatuses } from '../cases/names.js'
import { runCase } from '../cases/run-case.js'

const folder = mkdtempSync(join(tmpdir(), 'mendloop-cases-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function caseOf(kind: string, file: string, content: string, input: Fields, wanted: Fields): BugCase {
  writeFileSync(join(folder, file), content)
  return { id: 'X', kind, name: '', folder, input: { input: file, ...input }, expect: wanted }
}

describe('a limit is understood', () => {
  test.each([
    ['timeoutMs', 5, { wallMs: 5 }],
    ['timeoutSeconds', 2, { wallMs: 2000 }],
    ['maxCpuSeconds', 2, { cpuMs: 2000 }],
    ['maxMemoryMiB', 2, { memoryBytes: 2 * 1024 ** 2 }],
    ['memoryLimitBytes', 7, { memoryBytes: 7 }],
    ['maxFileSizeKiB', 1, { fileBytes: 1024 }],
    ['maxDiskGiB', 1, { diskBytes: 1024 ** 3 }],
    ['maxOutputBytes', 9, { outputBytes: 9 }],
    ['maxStdoutBytes', 9, { outputBytes: 9 }],
    ['memoryMb', 2, { memoryBytes: 2_000_000 }],
    ['maxMemoryMB', 2, { memoryBytes: 2_000_000 }],
    ['maxProcesses', 3, { processes: 3 }],
    ['openFiles', 3, { openFiles: 3 }],
  ])('as %s', (key, value, limits) => {
    expect(limitOf(key, value)).toEqual(limits)
  })

  test.each(['timeout', 'memoryMs', 'maxCpuMiB', 'maxMoons', 'constructor', 'maxMemoryMoons'])(
    'and %s is not',
    (key) => {
      expect(() => limitOf(key, 1)).toThrow(`the option "${key}" is not known`)
    },
  )
})

test('the limit of the output ends the program only where the case says that it must', () => {
  expect(runOptions({ maxOutputBytes: 9000 }).limits).toEqual({ outputBytes: 9000 })
  expect(runOptions({ maxOutputBytes: 9000 }, true).limits).toEqual({
    outputBytes: 9000,
    totalOutputBytes: 9000,
  })
})

test('a limit of the output below the least that the product keeps becomes that', () => {
  expect(runOptions({ maxOutputBytes: 9 }, true).limits).toEqual({
    outputBytes: 1024,
    totalOutputBytes: 1024,
  })
})

test('input is given as a text or as an amount, not as both', () => {
  expect(runOptions({ stdinBytes: 3 }).stdin).toBe('xxx')
  expect(() => runOptions({ stdinBytes: 3, stdin: 'a' })).toThrow(/either/)
})

describe.skipIf(!requires('python3'))('a program that floods its output', () => {
  const flood = (wanted: Fields): BugCase =>
    caseOf(
      'run',
      'flood.py',
      'while True: print("x" * 1000)\n',
      { options: { maxOutputBytes: 10_000, timeoutMs: 20_000 } },
      wanted,
    )

  test('is ended at the limit', async () => {
    const outcome = await runCase(flood({ status: 'output-limit', truncated: true, nextRunWorks: true }))
    expect(outcome).toEqual({ status: 'passed' })
  })
})

describe.skipIf(!requires('python3'))('what a case of a program says', () => {
  const run = (code: string, input: Fields, wanted: Fields): Promise<unknown> =>
    runCase(caseOf('run', 'program.py', code, input, wanted))

  test('may keep to the neutral names where the product has a word of its own', async () => {
    const code =
      'import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\nopen("big", "wb").write(b"x" * 2_000_000)\n'
    for (const status of ['disk', 'error', 'killed'])
      expect(await run(code, { options: { maxFileKiB: 64 } }, { status })).toEqual({ status: 'passed' })
    expect(await run(code, { options: { maxFileKiB: 64 } }, { statusNot: ['disk'] })).toMatchObject({
      status: 'failed',
    })
  })

  test('fails for a status that does not exist', async () => {
    const outcome = await run('pass\n', {}, { status: 'okay' })
    expect(outcome).toEqual({ status: 'failed', reasons: [expect.stringMatching(/"okay" is not known/)] })
  })

  test('takes a variable of the host away', { timeout: 60_000 }, async () => {
    const code = 'import os\nprint(os.environ.get("HOME") is None or "/nowhere" not in os.environ["HOME"])\n'
    const outcome = await run(code, { hostEnv: { HOME: '/nowhere', LANG: null } }, { stdout: 'True\n' })
    expect(outcome).toEqual({ status: 'passed' })
  })

  test.each(['json', 'python3', 'os.path'])('needs %s, which is here', async (need) => {
    expect(await run('pass\n', { needs: [need] }, { status: 'ok' })).toEqual({ status: 'passed' })
  })

  test.each(['no-such-thing', 'no-such++'])('needs %s, which is not', async (need) => {
    const outcome = await run('pass\n', { needs: [need] }, { status: 'ok' })
    expect(outcome).toMatchObject({ status: 'cannot-run', missingTool: true })
  })

  test('looks at every file that can be read, whatever the others are called', async () => {
    const code = String.raw`open("back\\slash", "w").write("canary"); open("plain", "w").write("bird")`
    expect(await run(code, {}, { status: 'ok', filesNotContaining: ['fish'] })).toEqual({ status: 'passed' })
    expect(await run(code, {}, { filesNotContaining: ['bird'] })).toMatchObject({ status: 'failed' })
  })
})

describe.skipIf(!requires('python3'))('what is left of a program', () => {
  test.each([
    ['a list', 'x = []\nwhile True: x.append(bytearray(4 * 1024 * 1024))\n'],
    ['one large object', 'x = [0] * 10**9\n'],
    [
      'a subclass',
      'class _ArrayMemoryError(MemoryError): pass\nraise _ArrayMemoryError("Unable to allocate")\n',
    ],
  ])('is called memory where that ran out: %s', async (_, code) => {
    const input = { options: { maxMemoryMiB: 200, timeoutMs: 20_000 } }
    for (const wanted of [{ status: 'memory' }, { statusIn: ['memory', 'killed'] }])
      expect(await runCase(caseOf('run', 'code.py', code, input, wanted))).toEqual({ status: 'passed' })
  })

  test.each([
    ['talks of it', 'import sys\nsys.stderr.write("MemoryError\\nother\\n")\nsys.exit(1)\n'],
    ['got over it', 'import sys\nsys.stderr.write("MemoryError\\n")\n'],
  ])('is not called memory where the program %s', async (_, code) => {
    expect((await runCase(caseOf('run', 'code.py', code, {}, { status: 'memory' }))).status).toBe('failed')
  })

  test('is counted in its own bytes where they are no text', async () => {
    const code = 'import sys\nsys.stdout.buffer.write(b"a\\xff\\xfeb\\n")\n'
    const wanted = { stdoutBytes: 5, stdoutBytesAtMost: 5 }
    expect(await runCase(caseOf('run', 'code.py', code, {}, wanted))).toEqual({ status: 'passed' })
    expect((await runCase(caseOf('run', 'code.py', code, {}, { stdoutBytes: 9 }))).status).toBe('failed')
  })

  test('gives nothing away in a file with a second name outside', async () => {
    const code =
      'import os\nopen("a.txt", "w").write("sec" + "ret")\nos.remove("a.txt")\nopen("b.txt", "w").close()\nos.link("b.txt", "c.txt")\nprint("done")\n'
    const wanted = { stdout: 'done\n', filesNotContaining: ['secret'] }
    expect(await runCase(caseOf('run', 'code.py', code, {}, wanted))).toEqual({ status: 'passed' })
  })
})

test.each([
  [
    'Node',
    { kind: 'signal', signal: 'SIGABRT' },
    'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n',
  ],
  [
    'C++',
    { kind: 'signal', signal: 'SIGABRT' },
    "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n",
  ],
  [
    'Java',
    { kind: 'exit', code: 1 },
    'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n\tat A.main(A.java:1)\n',
  ],
  ['Rust', { kind: 'signal', signal: 'SIGABRT' }, 'memory allocation of 9 bytes failed\n'],
  ['Go', { kind: 'exit', code: 2 }, 'fatal error: runtime: out of memory\n'],
] as const)('%s says that memory ran out', (_, outcome, stderr) => {
  expect(runStatuses(outcome, stderr)).toContain('memory')
  expect(runStatuses(outcome, '')).not.toContain('memory')
  expect(runStatuses({ kind: 'exit', code: 0 }, stderr)).toEqual(['ok'])
})

describe.skipIf(!requires('node'))('a program in JavaScript', () => {
  test.each([
    ['code.js', 'console.log(typeof require("fs"))\n'],
    ['code.cjs', 'console.log(typeof require("fs"))\n'],
    ['code.mjs', 'import fs from "node:fs"\nconsole.log(typeof fs)\n'],
  ])('is the kind of module that %s says, and the next one runs', async (file, code) => {
    const wanted = { stdout: 'object\n', nextRunWorks: true }
    expect(await runCase(caseOf('run', file, code, { language: 'javascript' }, wanted))).toEqual({
      status: 'passed',
    })
  })
})

describe.skipIf(!requires('gcc'))('a program in C', () => {
  const code = '#include <stdlib.h>\nint main(void) { abort(); }\n'
  const inC = { language: 'c', options: { timeoutMs: 30_000 } }

  test('is compiled and run', async () => {
    const wanted = { status: 'killed', signal: 'SIGABRT', exitCode: null }
    expect(await runCase(caseOf('run', 'code.c', code, inC, wanted))).toEqual({ status: 'passed' })
  })

  test('fails when the compiler refuses it', async () => {
    const wanted = { status: 'error', stderrContains: ['error'] }
    expect(await runCase(caseOf('run', 'bad.c', 'int main( {', inC, wanted))).toEqual({ status: 'passed' })
  })
})

describe('what stands in the workspace before the call', () => {
  test.each(['a symbolic link to a file outside', 'a file', 'a folder', 'a pipe'])('%s', async (sentence) => {
    const names = JSON.stringify({ names: [sentence === 'a file' ? 'x/y' : 'x'], setup: { x: sentence } })
    const wanted = { accepted: [], nothingWrittenOutside: true, noPartialWrite: true }
    expect(await runCase(caseOf('write-files', 'names.json', names, {}, wanted))).toEqual({
      status: 'passed',
    })
  })

  test('a symlink is a link as well', async () => {
    const names = JSON.stringify({ names: ['x/y'], setup: { x: 'a symlink to a folder outside' } })
    const wanted = { accepted: [], nothingWrittenOutside: true }
    expect(await runCase(caseOf('write-files', 'names.json', names, {}, wanted))).toEqual({
      status: 'passed',
    })
  })

  test('a moon is not known', async () => {
    const names = JSON.stringify({ names: ['x'], setup: { x: 'a moon' } })
    const outcome = await runCase(caseOf('write-files', 'names.json', names, {}, { accepted: [] }))
    expect(outcome).toEqual({ status: 'failed', reasons: [expect.stringMatching(/a moon/)] })
  })
})

test.each([
  ['javascript', '// filename: ../outside.js\nconsole.log(1)\n'],
  ['bash', '# filename: ../outside.sh\necho 1\n'],
])('a reply in %s names no file outside', async (tag, code) => {
  const reply = `\`\`\`${tag}\n${code}\`\`\`\n`
  const wanted = { fileNameUsed: 'not ../outside', nothingWrittenOutside: true }
  expect(await runCase(caseOf('write-files', 'reply.md', reply, {}, wanted))).toEqual({ status: 'passed' })
})

describe('a case that cannot be run as it stands fails, and says why', () => {
  test.each<[string, Fields, Fields, RegExp]>([
    ['no host can have its variables', { hostEnv: { 'A\0': '' } }, { status: 'ok' }, /without null bytes/],
    ['a variable of the host is a number', { hostEnv: { A: 1 } }, { status: 'ok' }, /expected a text/],
    ['it only says how often', {}, { repeat: 2 }, /expects nothing/],
    ['its language is not known', { language: 'cobol' }, { status: 'ok' }, /"cobol"/],
    ['its input is another file', { input: 'nowhere.py' }, { status: 'ok' }, /ENOENT.*nowhere\.py/],
  ])('%s', async (_, input, wanted, why) => {
    const outcome = await runCase(caseOf('run', 'program.py', 'pass\n', input, wanted))
    expect(outcome).toEqual({ status: 'failed', reasons: [expect.stringMatching(why)] })
  })

  test.each([{}, { kind: 3 }, { kind: null }])('%j names no kind', (top) => {
    const place = mkdtempSync(join(folder, 'case-'))
    writeFileSync(join(place, 'expected.json'), JSON.stringify({ ...top, expect: { status: 'ok' } }))
    expect(readCases(place)).toEqual([{ id: basename(place), reason: expect.stringMatching(/"kind" must/) }])
  })
})
