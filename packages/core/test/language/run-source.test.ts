// Programs in every language, really compiled and run by the tools of this machine.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import type { Sandbox } from '../../src/contract/sandbox.js'
import { type RunSourceResult, runSource, type SourceProgram } from '../../src/language/run-source.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { type RequiredTool, requires } from '../helpers/requires.js'
import { sandboxWithTools } from '../helpers/toolchains.js'

/** Prints its arguments and its input, out of a second file where the language has such. */
const ECHO: readonly (readonly [
  language: string,
  tool: RequiredTool,
  program: Omit<SourceProgram, 'language'>,
])[] = [
  ['python', 'python3', { files: 'import sys\nprint(sys.argv[1:], sys.stdin.read())\n' }],
  [
    'javascript',
    'node',
    {
      files: {
        'solution.mjs': "import { show } from './lib/show.mjs'\nshow(process.argv.slice(2))\n",
        'lib/show.mjs':
          "import { readFileSync } from 'node:fs'\nexport const show = (words) => console.log(words.join(), readFileSync(0, 'utf8'))\n",
      },
    },
  ],
  [
    'typescript',
    'node',
    {
      files: {
        'solution.ts': "import { show } from './lib/show.ts'\nshow(process.argv.slice(2))\n",
        'lib/show.ts':
          "import { readFileSync } from 'node:fs'\nexport const show = (words: string[]): void => console.log(words.join(), readFileSync(0, 'utf8'))\n",
      },
    },
  ],
  ['bash', 'bash', { files: 'echo "$@" "$(cat)"\n' }],
  [
    'c',
    'gcc',
    {
      files: {
        'solution.c': '#include "show.h"\nint main(int argc, char **argv) { return show(argv[1]); }\n',
        'show.h': 'int show(const char *);\n',
        'show.c':
          '#include <stdio.h>\n#include "show.h"\nint show(const char *word) {\n  char line[99];\n  printf("%s %s\\n", word, fgets(line, sizeof line, stdin));\n  return 0;\n}\n',
      },
    },
  ],
  [
    'c++',
    'g++',
    {
      files:
        '#include <iostream>\n#include <string>\nint main(int, char **argv) { std::string line; std::getline(std::cin, line); std::cout << argv[1] << " " << line; }\n',
    },
  ],
  [
    'java',
    'javac',
    {
      entry: 'app/Main.java',
      files: {
        'app/Main.java':
          'package app;\nclass Helper {}\npublic class Main {\n  public static void main(String[] args) throws Exception { Show.show(args[0]); }\n}\n',
        'app/Show.java':
          'package app;\nclass Show { static void show(String word) throws Exception { System.out.println(word + " " + new String(System.in.readAllBytes())); } }\n',
      },
    },
  ],
  [
    'go',
    'go',
    {
      files: {
        'solution.go': 'package main\n\nfunc main() { show() }\n',
        'show.go':
          'package main\n\nimport (\n\t"fmt"\n\t"io"\n\t"os"\n)\n\nfunc show() {\n\ttext, _ := io.ReadAll(os.Stdin)\n\tfmt.Println(os.Args[1], string(text))\n}\n',
        'show_test.go': 'package other\n',
      },
    },
  ],
  [
    'rust',
    'rustc',
    {
      files:
        'use std::io::Read;\nfn main() {\n    let mut text = String::new();\n    std::io::stdin().read_to_string(&mut text).unwrap();\n    println!("{} {}", std::env::args().nth(1).unwrap(), text);\n}\n',
    },
  ],
]

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await sandboxWithTools().create()
})
afterAll(() => sandbox.close())

const run = (language: string, program: Omit<SourceProgram, 'language'>): Promise<RunSourceResult> =>
  runSource(sandbox, { language, ...program })

describe.each(ECHO)('%s', (language, tool, program) => {
  test.skipIf(!requires(tool))(
    'gets its arguments and its input, and ends well',
    async () => {
      const result = await run(language, { ...program, args: ['ein Wort'], stdin: 'Grüße' })
      expect(result.failures).toEqual([])
      expect(result.ok).toBe(true)
      expect(result.run?.stdout.text).toMatch(/ein Wort.*Grüße/u)
    },
    120_000,
  )
})

describe.skipIf(!requires('gcc'))('a compiler', () => {
  test('that fails leaves nothing to run, and its result says whose it is', async () => {
    const { run: ran, compile, failures } = await run('c', { files: 'int main(void) { return x; }\n' })
    expect(ran).toBeUndefined()
    expect(compile).toMatchObject({ ok: false, step: 'compile', outcome: { kind: 'exit', code: 1 } })
    expect(failures[0]).toMatchObject({ kind: 'type', location: { path: 'solution.c', line: 1, column: 25 } })
  })

  test('is given further arguments', async () => {
    const program = { files: 'int main(void) { return CODE; }\n', compileArgs: ['-DCODE=7'] }
    const { run: ran, compile } = await run('c', program)
    expect(compile?.ok).toBe(true)
    expect(ran?.outcome).toEqual({ kind: 'exit', code: 7 })
  })

  test('counts a tab as one column', async () => {
    const { failures } = await run('c', { files: 'int main(void) {\n\t\treturn x;\n}\n' })
    expect(failures[0]?.location).toEqual({ path: 'solution.c', line: 2, column: 10 })
  })

  test('has more time than the program, whose own limit stays', async () => {
    const program = { language: 'c', files: 'int main(void) { for (;;) ; }\n' }
    const result = await runSource(sandbox, program, { limits: { wallMs: 300 } })
    expect(result.compile?.ok).toBe(true)
    expect(result.run?.outcome).toEqual({ kind: 'timeout', clock: 'wall', limitMs: 300 })
    expect(result.failures[0]).toMatchObject({ kind: 'timeout' })
  })
})

