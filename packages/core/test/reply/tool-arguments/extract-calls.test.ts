// Replies whose program is in tool calls, by the same rules as blocks in the text.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ModelReply, ToolCall } from '../../../src/contract/model.js'
import { extractCandidate } from '../../../src/reply/extract-candidate.js'
import type { Extraction, ExtractOptions } from '../../../src/reply/extraction.js'

const call = (value: unknown, name = 'write_file'): ToolCall => ({
  id: 'call-1',
  name,
  arguments: typeof value === 'string' ? value : JSON.stringify(value),
})

const extract = (
  toolCalls: readonly ToolCall[],
  {
    text = '',
    finish = 'tool',
    ...options
  }: Partial<Pick<ModelReply, 'text' | 'finish'> & ExtractOptions> = {},
): Extraction => extractCandidate({ text, finish, toolCalls }, { language: 'python', ...options })

const candidateOf = (found: Extraction): unknown =>
  found.status === 'ok' ? found.candidate : found.failure.message

const program = 'def f(x):\n    return x + 1\n'

test('code without a path goes to the entry of the language', () => {
  const found = extract([call({ code: program })])
  expect(found).toMatchObject({ status: 'ok', code: program, codes: [program], warnings: [] })
  expect(candidateOf(found)).toEqual({ files: { 'solution.py': program }, entry: 'solution.py' })
})

test('several calls are several files', () => {
  const found = extract([
    call({ path: 'solution.py', content: 'from lib import f\nprint(f(1))\n' }),
    call({ path: 'lib.py', content: program }),
    call({ path: 'pkg/__init__.py', content: '' }),
  ])
  expect(candidateOf(found)).toEqual({
    files: {
      'solution.py': 'from lib import f\nprint(f(1))\n',
      'lib.py': program,
      'pkg/__init__.py': '',
    },
    entry: 'solution.py',
  })
})

test('a file that is written twice is as it was written last', () => {
  const found = extract([
    call({ path: 'solution.py', content: 'x = 1\n' }),
    call({ path: 'solution.py', content: program }),
  ])
  expect(found).toMatchObject({ code: program, warnings: ['file-written-twice'] })
})

test('calls win over code in the text, which is listed and not run', () => {
  const found = extract([call({ code: program })], { text: 'First I thought of:\n\n```python\nx = 1\n```\n' })
  expect(found).toMatchObject({ code: program, codes: [program] })
  expect(found.notRun.map(({ text }) => text)).toEqual(['x = 1\n'])
  expect(found.notice).toBeUndefined()
})

test.each<[what: string, calls: readonly ToolCall[]]>([
  ['no calls', []],
  ['a search', [call({ query: 'median' }, 'search')]],
  ['words', [call({ text: 'Now I write the file, then I test it.' }, 'say')]],
  ['a currency', [call({ code: 'EUR' }, 'rate')]],
  ['nothing', [call('', 'ask')]],
  ['no code', [call({ code: '' })]],
])('%s leaves the text as it is', (_, calls) => {
  expect(extract(calls, { text: `\`\`\`python\n${program}\`\`\`` })).toMatchObject({ code: program })
})

test.each<[what: string, calls: readonly ToolCall[]]>([
  ['a tool of free form', [call(program, 'python')]],
  ['code under the name of text', [call({ text: program })]],
  ['code under an odd path', [call({ path: '/workspace/solution.py', content: program })]],
  ['the name of a tool as language', [call({ code: program }, 'python')]],
])('%s is code', (_, calls) => {
  expect(candidateOf(extract(calls))).toEqual({ files: { 'solution.py': program }, entry: 'solution.py' })
})

test('code that does not parse is still the program, for its checks to say so', () => {
  expect(extract([call({ code: 'def f(:\n    pass\n' })])).toMatchObject({ code: 'def f(:\n    pass\n' })
})

test('a path that leaves the workspace is refused and named', () => {
  const found = extract([call({ path: '../../etc/cron.py', content: program })])
  expect(candidateOf(found)).toEqual({ files: { 'solution.py': program }, entry: 'solution.py' })
  expect(found.warnings).toEqual(['path-refused'])
})

