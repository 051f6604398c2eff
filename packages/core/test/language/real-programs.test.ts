// Programs as people write them, where a language's habits decide what has to be done.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sandbox } from '../../src/contract/sandbox.js'
import { runSource } from '../../src/language/run-source.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { onPosix, requires } from '../helpers/requires.js'
import { sandboxWithTools } from '../helpers/toolchains.js'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await sandboxWithTools().create()
})
afterAll(() => sandbox.close())

test.skipIf(!requires('node'))('a single text of JavaScript may be CommonJS or a module', async () => {
  const texts = [
    "const fs = require('node:fs')\nconsole.log(typeof fs.readFileSync)\n",
    "import fs from 'node:fs'\nconst text = 'module.exports and require(1)'\nconsole.log(typeof fs.readFileSync)\n",
    "// require('x') is not called\nconsole.log(await 'function')\n",
  ]
  for (const files of texts) {
    const { run, failures } = await runSource(sandbox, { language: 'js', files })
    expect(failures).toEqual([])
    expect(run?.stdout.text).toBe('function\n')
  }
})

test.skipIf(!requires('javac'))(
  'a single text of Java goes to the file that its public class asks for',
  async () => {
    const files =
      '/* public class Not {} */\nclass Other {}\npublic final class Calculator {\n  public static void main(String[] a) { System.out.println(a[9]); }\n}\n'
    const { failures } = await runSource(sandbox, { language: 'java', files })
    expect(failures[0]).toMatchObject({ kind: 'exception', location: { path: 'Calculator.java', line: 4 } })
  },
  60_000,
)

test.skipIf(!requires('gcc'))(
  'libraries named to a linker are looked for after the files that need them',
  async () => {
    const files = '#include <math.h>\nint main(int argc, char **argv) { return (int)cbrt(argc * 27.0); }\n'
    const provider = memorySandbox()
    await runSource(await provider.create(), {
      language: 'c',
      files,
      compileArgs: ['-lz', '-Wl,--as-needed'],
    })
    const compile = provider.commands.find((one) => JSON.stringify(one).includes('-lz'))
    const argv = (compile as { argv: string[] }).argv
    expect(argv.indexOf('-lz')).toBeGreaterThan(argv.indexOf('solution.c'))
  },
)

test.skipIf(!requires('gcc'))('a write through a null pointer is not optimised away', async () => {
  const files = 'static void set(int *p) { *p = 1; }\nint main(void) {\n  set((int *)0);\n}\n'
  const { run } = await runSource(sandbox, { language: 'c', files })
  expect(run?.outcome).toEqual({ kind: 'signal', signal: 'SIGSEGV' })
})

test.skipIf(!requires('bash'))('Windows line ends are named where they break a script', async () => {
  const files = 'if true; then\r\n  echo yes\r\nfi\r\n'
  const { failures } = await runSource(sandbox, { language: 'bash', files })
  expect(failures[0]).toMatchObject({ kind: 'syntax', location: { path: 'solution.sh' } })
  expect(failures[0]?.message).toMatch(/^syntax error.*\nsolution\.sh has Windows line ends/u)
})

test.skipIf(!onPosix('linkers'))('Rust needs a linker, which is asked for before anything runs', async () => {
  const provider = memorySandbox((command) => ({
    outcome: { kind: 'exit', code: JSON.stringify(command).includes('"cc"') ? 127 : 0 },
  }))
  const rust = runSource(await provider.create(), { language: 'rust', files: 'fn main() {}\n' })
  await expect(rust).rejects.toMatchObject({ code: 'TOOLCHAIN_MISSING', details: { tool: 'cc' } })
})

test('a go.mod counts for a program of Go when it is above it, not beside it', async () => {
  const built = async (entry: string, module: string): Promise<unknown> => {
    const provider = memorySandbox()
    const files = { [entry]: 'package main\n', [module]: 'module m\n' }
    await runSource(await provider.create(), { language: 'go', files, entry })
    const compile = provider.commands.find((one) => JSON.stringify(one).includes('"build"'))
    return (compile as { argv: string[] }).argv.at(-1)
  }
  expect(await built('app/main.go', 'go.mod')).toBe('.')
  expect(await built('app/main.go', 'app/go.mod')).toBe('.')
  expect(await built('app/main.go', 'appendix/go.mod')).toBe('main.go')
  expect(await built('main.go', 'lib/go.mod')).toBe('main.go')
})
