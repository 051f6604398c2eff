import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { unifiedDiff } from '../../src/repair/unified-diff.js'
import { requires } from '../helpers/requires.js'

const folder = mkdtempSync(join(tmpdir(), 'mendloop-diff-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What `git apply` makes of `before` and the diff. */
function applied(before: Record<string, string>, diff: string): Record<string, string> {
  rmSync(folder, { recursive: true, force: true })
  execFileSync('git', ['init', '-q', folder])
  for (const [path, text] of Object.entries(before)) writeFileSync(join(folder, path), text)
  if (diff !== '') execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: folder, input: diff })
  const names = readdirSync(folder).filter((name) => name !== '.git')
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

describe.runIf(requires('git'))('a diff that git applies', () => {
  test.each([
    ['a changed line', { 'a.py': 'x = 1\ny = 2\n' }, { 'a.py': 'x = 1\ny = 3\n' }],
    ['a new file', {}, { 'a.py': 'x = 1\n' }],
    ['a deleted file', { 'a.py': 'x = 1\n' }, {}],
    ['no newline at the end', { 'a.py': 'x = 1' }, { 'a.py': 'x = 2' }],
    ['a newline that comes', { 'a.py': 'x = 1' }, { 'a.py': 'x = 1\n' }],
    ['CR LF', { 'a.py': 'x = 1\r\ny = 2\r\n' }, { 'a.py': 'x = 1\r\ny = 3\r\n' }],
    ['an empty file that comes', {}, { 'a.py': '' }],
    ['a file that becomes empty', { 'a.py': 'x\n' }, { 'a.py': '' }],
    ['two files', { 'a.py': '1\n', 'b.py': '2\n' }, { 'a.py': '3\n', 'b.py': '4\n' }],
  ] as [string, Record<string, string>, Record<string, string>][])('%s', (_name, before, after) => {
    expect(applied(before, unifiedDiff(before, after))).toEqual(after)
  })

  test('any two small texts', () => {
    const line = fc.constantFrom('', 'a', 'b', '+a', '-b', '@@ -1 +1 @@', '\\ No newline', ' x')
    const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [before, after] = [{ f: one }, { f: other }]
        expect(applied(before, unifiedDiff(before, after))).toEqual(after)
      }),
      { numRuns: 20 },
    )
  })
})

test('nothing changed is an empty diff', () => {
  expect(unifiedDiff({ a: 'x\n' }, { a: 'x\n' })).toBe('')
})
