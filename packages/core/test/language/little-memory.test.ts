// Programs that little memory ends, and sanitizers, which need a lot: who is blamed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Sandbox } from '../../src/contract/sandbox.js'
import { runSource } from '../../src/language/run-source.js'
import { requires } from '../helpers/requires.js'
import { sandboxWithTools } from '../helpers/toolchains.js'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await sandboxWithTools().create()
})
afterAll(() => sandbox.close())

describe('little memory', () => {
  const limits = { memoryBytes: 64 << 20 }
  const PROGRAMS = [
    ['javascript', 'node', 'console.log(1)'],
    ['java', 'javac', 'class Main { public static void main(String[] a) { System.out.println(1); } }'],
  ] as const
  for (const [language, tool, files] of PROGRAMS)
    test.skipIf(!requires(tool))(`is blamed where ${language} does not start with it`, async () => {
      const { ok, failures } = await runSource(sandbox, { language, files }, { limits })
      expect([ok, failures.map(({ kind }) => kind)]).toEqual([false, ['resource']])
    })

  test.skipIf(!requires('node'))('is not blamed for a program that aborts itself', async () => {
    const { failures } = await runSource(
      sandbox,
      { language: 'js', files: 'process.abort()' },
      { limits: { memoryBytes: 1 << 30 } },
    )
    expect(failures[0]?.message).toContain('SIGABRT')
  })

  test.skipIf(!requires('gcc'))('of addresses is enough for a sanitizer from 32 TiB on', async () => {
    const compileArgs = ['-fsanitize=address']
    const c = (body: string, memoryBytes: number) =>
      runSource(
        sandbox,
        { language: 'c', files: `#include <stdlib.h>\nint main(void) { ${body} }\n`, compileArgs },
        { limits: { memoryBytes } },
      )
    const tooLittle = await c('return 0;', 512 << 20)
    expect(tooLittle.failures.map(({ kind }) => kind)).toEqual(['resource'])
    const faulty = await c('int *p = malloc(4); p[1] = 2; return p[1];', 2 ** 45)
    expect(faulty.failures[0]?.message).toMatch(/^AddressSanitizer: heap-buffer-overflow/u)
    expect((await c('return malloc(9) == 0;', 2 ** 45)).ok).toBe(true)
  })
})
