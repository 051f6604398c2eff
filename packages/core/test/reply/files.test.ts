// From blocks to files: labels, safe paths, the entry, code that was left out.
import { describe, expect, test } from 'vitest'
import { extract, fenced, filesOf, messageOf } from './reply-text.js'

const two = (label: (path: string) => string, tag: (path: string) => string = () => 'python'): string =>
  ['solution.py', 'lib/util.py']
    .map((path) => `${label(path)}${fenced(tag(path), `# ${path}\nx = 1`)}\n`)
    .join('')
const both = { 'solution.py': '# solution.py\nx = 1\n', 'lib/util.py': '# lib/util.py\nx = 1\n' }

describe('path labels', () => {
  test.each<[string, (path: string) => string]>([
    ['path', (path) => `${path}\n`],
    ['`path`', (path) => `\`${path}\`\n`],
    ['`path`:', (path) => `\`${path}\`:\n\n`],
    ['**path**', (path) => `**${path}**\n\n`],
    ['**`path`**', (path) => `**\`${path}\`**\n`],
    ['### path', (path) => `### ${path}\n\n`],
    ['### 1. `path`', (path) => `### 1. \`${path}\`\n`],
    ['File: path', (path) => `File: ${path}\n`],
    ['**File: `path`**', (path) => `**File: \`${path}\`**\n`],
    ['Filename: path', (path) => `Filename: ${path}\n`],
    ['- path (new)', (path) => `- ${path} (new)\n\n`],
    ['Here is the new `path`:', (path) => `Here is the new \`${path}\`:\n\n`],
  ])('%s before the fence', (_, label) => {
    expect(filesOf(extract(two(label)))).toEqual(both)
  })

  test.each<[string, (path: string) => string]>([
    ['python title="path"', (path) => `python title="${path}"`],
    ['python:path', (path) => `python:${path}`],
    ['python path', (path) => `python ${path}`],
    ['py filename=path', (path) => `py filename=${path}`],
    ['path', (path) => path],
  ])('%s in the info string', (_, tag) => {
    expect(filesOf(extract(two(() => '', tag)))).toEqual(both)
  })

  test('files in other languages come along, commands and output do not', () => {
    const reply = `**app.py**\n${fenced('python', 'import util')}\n### \`util.py\`\n${fenced('python', 'x = 1')}\nFile: data/x.json\n${fenced('json', '{}')}\nRun \`app.py\`:\n${fenced('bash', 'python app.py')}`
    const found = extract(reply)
    expect(filesOf(found)).toEqual({ 'app.py': 'import util\n', 'util.py': 'x = 1\n', 'data/x.json': '{}\n' })
    expect(found).toMatchObject({ candidate: { entry: 'app.py' }, warnings: ['entry-guessed'] })
  })

  test.each(['constructor', 'toString', 'hasOwnProperty'])(
    '%s, a name that every object has, is no path and nothing throws',
    (name) => {
      const found = extract(`File: ${name}\n${fenced('python', 'print(1)')}`, {
        files: { 'a.py': 'x = 1\n' },
      })
      expect(filesOf(found)).toEqual({ 'solution.py': 'print(1)\n' })
      expect(found.warnings).toContain('path-refused')
      const edited = `*** Begin Patch\n*** Add File: ${name}\n+x = 1\n*** End Patch\n`
      expect(extract(edited, { files: {} })).toMatchObject({ reason: 'path-refused' })
    },
  )

  test('a name that every object has, as the entry that was asked for', () => {
    const options = { entry: 'constructor', files: { 'a.py': 'x = 1\n' } }
    expect(filesOf(extract(fenced('python', 'def f():\n    pass'), options))).toEqual({
      constructor: 'def f():\n    pass\n',
    })
    const patch = fenced('diff', '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2')
    expect(filesOf(extract(patch, options))).toEqual({ 'a.py': 'x = 2\n' })
  })

  test('a later block under the same path replaces the earlier one', () => {
    const reply = `a.py\n${fenced('python', 'def f(): return 1')}\nb.py\n${fenced('python', 'x = 1')}\na.py\n${fenced('python', 'def f(): return 2')}`
    expect(filesOf(extract(reply))).toEqual({ 'a.py': 'def f(): return 2\n', 'b.py': 'x = 1\n' })
  })

  test('a single program goes to the entry unless its path is a known file', () => {
    const reply = `fizz.py\n${fenced('python', 'x = 1')}`
    expect(extract(reply)).toMatchObject({
      candidate: { files: { 'solution.py': 'x = 1\n' } },
      warnings: ['path-renamed'],
    })
    expect(filesOf(extract(reply, { files: { 'fizz.py': 'x = 0\n' } }))).toEqual({ 'fizz.py': 'x = 1\n' })
  })

  test('an unlabelled program beside a labelled module is the entry', () => {
    const reply = `util.py\n${fenced('python', 'x = 1')}\nThe program:\n\n${fenced('python', 'def main():\n    return 2')}`
    expect(Object.keys(filesOf(extract(reply)))).toEqual(['util.py', 'solution.py'])
  })

  test('a label that the tag contradicts is no label', () => {
    const reply = `Save as \`solution.py\`:\n${fenced('bash', 'python solution.py')}`
    expect(extract(reply).status).toBe('mismatch')
  })
})

describe('unsafe paths', () => {
  test.each([
    '../evil.py',
    'a/../../evil.py',
    '/etc/evil.py',
    'src\\evil.py',
    'C:/evil.py',
    'a\0.py',
    'a/../b.py',
  ])('%j is refused wherever it stands', (path) => {
    for (const reply of [
      `${path}\n${fenced('python', 'x = 1')}`,
      `File: ${path}\n${fenced('python', 'x = 1')}`,
      fenced(`python:${path}`, 'x = 1'),
      fenced('python', `# filename: ${path}\nx = 1`),
    ]) {
      const found = extract(reply)
      expect(Object.keys(filesOf(found))).toEqual(['solution.py'])
      expect(found.warnings).toContain('path-refused')
    }
  })

  test('a path in a comment is only a wish: one program stays at the entry', () => {
    expect(Object.keys(filesOf(extract(fenced('python', '# filename: other.py\nx = 1'))))).toEqual([
      'solution.py',
    ])
  })
})

describe('code that was left out', () => {
  test.each([
    '# ... rest of the functions unchanged ...',
    '# ... existing code ...',
    '# … rest of file as before',
    '# rest of the code remains the same',
    '# Remaining methods unchanged',
    '# (other functions omitted for brevity)',
    '# ... keep the previous imports ...',
    '# [existing code here]',
    '# rest of the code here',
    '# Same as before...',
    '# code omitted',
  ])('%j is refused', (comment) => {
    const found = extract(`lib.py\n${fenced('python', `def a():\n    return 1\n\n\n${comment}`)}`, {
      files: { 'lib.py': 'x = 1\n' },
      entry: 'lib.py',
    })
    expect(found).toMatchObject({
      status: 'incomplete',
      reason: 'omission-placeholder',
      failure: { kind: 'edit' },
      warnings: ['omission-placeholder'],
    })
    expect(messageOf(found)).toContain('complete text of lib.py')
  })

  test.each([
    '# handle the remaining items',
    '# rest of the elements are sorted already',
    '# ... and so on',
    '# compare with the previous value',
    '# everything else is a digit',
    '# the same as in the other class of numbers',
    '# loop over the rest of the lines',
    '# skip the existing files',
  ])('%j is an ordinary comment', (comment) => {
    expect(extract(fenced('python', `${comment}\nx = 1`)).status).toBe('ok')
  })

  test('a comment that is in the file already leaves nothing out, nor does one in a string', () => {
    const note = '# ... generated code below, rest of file unchanged by hand ...'
    const files = { 'gen.py': `${note}\nA = 1` }
    expect(filesOf(extract(`gen.py\n${fenced('python', `${note}\nA = 2`)}`, { files }))).toEqual({
      'gen.py': `${note}\nA = 2\n`,
    })
    expect(extract(fenced('python', 'T = """\n# ... existing code ...\n"""')).status).toBe('ok')
  })

  test('other comment signs count too', () => {
    expect(extract(fenced('js', 'let a = 1\n// ... existing code ...'), { language: 'js' }).status).toBe(
      'incomplete',
    )
    const page = `index.html\n${fenced('html', '<p>\n<!-- rest of the page unchanged, code omitted -->')}\nsolution.py\n${fenced('python', 'x = 1')}`
    expect(extract(page)).toMatchObject({ reason: 'omission-placeholder' })
  })
})
