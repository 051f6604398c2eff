// Patches: heads, hunks with right counts, wrong ones and none, and what they may do to files.
import { describe, expect, test } from 'vitest'
import { extractEdits } from '../../../src/reply/edits/extract-edits.js'
import { apply, outcome } from './edit-text.js'

const text = 'one\ntwo\nthree\nfour\nfive\nsix\n'
const files = { 'src/list.txt': text }
const mended = { 'src/list.txt': text.replace('three', 'THREE') }
const hunk = ' two\n-three\n+THREE\n four\n'
const names = '--- a/src/list.txt\n+++ b/src/list.txt\n'
const fence = (body: string, info = 'diff'): string => `\`\`\`${info}\n${body}\`\`\`\n`

describe('heads', () => {
  test.each([
    [
      'of git',
      `diff --git a/src/list.txt b/src/list.txt\nindex 1..2 100644\n${names}@@ -2,3 +2,3 @@ x\n${hunk}`,
    ],
    ['two lines', `${names}@@ -2,3 +2,3 @@\n${hunk}`],
    ['without a/ and b/', `--- src/list.txt\n+++ src/list.txt\n@@ -2,3 +2,3 @@\n${hunk}`],
    [
      'with times',
      `--- a/src/list.txt\t2024-01-01\n+++ b/src/list.txt\t2024-01-02\n@@ -2,3 +2,3 @@\n${hunk}`,
    ],
    ['of Subversion', `Index: src/list.txt\n${'='.repeat(67)}\n${names}@@ -2,3 +2,3 @@\n${hunk}`],
    ['no line numbers', `${names}@@ ... @@\n${hunk}`],
    ['bare places', `${names}@@\n${hunk}`],
    ['no places at all', `${names}${hunk}`],
    ['apply_patch', `*** Begin Patch\n*** Update File: src/list.txt\n@@\n${hunk}*** End Patch\n`],
    ['apply_patch without places', `*** Begin Patch\n*** Update File: src/list.txt\n${hunk}*** End Patch\n`],
  ])('%s, in a fence and outside of one', (_, patch) => {
    expect(outcome(files, `The change:\n\n${fence(patch)}\nDone.\n`)).toEqual(mended)
    expect(outcome(files, `The change:\n\n${patch}\nDone, it works.\n`)).toEqual(mended)
  })

  test.each([
    ['a label above', `src/list.txt\n${fence(`@@ -2,3 +2,3 @@\n${hunk}`)}`],
    ['a label in the info string', fence(`@@ -2,3 +2,3 @@\n${hunk}`, 'diff src/list.txt')],
    ['only one file there', fence(hunk)],
    ['another tag', fence(`${names}@@ -2,3 +2,3 @@\n${hunk}`, 'python')],
  ])('%s', (_, reply) => {
    expect(outcome(files, reply)).toEqual(mended)
  })
})

describe('without any head, under the tag of a program', () => {
  const before = { 'a.py': 'y = 0\n\ndef f(x):\n    return x\n' }
  test.each([
    ['every line marked', ' def f(x):\n-    return x\n+    return x + 1\n'],
    ['unmarked lines round it', 'def f(x):\n-    return x\n+    return x + 1\n'],
    ['the changed lines alone', '-    return x\n+    return x + 1\n'],
  ])('%s', (_, body) => {
    expect(outcome(before, fence(body, 'python'))).toEqual({
      'a.py': 'y = 0\n\ndef f(x):\n    return x + 1\n',
    })
  })

  test('a program whose lines begin with signs stays one', () => {
    for (const code of ['x = (1\n+ 2\n- 3\n)\n', 'TEXT = """\n- one\n+ two\n"""\n'])
      expect(extractEdits(fence(code, 'python'), { files: before }).edits).toEqual([])
  })
})

