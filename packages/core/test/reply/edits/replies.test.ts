// Edits as one of the forms of a reply: beside whole files, before there are files, cut off, and where they only seem to be.
import { describe, expect, test } from 'vitest'
import { extractCandidate } from '../../../src/reply/extract-candidate.js'
import { extract, fenced, filesOf, messageOf } from '../reply-text.js'
import { block, edited } from './edit-text.js'

const lib = 'def a():\n    return 1\n\n\ndef b():\n    return 2\n'
const files = { 'solution.py': lib, 'util.py': 'x = 1\n' }
const change = edited('solution.py', block('    return 1', '    return 10'))
const mended = { ...files, 'solution.py': lib.replace('return 1', 'return 10') }

test('the candidate has every file, the edited ones as edited', () => {
  const found = extract(`I changed it.\n\n${change}\nThat is all.`, { files })
  expect(found).toMatchObject({ status: 'ok', candidate: { files: mended, entry: 'solution.py' } })
  expect(found.blocks).toHaveLength(1)
  expect(found.codes).toEqual([mended['solution.py']])
  expect(found.notRun).toEqual([])
})

test('an edit that cannot be made is a failure of kind edit, and no file is there', () => {
  const found = extract(change.replace('return 1\n', 'return 3\n'), { files })
  expect(found).toMatchObject({
    status: 'incomplete',
    reason: 'no-match',
    failure: { kind: 'edit' },
    codes: [],
  })
  expect(messageOf(found)).toMatch(/solution\.py[\s\S]*2 \| {5}return 1/)
})

test('a failed edit is not made up for by an example beside it', () => {
  const reply = `${change.replace('return 1\n', 'return 3\n')}\nUse it so:\n\n${fenced('python', 'print(a())')}`
  expect(extract(reply, { files })).toMatchObject({ status: 'incomplete', reason: 'no-match' })
  const good = extract(`${change}\nUse it so:\n\n${fenced('python', 'print(a())')}`, { files })
  expect(filesOf(good)).toEqual(mended)
  expect(good.notice).toContain('not run')
})

describe('beside whole files', () => {
  test('for different files both count', () => {
    const found = extract(
      `${change}\nutil.py\n${fenced('python', 'x = 2')}\nnew.py\n${fenced('python', 'y = 1')}`,
      { files },
    )
    expect(filesOf(found)).toEqual({ ...mended, 'util.py': 'x = 2\n', 'new.py': 'y = 1\n' })
  })

  test('a whole file that leaves code out is refused with the edits', () => {
    const lazy = `util.py\n${fenced('python', 'y = 1\n# ... rest of the code unchanged ...')}`
    expect(extract(change + lazy, { files })).toMatchObject({
      reason: 'omission-placeholder',
      failure: { kind: 'edit' },
    })
  })

  test('for the same file the whole one wins, unless it is the old text or a part', () => {
    const whole = lib.replace('return 2', 'return 20')
    const found = extract(`${change}\nsolution.py\n${fenced('python', whole)}`, { files })
    expect(filesOf(found)['solution.py']).toBe(whole.replace(/\n*$/, '\n'))
    expect(found.warnings).toContain('edit-beside-whole-file')
    for (const shown of [lib, 'def a():\n    return 1'])
      expect(
        filesOf(extract(`Now:\n\nsolution.py\n${fenced('python', shown)}\n${change}`, { files })),
      ).toEqual(mended)
  })

  test('a complete new program without a label makes the patch that shows it needless', () => {
    const whole = lib.replace('return 2', 'return 20')
    const patch = fenced(
      'diff',
      '--- a/solution.py\n+++ b/solution.py\n@@ -99 +99 @@\n-    nothing\n+    return 20',
    )
    expect(
      filesOf(extract(`${patch}\nThe program:\n\n${fenced('python', whole)}`, { files }))['solution.py'],
    ).toMatch(/return 20/)
  })
})

