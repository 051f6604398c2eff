// What one tool call holds: the usual forms, what is mended because it has one reading, and what is refused.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ModelReply } from '../../../src/contract/model.js'
import {
  readToolArguments,
  type ToolArguments,
} from '../../../src/reply/tool-arguments/read-tool-arguments.js'

const read = (
  written: string,
  { language = 'python', finish }: { language?: string; finish?: ModelReply['finish'] } = {},
): ToolArguments =>
  readToolArguments({ name: 'run', arguments: written }, { language, ...(finish && { finish }) })

/** Path → text, `-` for a file without a path; or the kind of the failure. */
function filesOf(result: ToolArguments): unknown {
  if (result.status !== 'ok') return result.failure.kind
  return Object.fromEntries(result.files.map(({ path = '-', text }) => [path, text]))
}

const problemOf = (result: ToolArguments): string => (result.status === 'ok' ? '' : result.failure.message)

const code = 'def f(x):\n    return "a\\n" + x\n'

describe('forms', () => {
  test.each<[form: string, value: unknown, files: unknown]>([
    ['code', { code }, { '-': code }],
    ['code beside other things', { code, timeout: 10, description: 'runs it' }, { '-': code }],
    ['source', { source: code }, { '-': code }],
    ['script', { Script: code }, { '-': code }],
    ['path and content', { path: 'a/b.py', content: code }, { 'a/b.py': code }],
    [
      'file_path and file_text',
      { command: 'create', file_path: './b.py', file_text: code },
      { 'b.py': code },
    ],
    ['a name that is a path', { name: 'b.py', code }, { 'b.py': code }],
    ['a name that is none', { name: 'median', code }, { '-': code }],
    ['files by path', { files: { 'a.py': code, 'b.txt': '' } }, { 'a.py': code, 'b.txt': '' }],
    ['files by path, as objects', { files: { 'a.py': { content: code } } }, { 'a.py': code }],
    ['a list of files', { files: [{ path: 'a.py', content: code }] }, { 'a.py': code }],
    ['a list in a text', { files: JSON.stringify([{ path: 'a.py', content: code }]) }, { 'a.py': code }],
    [
      'files without a name for them',
      { 'a.py': code, 'b.py': 'x = 1\n' },
      { 'a.py': code, 'b.py': 'x = 1\n' },
    ],
    ['within arguments', { name: 'write', arguments: { path: 'a.py', content: code } }, { 'a.py': code }],
    ['within arguments as text', { arguments: JSON.stringify({ code }) }, { '-': code }],
    ['within broken text', { arguments: '{"code": "x' }, 'schema'],
    ['within file', { file: { path: 'a.py', content: code } }, { 'a.py': code }],
    ['files and code', { files: { 'a.py': code }, code: 'x = 1\n' }, { 'a.py': code, '-': 'x = 1\n' }],
    ['the same under two names', { code, source: code }, { '-': code }],
    ['a path that leaves the workspace', { path: '../a.py', content: code }, { '-': code }],
    ['a path that every object has', { path: 'constructor', content: code }, { '-': code }],
    ['a fence round the code', { code: `\`\`\`python\n${code}\`\`\`` }, { '-': code }],
    ['a fence that is the file', { path: 'a.md', content: '```\nx\n```\n' }, { 'a.md': '```\nx\n```\n' }],
    ['other line ends', { code: code.replaceAll('\n', '\r\n') }, { '-': code }],
    ['a search', { query: 'weather' }, 'no-code'],
    ['nothing', {}, 'no-code'],
    ['no code yet', { code: null }, 'no-code'],
    ['code under two names', { content: 'x = 1', filetext: 'x = 2' }, 'schema'],
    ['code in lines', { code: ['x = 1'] }, 'schema'],
    ['a list that lacks a text', { files: [{ path: 'a.py', content: code }, { path: 'b.py' }] }, 'schema'],
    ['a file without a text', { files: { 'a.py': 7 } }, 'schema'],
    ['files as words', { files: 'a.py' }, 'schema'],
    ['a part of a file', { path: 'a.py', content: 'x', start_line: 3 }, 'edit'],
    ['more of a file', { path: 'a.py', content: 'x', mode: 'append' }, 'edit'],
    ['a replacement', { path: 'a.py', old_str: 'x', new_str: 'y' }, 'edit'],
    ['a replacement by other words', { file: 'a.py', search: 'x', replace: 'y' }, 'edit'],
    ['an insertion', { command: 'insert', path: 'a.py', insert_line: 1, insert_text: 'y' }, 'edit'],
    ['lines of a file', { path: 'a.py', start_line: 1, end_line: 2, replacement: 'y' }, 'edit'],
    ['a part with dots', { target_file: 'a.py', code_edit: '# ...\ny = 1\n' }, 'edit'],
    ['a list of edits', { path: 'a.py', edits: [{ oldText: 'x', newText: 'y' }] }, 'edit'],
    ['a list of edits by place', { path: 'a.py', edits: [{ range: [1, 2], text: 'y' }] }, 'edit'],
    ['edits beside files', { files: { 'b.py': code }, edits: [{ old_str: 'x', new_str: 'y' }] }, 'edit'],
    ['whole files among changes', { changes: [{ path: 'a.py', content: code }] }, { 'a.py': code }],
    ['a patch', { patch: '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n' }, 'edit'],
    ['blocks under the name of a diff', { path: 'a.py', diff: '<<<<<<< SEARCH\nx\n' }, 'edit'],
    ['a patch as input', { input: '*** Begin Patch\n*** Delete File: a.py\n*** End Patch' }, 'edit'],
    ['a patch in a command', { command: ['apply_patch', '*** Begin Patch\n*** End Patch'] }, 'edit'],
    ['a patch as code', { code: '*** Begin Patch\n*** Update File: a.py\n-x\n+y\n' }, 'edit'],
    [
      'a patch that is a file',
      { path: 'a.patch', content: '--- a\n+++ b\n' },
      { 'a.patch': '--- a\n+++ b\n' },
    ],
    ['a search for a word', { search: 'x', path: 'a.py' }, 'no-code'],
    ['a part of a file to read', { command: 'view', path: 'a.py', start_line: 1 }, 'no-code'],
    ['what was done', { summary: 'Done.', changes: '- the sum\n- the name\n' }, 'no-code'],
    ['a command', { command: 'diff -u a b\nls\n' }, 'no-code'],
  ])('%s', (_, value, files) => {
    expect(filesOf(read(JSON.stringify(value)))).toEqual(files)
  })

  test('a path that comes twice stands for its last text', () => {
    const items = [1, 2].map((number) => ({ path: 'a.py', content: `x = ${number}\n` }))
    const result = read(JSON.stringify({ files: items }))
    expect(filesOf(result)).toEqual({ 'a.py': 'x = 2\n' })
    expect(result.warnings).toEqual(['file-written-twice'])
  })

  test.each([
    ['a program', 'print("hi")\nprint([1, 2])\n', 'print("hi")\nprint([1, 2])\n'],
    ['a program that begins with a bracket', '[print(i) for i in range(3)]', '[print(i) for i in range(3)]'],
    ['a program in a JSON string', JSON.stringify(code), code],
    ['a program that begins with a string', '"""Says hi."""\nprint("hi")\n', '"""Says hi."""\nprint("hi")\n'],
    ['an answer with a block', `Here:\n\n\`\`\`python\n${code}\`\`\`\n`, code],
  ])('free form: %s', (_, written, text) => {
    expect(filesOf(read(written))).toEqual({ '-': text })
  })

  test('free form: a patch', () => {
    const patch = '*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n'
    expect(filesOf(read(patch))).toBe('edit')
  })

  test('free form in another language', () => {
    const program = '"use strict"\nconst x = [1]\nconsole.log(x)\n'
    expect(filesOf(read(program, { language: 'javascript' }))).toEqual({ '-': program })
  })
})

