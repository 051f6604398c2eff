// Cases of programs and file names say what they want in many spellings; each must reach the product as it was meant.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { requires } from '../../packages/core/test/helpers/requires.js'
import type { BugCase, Fields } from '../cases/bug-case.js'
import { limitOf } from '../cases/limit-names.js'
import { runOptions } from '../cases/names.js'
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
    ['maxProcesses', 3, { processes: 3 }],
    ['openFiles', 3, { openFiles: 3 }],
  ])('as %s', (key, value, limits) => {
    expect(limitOf(key, value)).toEqual(limits)
  })

  test.each(['timeout', 'memoryMs', 'maxCpuMiB', 'maxMoons', 'constructor', 'maxMemoryMB'])(
    'and %s is not',
    (key) => {
      expect(() => limitOf(key, 1)).toThrow(`the option "${key}" is not known`)
    },
  )
})

test('the limit of the output ends the program only where the case says that it must', () => {
  expect(runOptions({ maxOutputBytes: 9 }).limits).toEqual({ outputBytes: 9 })
  expect(runOptions({ maxOutputBytes: 9 }, true).limits).toEqual({ outputBytes: 9, totalOutputBytes: 9 })
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

  test('a moon is not known', async () => {
    const names = JSON.stringify({ names: ['x'], setup: { x: 'a moon' } })
    const outcome = await runCase(caseOf('write-files', 'names.json', names, {}, { accepted: [] }))
    expect(outcome).toEqual({ status: 'failed', reasons: [expect.stringMatching(/a moon/)] })
  })
})