describe('before there are files', () => {
  const patch = fenced('diff', '--- a/solution.py\n+++ b/solution.py\n@@ -1 +1 @@\n-x\n+y')

  test('a patch is a failure that says so', () => {
    for (const reply of [patch, change, `Here.\n\n${change}`]) {
      const found = extract(reply)
      expect(found.status).not.toBe('ok')
      expect(messageOf(found)).toContain('There are no files yet')
    }
  })

  test('a program beside it counts', () => {
    expect(filesOf(extract(`${patch}\n${fenced('python', 'y = 1')}`))).toEqual({ 'solution.py': 'y = 1\n' })
  })

  test('new files need none', () => {
    expect(filesOf(extract(edited('solution.py', block('', 'x = 1'))))).toEqual({ 'solution.py': 'x = 1\n' })
  })
})

describe('a reply that was cut', () => {
  test.each([
    ['within a block', change.slice(0, change.indexOf('>>>>'))],
    ['within a second block', `${change}util.py\n\`\`\`\n<<<<<<< SEARCH\nx = 1\n=======\nx =`],
    ['within a whole file', `${change}util.py\n\`\`\`python\nx = 2`],
    ['within a patch', '```diff\n--- a/util.py\n+++ b/util.py\n@@ -1 +1 @@\n-x = 1\n+x = '],
  ])('%s is incomplete', (_, text) => {
    expect(extractCut(text)).toMatchObject({
      status: 'incomplete',
      reason: 'reply-cut',
      failure: { kind: 'truncated-reply' },
    })
  })

  test('after its last edit it counts', () => {
    expect(filesOf(extractCut(`${change}\nThis makes th`))).toEqual(mended)
  })
})

describe('text that only looks like edits', () => {
  const conflicts = `# Conflicts\n\nThey look so:\n\n\`\`\`\n${block('old', 'new')}\`\`\`\n\nMend them.`
  test.each([
    ['a document about them', 'docs/edits.md', 'markdown', conflicts],
    ['a document that begins with them', 'edits.md', 'markdown', `${block('old', 'new')}\nThat was a block.`],
    [
      'a test of a tool for patches',
      'test_tool.py',
      'python',
      `PATCH = """\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"""\nBLOCK = """\n${block('a', 'b')}"""`,
    ],
    ['a patch that is a file', 'fix.patch', '', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\nThat was it.'],
  ])('%s is a whole file', (_, path, tag, text) => {
    const program = `solution.py\n${fenced('python', lib)}`
    const found = extract(`${program}\n${path}\n${fenced(tag, text, '````')}`, { files })
    expect(found.status === 'ok' ? found.candidate.files[path] : found.failure.message).toBe(
      `${text.replace(/\n*$/, '')}\n`,
    )
  })

  test('a program that holds them in a string is a program', () => {
    const program = `BLOCK = """\n${block('a', 'b')}"""\n\n\ndef f():\n    return BLOCK`
    expect(filesOf(extract(fenced('python', program), { files }))['solution.py']).toBe(`${program}\n`)
  })

  test('a word about them in a sentence is none', () => {
    const reply = `I could send \`<<<<<<< SEARCH\` blocks, but here is all of it:\n\n${fenced('python', lib)}`
    expect(extract(reply, { files })).toMatchObject({
      status: 'ok',
      candidate: { files: { 'solution.py': lib } },
    })
  })

  test('a block in a fence may hold fences', () => {
    const known = { 'README.md': '# A\n\n```bash\nold\n```\n', 'solution.py': lib }
    const reply = edited('README.md', block('```bash\nold\n```', '```bash\nnew\n```'))
    expect(filesOf(extract(reply, { files: known }))['README.md']).toBe('# A\n\n```bash\nnew\n```\n')
  })
})

test('deleted files are named', () => {
  const patch = fenced('diff', '--- a/util.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x = 1')
  expect(extract(patch, { files })).toMatchObject({
    candidate: { files: { 'solution.py': lib } },
    deleted: ['util.py'],
  })
})

function extractCut(text: string): ReturnType<typeof extract> {
  return extractCandidate({ text, finish: 'length' }, { language: 'python', files })
}
