// A failure that comes back: the program runs once more in a session, and its variables are told.
import { expect, test } from 'vitest'
import { subprocess } from '../../../sandbox-subprocess/src/index.js'
import type { Candidate } from '../../src/contract/candidate.js'
import { localValues } from '../../src/language/local-values.js'
import { runSource } from '../../src/language/run-source.js'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'
import { exitsCleanly } from '../../src/verify/exits-cleanly.js'

const provider = subprocess({ minimum: 'process' })

/** How a program fails, and what its variables hold there. */
async function valuesOf(
  language: string,
  files: Candidate['files'],
  given: { args?: readonly string[]; stdin?: string } = {},
): Promise<Readonly<Record<string, string>> | undefined> {
  await using sandbox = await provider.create()
  const [entry = ''] = Object.keys(files)
  const { failures } = await runSource(sandbox, { language, files, entry, ...given })
  const [failure] = failures
  if (failure === undefined) throw new Error('It must fail.')
  return await localValues(sandbox, {
    language,
    candidate: { files, entry },
    failure,
    wallMs: 5000,
    ...given,
  })
}

test('Python: the function that failed', async () => {
  const code =
    'def mean(xs):\n    total = sum(xs)\n    return total / len(xs)\n\nprint(mean([1]))\nmean([])\n'
  expect(await valuesOf('python', { 'solution.py': code })).toEqual({ xs: '[]', total: '0' })
})

test('Python: with its arguments, its input, its own file and folder, as the main program', async () => {
  const code = [
    'import sys, helper',
    'def f(word, text, name):',
    '    return helper.count / 0',
    'if __name__ == "__main__":',
    '    f(sys.argv[1:], sys.stdin.read(), __file__.split("/")[-1])',
  ].join('\n')
  const files = { 'app/main.py': code, 'app/helper.py': 'count = 4\n' }
  expect(await valuesOf('python', files, { args: ['a b'], stdin: 'é\n' })).toEqual({
    word: "['a b']",
    text: "'é\\n'",
    name: "'main.py'",
  })
})

test('Python: in a module of the program', async () => {
  const files = {
    'solution.py': 'import helper\nhelper.half("x")\n',
    'helper.py': 'def half(value):\n    return value / 2\n',
  }
  expect(await valuesOf('python', files)).toEqual({ value: "'x'" })
})

test('Node: the function that failed', async () => {
  const code = [
    "import { basename } from 'node:path'",
    'function total(rows, name) {',
    '  let sum = 0',
    '  for (const row of rows) sum += row.price',
    '  return sum',
    '}',
    'total([{ price: 2 }, null], basename(process.argv[2]))',
  ].join('\n')
  expect(await valuesOf('javascript', { 'solution.mjs': code }, { args: ['/a/b'] })).toMatchObject({
    sum: '2',
    name: '"b"',
    row: 'null',
  })
})

test.each([
  ['another exception', 'import random\nraise ValueError(random.random())'],
  ['a syntax error', 'def f(:\n  pass'],
])('%s: nothing is made up', async (_, code) => {
  expect(await valuesOf('python', { 'solution.py': code })).toBeUndefined()
})

test('a language without sessions and a sandbox that cannot spawn have none', async () => {
  const candidate = { files: { 'solution.sh': 'x' }, entry: 'solution.sh' }
  const failure = { kind: 'exception', message: 'x', fingerprint: 'x' } as const
  await using real = await provider.create()
  await using plain = await memorySandbox().create()
  for (const [sandbox, language] of [
    [real, 'shell'],
    [real, 'constructor'],
    [plain, 'python'],
  ] as const)
    expect(await localValues(sandbox, { language, candidate, failure, wallMs: 1000 })).toBeUndefined()
})

test('a loop tells them from the first repeat on, and not before', async () => {
  const body = (change: string): string =>
    `\`\`\`python\ndef mean(xs):\n    total = sum(xs)\n    return total / len(xs)\n\n${change}\nprint(mean([]))\n\`\`\`\n`
  const model = scriptedModel([body('# one'), body('print("other")'), '```python\nprint(0)\n```\n'])
  const loop = createRepairLoop({ model, sandbox: provider })
  const result = await loop.run({ goal: 'Print a mean.', language: 'python', verify: [exitsCleanly()] })
  expect(result.status).toBe('verified')
  const said = (call: number): string =>
    (model.calls[call]?.messages ?? []).map(({ content }) => String(content)).join('\n')
  expect(said(1)).not.toContain('Local variables')
  expect(said(2)).toContain('Local variables there:\n  xs = []\n  total = 0')
  expect(said(2)).toContain('failed in the same way as attempt 1')
})