describe('no program', () => {
  test('in another language, both are named', () => {
    const found = extract([call({ code: 'const x = 1;\nconsole.log(x);\n' })])
    expect(found).toMatchObject({ status: 'mismatch', reason: 'wrong-language', codes: [] })
    expect(candidateOf(found)).toMatch(/Asked for python.*javascript/)
    expect(candidateOf(found)).not.toContain('```')
  })

  test('in a call about something else, beside words', () => {
    const found = extract([call({ query: 'median' }, 'search')], { text: 'Let me look.' })
    expect(found).toMatchObject({ status: 'none', reason: 'no-block' })
    expect(candidateOf(found)).toContain('"search" hold no python program')
  })

  test('under the name of another language', () => {
    expect(extract([call({ code: 'ls -la' }, 'bash')]).status).toBe('mismatch')
  })

  test('with a placeholder for what was left out', () => {
    const found = extract([call({ path: 'solution.py', content: '# ... existing code ...\nx = 1\n' })], {
      files: { 'solution.py': `${program}y = 2\n` },
    })
    expect(found).toMatchObject({ status: 'incomplete', reason: 'omission-placeholder' })
  })

  test.each([
    ['broken', { finish: 'tool' }, 'none', 'unreadable-arguments', '{"code": "print("a")"}'],
    ['cut', { finish: 'length' }, 'incomplete', 'reply-cut', '{"code": "print('],
  ] as const)('one call that is %s takes the others with it', (_, options, status, reason, written) => {
    const text = `\`\`\`python\n${program}\`\`\``
    const found = extract([call({ path: 'lib.py', content: program }), call(written)], { text, ...options })
    expect(found).toMatchObject({ status, reason, codes: [] })
    expect(candidateOf(found)).toContain('The arguments of the call of "write_file"')
  })
})

test.each([
  { path: 'lib.py', old_str: 'x', new_str: 'y' },
  { path: 'lib.py', insert_line: 0, new_str: 'y' },
  { path: 'lib.py', edits: [{ old: 'x', new: 'y' }] },
  { patch: '--- a/lib.py\n+++ b/lib.py\n@@ -1 +1 @@\n-x\n+y\n' },
  { input: '*** Begin Patch\n*** Update File: lib.py\n-x\n+y\n*** End Patch' },
])('an edit beside a whole file is told, not left out: %j', (edit) => {
  const found = extract([call({ path: 'solution.py', content: program }), call(edit, 'edit')])
  expect(found).toMatchObject({ status: 'none', failure: { kind: 'edit' }, codes: [] })
  expect(candidateOf(found)).toContain('Send the complete text of the file.')
})

test('a whole call before the end of a reply that was cut is used, and the cut is named', () => {
  const found = extract([call({ code: program })], { finish: 'length' })
  expect(found).toMatchObject({ status: 'ok', code: program, warnings: ['reply-cut'] })
})

test('arguments that an adapter has decoded already are read too', () => {
  const calls = [{ id: '1', name: 'run', arguments: { code: program } }] as unknown as ToolCall[]
  expect(extract(calls)).toMatchObject({ code: program })
})

test('nothing in a list of calls makes anything throw', () => {
  const odd = fc.oneof(
    fc.anything(),
    fc.record({ name: fc.anything(), arguments: fc.anything() }),
    fc.record({
      name: fc.string(),
      arguments: fc
        .dictionary(
          fc.constantFrom(
            'code',
            'path',
            'content',
            'files',
            'text',
            'file',
            'language',
            '__proto__',
            'input',
          ),
          fc.oneof(
            fc.anything(),
            fc.constantFrom(program, 'a.py', '__proto__', 'constructor', '../x', '```\n'),
          ),
        )
        .map((value) => JSON.stringify(value)),
    }),
  )
  fc.assert(
    fc.property(fc.array(odd, { maxLength: 4 }), (calls) => {
      const found = extract(calls as ToolCall[], { text: program })
      if (found.status === 'ok') expect(found.code.trim()).not.toBe('')
      else expect(found.failure.message.length).toBeGreaterThan(20)
    }),
    { numRuns: 400 },
  )
})