describe('mended, since there is one reading', () => {
  test.each<[fault: string, written: string, files: unknown, warning: string]>([
    [
      'raw line ends',
      '{"code": "x = 1\n\tprint(x)\n"}',
      { '-': 'x = 1\n\tprint(x)\n' },
      'control-characters-escaped',
    ],
    [
      'a last comma',
      '{"files": [{"path": "a.py", "content": "x",},],}',
      { 'a.py': 'x' },
      'trailing-comma-removed',
    ],
    ['a brace missing', '{"code": "x = 1"', { '-': 'x = 1' }, 'bracket-added'],
    ['brackets missing', '{"files": [{"path": "a.py", "content": "x"', { 'a.py': 'x' }, 'bracket-added'],
    [
      'Python',
      `{'code': 'print("a\\'b")', 'run': True, 'n': None}`,
      { '-': 'print("a\'b")' },
      'python-literal',
    ],
    ['Python, mixed quotes', `{"code": "x = '\\x41'", 'n': 1}`, { '-': "x = 'A'" }, 'python-literal'],
    ['a fence', '```json\n{"code": "x = 1"}\n```', { '-': 'x = 1' }, 'fence-removed'],
    ['JSON in JSON', JSON.stringify(JSON.stringify({ code })), { '-': code }, 'encoded-twice'],
    [
      'JSON in JSON, no quotes',
      '{\\"code\\": \\"x = \\\\\\"a\\\\\\"\\"}',
      { '-': 'x = "a"' },
      'encoded-twice',
    ],
  ])('%s', (_, written, files, warning) => {
    const result = read(written)
    expect(filesOf(result)).toEqual(files)
    expect(result.warnings).toEqual([warning])
  })

  test('a value under the name of every object is read like any other', () => {
    expect(filesOf(read('{"__proto__": {"code": "y"}, "code": "x",}'))).toEqual({ '-': 'x' })
  })
})

