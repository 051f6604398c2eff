// Cases of replies: every language that can be read is read, and every one that can be run is run.
import { describe, expect, test } from 'vitest'
import { requires } from '../../packages/core/test/helpers/requires.js'
import { runCase } from '../cases/run-case.js'
import { caseMaker } from './helpers/case-of.js'

const makeExtract = caseMaker('extract')
const makeEdit = caseMaker('edit-whole-file')

describe('what a reply prints', () => {
  test.skipIf(!requires('node')).each([
    ['typescript', 'ts', 'const a: number = 1\nconsole.log(a)\n'],
    ['javascript', 'js', 'console.log(1)\n'],
  ])('in %s', async (language, tag, code) => {
    const reply = `\`\`\`${tag}\n${code}\`\`\`\n`
    const input = { input: 'reply.md', options: { language }, runStdout: '1\n' }
    expect(await runCase(makeExtract({ 'reply.md': reply }, input, { language }))).toEqual({
      status: 'passed',
    })
    const lie = await runCase(makeExtract({ 'reply.md': reply }, { ...input, runStdout: '2\n' }, {}))
    expect(lie).toMatchObject({ status: 'failed' })
  })

  test.skipIf(!requires('gcc'))('in C', { timeout: 60_000 }, async () => {
    const reply = '```c\n#include <stdio.h>\nint main(void) { puts("1"); return 0; }\n```\n'
    const input = { input: 'reply.md', options: { language: 'c' }, runStdout: '1\n' }
    expect(await runCase(makeExtract({ 'reply.md': reply }, input, {}))).toEqual({ status: 'passed' })
  })
})

test.each([
  ['python', '```bash\nls\n```\n```python\na = 1\n```\n', 'a = 1\n'],
  ['shell', '```bash\necho 1\n```\n', 'echo 1\n'],
])('a case that names no language takes that of the reply: %s', async (language, reply, code) => {
  const bugCase = makeExtract({ 'reply.md': reply }, { input: 'reply.md' }, { status: 'ok', language, code })
  expect(await runCase(bugCase)).toEqual({ status: 'passed' })
})

test.each([
  ['page.html', 'html', '<p>a</p>\n', '<p>c</p>\n'],
  ['style.css', 'css', 'a { color: red }\n', 'a { color: blue }\n'],
  ['main.go', 'go', 'package main\n', 'package main\n\nfunc main() {}\n'],
  ['a.jsx', 'jsx', 'const a = <p>a</p>\n', 'export function A() {\n  return <p>b</p>\n}\n'],
  ['a.RS', 'rust', 'fn main() {}\n', 'fn main() { println!("a"); }\n'],
])('the file %s may be written anew', async (path, tag, before, after) => {
  const files = { before, 'reply.md': `\`\`\`${tag}\n${after}\`\`\`\n` }
  const bugCase = makeEdit(
    files,
    { files: { [path]: 'before' }, input: 'reply.md' },
    { applied: true, unchanged: false },
  )
  expect(await runCase(bugCase)).toEqual({ status: 'passed' })
})

test('a file in no known language fails', async () => {
  const files = { before: 'a\n', 'reply.md': '```\na\n```\n' }
  const bugCase = makeEdit(files, { files: { 'a.moon': 'before' }, input: 'reply.md' }, { applied: true })
  expect(await runCase(bugCase)).toMatchObject({ status: 'failed' })
})