describe('a name that could be taken for something else than a file', () => {
  test.each([
    ['python', 'python3', '-c.py', 'print(7)'],
    ['javascript', 'node', '-p.mjs', 'console.log(7)'],
    ['javascript', 'node', 'inspect', 'console.log(7)'],
    ['typescript', 'node', '-p.ts', 'const n: number = 7\nconsole.log(n)'],
    ['bash', 'bash', '-c', 'echo 7'],
    ['c', 'gcc', '-o.c', '#include <stdio.h>\nint main(void) { puts("7"); }'],
    ['c', 'gcc', '@a.c', '#include <stdio.h>\nint main(void) { puts("7"); }'],
    ['rust', 'rustc', '@a.rs', 'fn main() { println!("7") }'],
  ] as const)('is the file that %s runs: %s %s', { timeout: 60_000 }, async (language, tool, entry, text) => {
    if (!requires(tool)) return
    const { run: ran } = await run(language, { files: { [entry]: text }, entry })
    expect(ran?.stdout.text).toBe('7\n')
  })
})

describe('what cannot be run', () => {
  test('a missing compiler is told by name, with a remedy, before a file is written', async () => {
    const provider = memorySandbox(() => ({ outcome: { kind: 'exit', code: 127 } }))
    const empty = await provider.create()
    const error = await runSource(empty, { language: 'rust', files: 'fn main() {}' }).catch(
      (one: unknown) => one,
    )
    if (!MendloopError.is(error, 'TOOLCHAIN_MISSING')) throw error
    expect(error.details).toMatchObject({ language: 'rust', tool: 'rustc' })
    expect(error.message).toContain(error.details.remedy)
    expect(await empty.files.list()).toEqual([])
  })

  test('a tool that is there and does not start says why', async () => {
    const stderr = 'error: rustup could not choose a version of rustc to run\n'
    const empty = await memorySandbox(() => ({ outcome: { kind: 'exit', code: 1 }, stderr })).create()
    await expect(runSource(empty, { language: 'rust', files: '' })).rejects.toThrow(
      /could not choose a version/u,
    )
  })

  test('a tool is asked for once in the life of a sandbox', async () => {
    const provider = memorySandbox(() => ({ stdout: 'gcc 12' }))
    const empty = await provider.create()
    await Promise.all([1, 2].map(() => runSource(empty, { language: 'c', files: 'int main;' })))
    expect(
      provider.commands.filter((command) => Array.isArray(command) && command[1] === '--version'),
    ).toHaveLength(1)
  })

  test('a language that nobody knows, an entry that is not there, a path that leads out', async () => {
    await expect(run('cobol', { files: '' })).rejects.toThrow(/"cobol".*python/u)
    await expect(run('ruby', { files: '' })).rejects.not.toThrow('did you mean')
    await expect(run('v', { files: '' })).rejects.not.toThrow('did you mean')
    await expect(run('Pyhton', { files: '' })).rejects.toThrow(
      /received "Pyhton", known: python, .*; did you mean "python"\?/u,
    )
    const misplaced = runSource(sandbox, { language: 'c', files: '' }, { stdin: 'x' } as never)
    await expect(misplaced).rejects.toThrow('it belongs to the program, as in { language, files, stdin }')
    await expect(runSource(sandbox, { language: 'c', code: '' } as never)).rejects.toThrow(
      '"files" takes the text of a program',
    )
    await expect(run('c', { files: { 'a.c': '', 'b.c': '' }, entry: 'main.c' })).rejects.toThrow(
      /no file "main.c"/u,
    )
    const provider = memorySandbox() as never
    await expect(runSource(provider, { language: 'c', files: '' })).rejects.toThrow('provider.create() opens')
    await expect(run('c', { files: { '../a.c': '' } })).rejects.toMatchObject({ code: 'PATH_REFUSED' })
  })
})

test.skipIf(!requires('python3'))('a file may have any name, that of a property too', async () => {
  const files = JSON.parse('{"__proto__": "x", "constructor": "yy", "solution.py": ""}')
  files['solution.py'] = 'print(len(open("__proto__").read() + open("constructor").read()))\n'
  const { run: ran } = await run('python', { files })
  expect(ran?.stdout.text).toBe('3\n')
  const missing = run('python', { files: { 'a.py': '' }, entry: 'toString' })
  await expect(missing).rejects.toThrow('holds no file "toString"')
})

describe('TypeScript', () => {
  const program = { language: 'ts', files: 'const n: number = 1\nconsole.log(n)\n' }

  test('is left to a Node that takes types away itself, with a flag where it still needs one', async () => {
    const commandFor = async (version: string): Promise<unknown> => {
      const provider = memorySandbox(() => ({ stdout: `${version}\n` }))
      await runSource(await provider.create(), program)
      return provider.commands.at(-1)
    }
    expect(await commandFor('v22.6.0')).toMatchObject({
      argv: expect.arrayContaining(['--experimental-strip-types', 'solution.ts']),
    })
    for (const version of ['v22.18.0', 'v24.1.0'])
      expect(JSON.stringify(await commandFor(version))).not.toContain('strip-types')
  })

  test.skipIf(!requires('node'))('reads no file of the host, whatever it imports', async () => {
    const { run: ran, compile } = await run('ts', {
      files: "import text from '../../../../etc/passwd'\nconsole.log(text)\n",
    })
    const made = await sandbox.files.readText('.mendloop.solution.ts.mjs').catch(() => '')
    expect(`${made}${compile?.stderr.text ?? ''}`).not.toContain('root:')
    expect(ran?.ok ?? false).toBe(false)
  })
})