describe('refused, with what is wrong and where', () => {
  test.each<[fault: string, written: string, words: string[]]>([
    [
      'quotes within',
      '{"code": "print("hi")"}',
      ['comma or \\"}\\" is missing'.replaceAll('\\', ''), 'column 18', 'hi'],
    ],
    ['no quotes', '{code: "x"}', ['key in quotes', 'column 2']],
    ['an unknown escape', '{"code": "\\d\n"}', ['escape "\\\\d"', 'column 11']],
    ['text behind it', '{"code": "x"} Done.', ['after the end', 'Done.']],
    ['two values', '{"code": "x"}{"code": "y"}', ['after the end']],
    ['a key twice', '{"code": "x", "code": "y",}', ['"code" comes twice']],
    ['three quotes', '{"code": """x\\n"""}', ['column 10']],
    ['deep brackets', '['.repeat(200), ['deeper than 64']],
    [
      'JSON in JSON for ever',
      [1, 2, 3, 4, 5].reduce((text) => JSON.stringify(text), '{"code":"x"}'),
      ['again'],
    ],
  ])('%s', (_, written, words) => {
    const result = read(written)
    expect(result).toMatchObject({ status: 'unreadable', failure: { kind: 'schema' } })
    for (const word of words) expect(problemOf(result)).toContain(word)
    expect(problemOf(result)).toContain('"run"')
  })

  test.each<[where: string, written: string, finish: ModelReply['finish']]>([
    ['within a string', '{"code": "x = 1\\nprint(', 'stop'],
    ['within an escape', '{"code": "x\\', 'stop'],
    ['within a character', '{"code": "x\\u00', 'stop'],
    ['behind a key', '{"code"', 'stop'],
    ['behind a comma', '{"code": "x",', 'stop'],
    ['behind a number', '{"code": "x", "n": 1', 'stop'],
    ['at the limit, brackets missing', '{"code": "x = 1"', 'length'],
    ['at the limit, free form', 'x = 1\n', 'length'],
    ['at a filter', '{"code": "x', 'filter'],
    ['at the limit, nothing yet', '', 'length'],
    ['code that does not parse either', '{"code": "print("', 'stop'],
  ])('cut %s', (_, written, finish) => {
    const result = read(written, { finish })
    expect(result).toMatchObject({ status: 'incomplete', failure: { kind: 'truncated-reply' } })
    expect(problemOf(result)).toContain('cut off')
  })

  test('whole arguments of a reply that was cut are whole', () => {
    expect(filesOf(read('{"code": "x = 1"}', { finish: 'length' }))).toEqual({ '-': 'x = 1' })
  })

  test.each([undefined, null, { name: 'a' }, { name: 'a', arguments: {} }])('%j is no call', (call) => {
    expect(() => readToolArguments(call as never, { language: 'python' })).toThrow(/must be a tool call/)
  })

  test('an option that is not known is refused', () => {
    const options = { language: 'python', cut: true } as never
    expect(() => readToolArguments({ name: 'a', arguments: '{}' }, options)).toThrow(/unknown option "cut"/)
  })
})

