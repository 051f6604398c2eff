// The examples that the guide quotes do what the guide says.
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { recordFromJsonl } from '@mendloop/core'
import { expect, test } from 'vitest'
import { isolationHere } from './helpers/isolation-here.js'
import { serveReplies } from './helpers/serve-replies.js'

const isolated = await isolationHere()
const root = fileURLToPath(new URL('../..', import.meta.url))

const SOURCE = ['--conditions=@mendloop/source', '--import', 'tsx']
const options = { cwd: root, encoding: 'utf8', timeout: 30_000 } as const

function run(example: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...SOURCE, `examples/${example}`, ...args],
    options,
  )
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return stdout
}

/** For examples that talk to a server of this process. */
async function runAsync(
  example: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const argv = [...SOURCE, `examples/${example}`, ...args]
  const env = { ...process.env, ...environment }
  return (await promisify(execFile)(process.execPath, argv, { ...options, env })).stdout
}

test.runIf(isolated)('watch-a-run prints the failing assertion, mends it and writes the record', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mendloop-example-'))
  try {
    const file = join(folder, 'record.jsonl')
    const output = run('watch-a-run.ts', file)
    expect(output).toContain('attempt 1: python tests fail')
    expect(output).toContain('median([4, 1, 3, 2]): expected 2.5, got 3')
    expect(output).toMatch(/attempt 2: python tests pass\nverified after 2 attempts and \d+ tokens/)
    expect(recordFromJsonl(readFileSync(file, 'utf8')).events.at(-1)).toMatchObject({
      type: 'run-end',
      status: 'verified',
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test.runIf(isolated)('custom-verifier mends the program until its own check passes', () => {
  expect(run('custom-verifier.ts')).toBe('verified {"total": 6}\n')
})

test.runIf(isolated)('custom-model is asked like any other', () => {
  expect(run('custom-model.ts')).toBe('verified print("Hello, Ada!")\n\n')
})

test.runIf(isolated)('verify-once says what is wrong without a model', () => {
  const output = run('verify-once.ts')
  expect(output).toMatch(/^false\n/)
  expect(output).toContain('test_add')
  expect(output).toContain('add(2, 3)')
})

test.runIf(isolated)('loop-as-a-tool hands a program that passed to the agent that asked for it', () => {
  const lines = run('loop-as-a-tool.ts').trimEnd().split('\n')
  expect(lines.map((line) => line.split(':')[0])).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(JSON.parse((lines[2] ?? '').slice('tool: '.length))).toMatchObject({
    status: 'verified',
    program: { 'solution.py': 'from statistics import median\n' },
    cost: { attempts: 2, modelCalls: 2 },
  })
  expect(lines[3]).toBe('assistant: The tool says: Every check passed; 2 programs were tried.')
})

test.runIf(isolated)('step-by-step tells what is wrong and ends with the program that passed', () => {
  const output = run('step-by-step.ts')
  expect(output).toMatch(/^Attempt 1/)
  expect(output).toContain('add(2, 3)')
  expect(output).toMatch(/def add\(a, b\):\n {4}return a \+ b\n\n$/)
})

test.runIf(isolated)('run-a-language shows where a program failed', () => {
  expect(run('run-a-language.ts')).toBe(
    [
      "false exception TypeError: Cannot read properties of null (reading 'map')",
      'solution.mjs 1',
      '> 1 | const total = (rows) => rows.map((row) => row.price)',
      '    |                              ^',
      '  2 |',
      "  3 | total(JSON.parse('null'))\n",
    ].join('\n'),
  )
})

test.runIf(isolated)('run-code shows what a program did and wrote', () => {
  expect(run('run-code.ts')).toBe("{ kind: 'exit', code: 0 } 42\nout.txt done\n")
})

test.runIf(isolated)(
  'commands runs words as they are, a line by the shell, and words with all they need',
  () => {
    expect(run('commands.ts')).toBe('$HOME *\n2\n3.10 4.75 9.80\n')
  },
)

test.runIf(isolated)('alternatives gives three that differ', () => {
  expect(run('alternatives.ts')).toMatch(
    /3 was the same as 1, after 1 call of the model\nverified 4 calls all are distinct\n$/,
  )
})

test.runIf(isolated)('program-input gives a program all that it may be given', () => {
  expect(run('program-input.ts')).toBe('highest 9.8 EUR\ntrue [3.1, 4.75, 9.8]\n')
})

test.runIf(isolated)(
  'upload-a-folder brings the files of a folder in, and what links lead to stays out',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'mendloop-example-'))
    try {
      mkdirSync(join(folder, 'data', 'raw'), { recursive: true })
      writeFileSync(join(folder, 'main.py'), 'print(1)')
      writeFileSync(join(folder, 'data', 'raw', 'été.csv'), Buffer.alloc(200_000))
      symlinkSync('/etc', join(folder, 'outside'))
      symlinkSync('/etc/passwd', join(folder, 'data', 'link'))
      expect(run('upload-a-folder.ts', folder)).toBe('data/raw/été.csv 200000\nmain.py 8\n')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

test('handle-errors is refused the weakest tier that it has not accepted by name, and says how to', () => {
  const output = run('handle-errors.ts')
  expect(output).toMatch(
    /^ISOLATION_UNAVAILABLE (landlock|seatbelt) (namespaces|landlock|seatbelt|process)\n/,
  )
  expect(output).toContain("minimum: 'process'")
})

test('ask-a-model streams a reply of a local server and knows what it cost', async () => {
  const server = await serveReplies(['def add(a, b): …'])
  try {
    const output = await runAsync('ask-a-model.ts', [server.baseUrl])
    expect(output).toBe('def add(a, b): …\nstop, 200 tokens, $0.00065\n')
  } finally {
    await server.close()
  }
})

test.runIf(isolated)(
  'the dozen lines of the README ask the server that the environment names, and print a verified program',
  async () => {
    const wrong = '```python\ndef median(xs):\n    return xs[len(xs) // 2]\n```'
    const right = '```python\ndef median(xs):\n    return sorted(xs)[len(xs) // 2]\n```'
    const server = await serveReplies([wrong, right])
    try {
      const environment = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'key-of-the-test' }
      expect(await runAsync('quickstart.ts', [], environment)).toBe(
        'def median(xs):\n    return sorted(xs)[len(xs) // 2]\n\n',
      )
      expect(server.requests.map(({ authorization }) => authorization)).toEqual(
        Array(2).fill('Bearer key-of-the-test'),
      )
      expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('median([3, 1, 2])')
    } finally {
      await server.close()
    }
  },
)