describe('counts', () => {
  test.each(['-2,9 +2,4', '-2 +2', '-2,1 +2,50', '-2,0 +2,0'])(
    '@@ %s @@ is counted anew, with a warning',
    (counts) => {
      const more = `@@ -6,1 +6,1 @@\n-six\n+SIX\n`
      const applied = apply(files, fence(`${names}@@ ${counts} @@\n${hunk}${more}`))
      expect(applied).toMatchObject({ status: 'applied', warnings: ['hunk-recounted'] })
      expect(applied.files).toEqual({ 'src/list.txt': mended['src/list.txt'].replace('six', 'SIX') })
    },
  )

  test.each(['- Fixed the sum\n- Renamed it\n', '---\n\nDone.\n'])(
    'right ones end a patch outside of fences, whatever the text goes on with: %j',
    (more) => {
      const applied = apply(files, `The change:\n\n${names}@@ -2,3 +2,3 @@\n${hunk}\n${more}`)
      expect(applied).toMatchObject({ status: 'applied', files: mended, warnings: [] })
    },
  )

  test('right ones let a changed line look like the head of a file', () => {
    const sql = { 'a.sql': 'x\n-- old\ny\n' }
    const patch = '--- a/a.sql\n+++ b/a.sql\n@@ -1,3 +1,3 @@\n x\n--- old\n+++ new\n y\n'
    expect(apply(sql, fence(patch))).toMatchObject({ files: { 'a.sql': 'x\n++ new\ny\n' }, warnings: [] })
  })

  test('line numbers that are wrong do no harm', () => {
    expect(outcome(files, fence(`${names}@@ -200,3 +200,3 @@\n${hunk}`))).toEqual(mended)
  })

  test('an empty line that lost its space, and a line that lost it', () => {
    const before = { 'a.py': 'def a():\n    x = 1\n\ndef b():\n    y = 1\n' }
    const patch = '--- a/a.py\n+++ b/a.py\n@@ -1,4 +1,4 @@\n def a():\n-    x = 1\n+    x = 2\n\ndef b():\n'
    expect(outcome(before, fence(patch))).toEqual({ 'a.py': before['a.py'].replace('x = 1', 'x = 2') })
  })
})

describe('several places', () => {
  const twice = { 'a.py': 'class A:\n    x = 1\n\nclass B:\n    x = 1\n' }
  const head = '--- a/a.py\n+++ b/a.py\n'
  const second = { 'a.py': 'class A:\n    x = 1\n\nclass B:\n    x = 2\n' }

  test('the line number decides, else the anchor, else it is ambiguous', () => {
    const body = '-    x = 1\n+    x = 2\n'
    expect(outcome(twice, fence(`${head}@@ -5 +5 @@\n${body}`))).toEqual(second)
    expect(outcome(twice, fence(`${head}@@ class B:\n${body}`))).toEqual(second)
    expect(outcome(twice, fence(`${head}@@ -9 +9 @@ class B:\n${body}`))).toEqual(second)
    expect(apply(twice, fence(`${head}@@ -9 +9 @@\n${body}`))).toMatchObject({
      reason: 'ambiguous',
      problems: [{ matches: 2, lines: [2, 5] }],
    })
  })

  test('a hunk stands below the one before', () => {
    const patch = `${head}@@ @@\n class A:\n-    x = 1\n+    x = 0\n@@ @@\n class B:\n+    y = 1\n@@ @@\n-    x = 1\n+    x = 2\n`
    expect(outcome(twice, fence(patch))).toEqual({
      'a.py': 'class A:\n    x = 0\n\nclass B:\n    y = 1\n    x = 2\n',
    })
  })

  test('lines without old ones go where the number says', () => {
    const patch = `${names}@@ -2,0 +3,2 @@\n+two and a half\n+nearly three\n@@ -5,0 +8 @@\n+five and a half\n`
    expect(outcome(files, fence(patch))).toEqual({
      'src/list.txt': 'one\ntwo\ntwo and a half\nnearly three\nthree\nfour\nfive\nfive and a half\nsix\n',
    })
    expect(outcome(files, fence(`${names}@@ @@\n+x\n`))).toBe('no-match')
    // One more of a line that many places have is no sign that it came before.
    expect(outcome({ a: 'f {\n  g {\n}\n' }, fence('--- a\n+++ a\n@@ -2,0 +3 @@\n+}\n'))).toEqual({
      a: 'f {\n  g {\n}\n}\n',
    })
  })
})