describe('code escaped twice', () => {
  test.each<[what: string, language: string, received: string, meant: string]>([
    ['Python', 'python', 'def f():\\n\\treturn "a\\\\nb"\\n', 'def f():\n\treturn "a\\nb"\n'],
    [
      'JavaScript',
      'javascript',
      'function f() {\\n  return \\"a\\"\\n}\\n',
      'function f() {\n  return "a"\n}\n',
    ],
    ['C', 'c', 'int main(void) {\\n  return 0;\\n}', 'int main(void) {\n  return 0;\n}'],
    ['a comment first', 'python', '# f\\ndef f():\\n    return 1\\n', '# f\ndef f():\n    return 1\n'],
    ['a script', 'shell', '#!/bin/sh\\necho a\\n', '#!/bin/sh\necho a\n'],
    ['other characters', 'python', 'x = "\\u00e9"\\nprint(x)', 'x = "é"\nprint(x)'],
  ])('%s is decoded once more', (_, language, received, meant) => {
    const result = read(JSON.stringify({ code: received }), { language })
    expect(filesOf(result)).toEqual({ '-': meant })
    expect(result.warnings).toEqual(['unescaped-twice'])
  })

  test.each<[what: string, language: string, received: string]>([
    ['a string with visible line ends', 'python', 'import re; print(re.sub("\\n", "-", "x"))'],
    ['the same in JavaScript', 'javascript', "console.log('a\\nb', /\\n/.test('x'))"],
    ['code that does not parse afterwards either', 'python', 'def f(:\\n    return 1\\n'],
    ['an escape that no encoder writes', 'python', 'x = 1\\nprint(\\d)\\n'],
    ['shell, of which nothing can tell', 'shell', 'printf "a\\n"'],
  ])('%s stays as it is', (_, language, received) => {
    const result = read(JSON.stringify({ code: received }), { language })
    expect(filesOf(result)).toEqual({ '-': received })
    expect(result.warnings).toEqual([])
  })
})

describe('properties', () => {
  const PIECES = [
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    ',',
    ':',
    '\\',
    '\\n',
    '\\u00',
    '\n',
    '\t',
    ' ',
    '"code"',
    '"path"',
    '"files"',
    'a.py',
    'True',
    'null',
    '1',
    '```',
    '```json\n',
    '"""',
    'def f():',
    '\0',
    '\ud83d',
    '__proto__',
    'content',
  ]
  const text = fc.oneof(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.json(),
  )

  test('any text gives files at safe paths, or a sentence', () => {
    const finish = fc.constantFrom<ModelReply['finish']>('stop', 'length', 'tool')
    const language = fc.constantFrom('python', 'javascript', 'shell', 'nonesuch')
    fc.assert(
      fc.property(text, finish, language, (written, end, asked) => {
        const result = read(written, { finish: end, language: asked })
        if (result.status !== 'ok') {
          expect(result.failure.message.length).toBeGreaterThan(40)
          return
        }
        expect(result.files.length).toBeGreaterThan(0)
        for (const { path, text: content } of result.files) {
          expect(path ?? 'a').not.toMatch(/^\/|\\|\0|(?:^|\/)\.\.(?:\/|$)/)
          expect(content).not.toContain('\r')
        }
      }),
      { numRuns: 1000 },
    )
  })

  const file = fc
    .string({ unit: 'grapheme', maxLength: 60 })
    .map((one) => `x = 1\n${one}`.replaceAll('\r', ''))
  const raw = (content: string): string =>
    JSON.stringify(content).replaceAll('\\n', '\n').replaceAll('\\t', '\t')

  test('files come through every mend as they were meant', () => {
    const clean = file.filter((one) => !one.includes('\\') && !one.includes('\ufeff'))
    fc.assert(
      fc.property(clean, clean, (first, second) => {
        const files = { 'a.txt': first, 'b.txt': second }
        const meant = JSON.stringify({ files })
        const ways = [
          meant,
          `{"files": {"a.txt": ${raw(first)}, "b.txt": ${raw(second)}}}`,
          `{"files": {"a.txt": ${JSON.stringify(first)}, "b.txt": ${JSON.stringify(second)},},}`,
          meant.slice(0, -1),
          meant.slice(0, -2),
          `\`\`\`json\n${meant}\n\`\`\``,
          JSON.stringify(meant),
        ]
        for (const way of ways) expect(filesOf(read(way))).toEqual(files)
      }),
      { numRuns: 300 },
    )
  })

  test('what is cut anywhere never gives a file that is not whole', () => {
    fc.assert(
      fc.property(file, fc.nat(), (content, at) => {
        const whole = JSON.stringify({ path: 'a.py', content })
        const result = read(whole.slice(0, at % whole.length), { finish: 'length' })
        expect(result.status).not.toBe('ok')
      }),
    )
  })

  test.each(['{"code":"', '[', '"', '\\', '{"a":[', '\\"', "'", '{\\"', '"\\n', '```\n', '{"a":1,'])(
    '300 kB of %j are read in time',
    (piece) => {
      const started = performance.now()
      expect(() => read(piece.repeat(300_000 / piece.length))).not.toThrow()
      expect(performance.now() - started).toBeLessThan(10_000)
    },
  )
})