describe('files', () => {
  test.each([
    [
      'new',
      'diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,2 @@\n+x = 1\n+y = 2\n',
      { ...files, 'n.py': 'x = 1\ny = 2\n' },
    ],
    [
      'new, two lines of head',
      '--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x = 1\n',
      { ...files, 'n.py': 'x = 1\n' },
    ],
    [
      'new and empty',
      'diff --git a/n.py b/n.py\nnew file mode 100644\nindex 000..111\n',
      { ...files, 'n.py': '' },
    ],
    [
      'deleted',
      '--- a/src/list.txt\n+++ /dev/null\n@@ -1,6 +0,0 @@\n-one\n-two\n-three\n-four\n-five\n-six\n',
      {},
    ],
    [
      'moved',
      'diff --git a/src/list.txt b/b.txt\nsimilarity index 100%\nrename from src/list.txt\nrename to b.txt\n',
      { 'b.txt': text },
    ],
    [
      'new, by apply_patch',
      '*** Begin Patch\n*** Add File: n.py\n+x = 1\n*** End Patch\n',
      { ...files, 'n.py': 'x = 1\n' },
    ],
    ['deleted, by apply_patch', '*** Begin Patch\n*** Delete File: src/list.txt\n*** End Patch\n', {}],
    [
      'moved and changed',
      `*** Begin Patch\n*** Update File: src/list.txt\n*** Move to: b.txt\n@@\n${hunk}*** End Patch\n`,
      { 'b.txt': mended['src/list.txt'] },
    ],
  ] as [string, string, Record<string, string>][])('%s', (_, patch, after) => {
    expect(outcome(files, fence(patch))).toEqual(after)
  })

  test('one given anew by a patch does not come on top of the old one, imports may', () => {
    const known = { 'a.py': 'import os\n\n\ndef f():\n    return 1\n' }
    const anew = (text: string, place = `-0,0 +1,${text.split('\n').length - 1}`): string =>
      fence(`--- a/a.py\n+++ b/a.py\n@@ ${place} @@\n${text.replace(/^/gm, '+').slice(0, -1)}`)
    const program = 'def f():\n    return 2\n'
    expect(outcome(known, anew(program))).toBe('file-exists')
    expect(outcome(known, anew(program, '-1,5 +1,2'))).toBe('file-exists')
    expect(outcome({ 'a.py': '\n' }, anew(program))).toEqual({ 'a.py': program })
    expect(apply(known, anew(known['a.py']))).toMatchObject({ files: known, warnings: ['already-applied'] })
    const top = '# Reads it.\nimport sys\nfrom re import match\n'
    expect(outcome(known, anew(top))).toEqual({ 'a.py': top + known['a.py'] })
  })

  test.each([
    ['new lines alone', '--- a/lib/main.py\n+++ b/lib/main.py\n@@ -1,0 +2 @@\n+y = 1\n', 'unknown-file'],
    [
      'a new name alone',
      'diff --git a/lib/main.py b/lib/b.py\nsimilarity index 100%\nrename from lib/main.py\nrename to lib/b.py\n',
      'unknown-file',
    ],
    ['new lines without a path', '@@ -2,0 +3 @@\n+y = 1\n', 'no-path'],
  ])('%s are for no file of another path', (_, patch, reason) => {
    expect(outcome({ 'main.py': 'x = 1\nz = 1\n', 'b.txt': 'q\n' }, fence(patch))).toBe(reason)
  })

  test('several in one patch, all or none', () => {
    const both = { ...files, 'b.py': 'x = 1\n' }
    const patch = `${names}@@ -2,3 +2,3 @@\n${hunk}--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n`
    expect(outcome(both, fence(patch))).toEqual({ ...mended, 'b.py': 'x = 2\n' })
    expect(apply(both, fence(patch.replace('-x = 1', '-x = 3')))).toMatchObject({
      reason: 'no-match',
      files: both,
    })
  })

  test.each([
    [
      'one that is there is not made anew',
      '--- /dev/null\n+++ b/src/list.txt\n@@ -0,0 +1 @@\n+x\n',
      'file-exists',
    ],
    [
      'one that is not there is not changed',
      '--- a/none.txt\n+++ b/none.txt\n@@ -1 +1 @@\n-x\n+y\n',
      'unknown-file',
    ],
    ['one outside is not written', '--- a/../x.py\n+++ b/../x.py\n@@ -1 +1 @@\n-x\n+y\n', 'path-refused'],
    ['one without a change is no edit', `${names}@@ -1,2 +1,2 @@\n one\n two\n`, 'identical'],
    ['a head alone is no edit', names, 'malformed'],
  ])('%s', (_, patch, reason) => {
    expect(apply(files, fence(patch))).toMatchObject({ status: 'failed', reason, files })
  })

  test('a file that is deleted twice is not taken for another of its name', () => {
    const both = { 'a.py': 'x\n', 'b/a.py': 'y\n' }
    const once = '*** Delete File: a.py\n'
    expect(apply(both, `*** Begin Patch\n${once}${once}*** End Patch\n`)).toMatchObject({
      reason: 'unknown-file',
      files: both,
    })
  })

  test('a patch that was applied before changes nothing, and that is no failure', () => {
    expect(apply(mended, fence(`${names}@@ -2,3 +2,3 @@\n${hunk}`))).toMatchObject({
      status: 'applied',
      files: mended,
      warnings: ['already-applied'],
    })
  })
})

describe('the final newline', () => {
  const note = '\\ No newline at end of file\n'
  const head = '--- a/a\n+++ b/a\n@@ -1 +1 @@\n'
  test.each([
    ['comes', 'x', `-x\n${note}+x\n`, 'x\n'],
    ['goes', 'x\n', `-x\n+x\n${note}`, 'x'],
    ['stays away', 'x', `-x\n${note}+y\n${note}`, 'y'],
    ['stays away without a note', 'x', '-x\n+y\n', 'y'],
  ])('%s', (_, before, body, after) => {
    expect(outcome({ a: before }, `a\n${fence(head + body)}`)).toEqual({ a: after })
  })
})
