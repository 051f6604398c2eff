// Search/replace blocks: marks, paths, and what a block may and may not do to a file.
import { describe, expect, test } from 'vitest'
import { applyEdits } from '../../../src/reply/edits/apply-edits.js'
import { extractEdits } from '../../../src/reply/edits/extract-edits.js'
import { apply, block, edited, outcome } from './edit-text.js'

const lib = 'def a():\n    return 1\n\n\ndef b():\n    return 2\n'
const files = { 'lib.py': lib }
const mended = { 'lib.py': lib.replace('return 1', 'return 10') }
const change = block('    return 1\n', '    return 10\n')

describe('marks', () => {
  test.each([5, 6, 7, 8, 9])('%i characters', (size) => {
    expect(outcome(files, edited('lib.py', block('    return 1', '    return 10', size)))).toEqual(mended)
  })

  test.each([
    ['ORIGINAL and UPDATED', '<<<<<<< ORIGINAL\n    return 1\n=======\n    return 10\n>>>>>>> UPDATED\n'],
    ['no space', '<<<<<<<SEARCH\n    return 1\n=======\n    return 10\n>>>>>>>REPLACE\n'],
    ['a tail without a word', '<<<<<<< SEARCH\n    return 1\n=======\n    return 10\n>>>>>>>\n'],
    ['hyphens and plus signs', '------- SEARCH\n    return 1\n=======\n    return 10\n+++++++ REPLACE\n'],
    ['lengths that differ', '<<<<<<< SEARCH\n    return 1\n======\n    return 10\n>>>>>> REPLACE\n'],
    ['white space behind', '<<<<<<< SEARCH  \n    return 1\n=======  \n    return 10\n>>>>>>> REPLACE  \n'],
    ['CR LF', change.replaceAll('\n', '\r\n')],
  ])('%s', (_, text) => {
    expect(outcome(files, edited('lib.py', text))).toEqual(mended)
  })

  test('a conflict of git is no edit', () => {
    const conflict = '```\n<<<<<<< HEAD\n    return 1\n=======\n    return 10\n>>>>>>> branch\n```\n'
    expect(extractEdits(conflict, { files })).toEqual({ edits: [], problems: [], warnings: [] })
  })

  test.each([
    ['no separator', '<<<<<<< SEARCH\n    return 1\n>>>>>>> REPLACE\n', 'malformed'],
    ['no tail', '<<<<<<< SEARCH\n    return 1\n=======\n    return 10\n', 'unclosed'],
  ])('%s is a failure that says so', (_, text, reason) => {
    expect(apply(files, edited('lib.py', text))).toMatchObject({ status: 'failed', reason })
  })
})

describe('paths', () => {
  const two = { 'src/lib.py': lib, 'src/other.py': 'x = 1\n', Makefile: 'all:\n\ttrue\n' }
  test.each([
    ['on the line before the block', `src/lib.py\n${change}`],
    ['on the line before the fence', `**src/lib.py**\n\n\`\`\`python\n${change}\`\`\`\n`],
    ['within the fence', `\`\`\`python\nsrc/lib.py\n${change}\`\`\`\n`],
    ['as a comment within the fence', `\`\`\`python\n# src/lib.py\n${change}\`\`\`\n`],
    ['in the info string', `\`\`\`python src/lib.py\n${change}\`\`\`\n`],
    ['as an attribute', `\`\`\`python title="src/lib.py"\n${change}\`\`\`\n`],
    ['behind the head', change.replace('SEARCH', 'SEARCH src/lib.py')],
    ['in a sentence', `In \`src/lib.py\`, change this:\n\n\`\`\`\n${change}\`\`\`\n`],
    ['nowhere, where it fits into one file only', `\`\`\`\n${change}\`\`\`\n`],
    ['by its end', `lib.py\n${change}`],
  ])('%s', (_, reply) => {
    expect(apply(two, reply)).toMatchObject({ status: 'applied', changed: ['src/lib.py'] })
  })

  test('a name without an extension, of a known file', () => {
    expect(outcome(two, `Makefile\n${block('\ttrue', '\tfalse')}`)).toMatchObject({
      Makefile: 'all:\n\tfalse\n',
    })
  })

  test('several files and several blocks in one fence, a later one without its path', () => {
    const other = block('x = 1', 'x = 2')
    const more = block('    return 2', '    return 20')
    const reply = `\`\`\`\nsrc/other.py\n${other}\nsrc/lib.py\n${change}\n${more}\`\`\`\n`
    expect(outcome(two, reply)).toMatchObject({
      'src/lib.py': lib.replace('return 1', 'return 10').replace('return 2', 'return 20'),
      'src/other.py': 'x = 2\n',
    })
  })

  test.each([
    ['../lib.py', 'path-refused'],
    ['/etc/lib.py', 'path-refused'],
    ['src/none.py', 'unknown-file'],
  ])('%s is refused as %s, and nothing is made', (path, reason) => {
    const { status, reason: given, ...rest } = apply(two, `${path}\n${change}`)
    expect({ status, given, files: rest.files }).toEqual({ status: 'failed', given: reason, files: two })
  })

  test('an unknown file is told with those that there are', () => {
    const failed = apply(two, `src/none.py\n${change}`)
    expect(failed.status === 'failed' && failed.failure.message).toContain(
      'src/lib.py, src/other.py, Makefile',
    )
  })
})

describe('the match', () => {
  test('lines that fit twice are refused with the lines, and overlapping fits count', () => {
    const twice = { 'a.py': 'tick()\ntick()\ntick()\ndone()\n' }
    expect(apply(twice, edited('a.py', block('tick()\ntick()', 'tock()')))).toMatchObject({
      status: 'failed',
      problems: [{ reason: 'ambiguous', matches: 2, lines: [1, 2], path: 'a.py' }],
      files: twice,
    })
  })

  test('lines that are nowhere are told with the nearest real ones, bounded', () => {
    const long = {
      'a.py': `${'x = 1\n'.repeat(500)}def total(xs):\n    return sum(xs)\n${`y = ${'2'.repeat(900)}\n`.repeat(500)}`,
    }
    const failed = apply(long, edited('a.py', block('def total(xs):\n    return sum(xs) + 1', 'pass')))
    expect(failed).toMatchObject({ status: 'failed', reason: 'no-match' })
    const message = failed.status === 'failed' ? failed.failure.message : ''
    expect(message).toMatch(/a\.py.*no-match/)
    expect(message).toContain('501 | def total(xs):\n502 |     return sum(xs)')
    expect(message.length).toBeLessThan(3000)
  })

  test('all or nothing, over all files', () => {
    const both = { ...files, 'b.py': 'x = 1\n' }
    const reply = edited('lib.py', change) + edited('b.py', block('y = 1', 'y = 2'))
    expect(apply(both, reply)).toMatchObject({ status: 'failed', reason: 'no-match', files: both })
  })

  test('blocks build on each other', () => {
    const reply = edited('lib.py', change, block('    return 10', '    return 11'))
    expect(outcome(files, reply)).toEqual({ 'lib.py': lib.replace('return 1', 'return 11') })
  })

  test('the same text on both sides is refused', () => {
    expect(outcome(files, edited('lib.py', block('    return 1', '    return 1')))).toBe('identical')
  })

  test.each([
    ['a changed line', mended, block('def a():\n    return 1', 'def a():\n    return 10')],
    ['two lines of its own', mended, block('def c():\n    return 3', 'def a():\n    return 10')],
    ['an added line', { 'lib.py': `import os\n${lib}` }, block('def a():', 'import os\ndef a():')],
    ['an added line below', { 'lib.py': `${lib}c = 3\n` }, block('    return 2', '    return 2\nc = 3')],
  ])('%s that is there already is told apart, and the other edits are made', (_, now, done) => {
    expect(apply(now, edited('lib.py', done))).toMatchObject({
      status: 'applied',
      files: now,
      changed: [],
      warnings: ['already-applied'],
    })
    const more = apply(now, edited('lib.py', done, block('def b():', 'def bb():')))
    expect(more).toMatchObject({
      status: 'applied',
      files: { 'lib.py': now['lib.py']?.replace('b()', 'bb()') },
    })
  })

  test.each([
    [
      'one line that stands elsewhere',
      'def f():\n    return 0\ndef g():\n    return x\n',
      block('    return y', '    return 0'),
    ],
    [
      'a line that stays and that many places have',
      'function f() {\n  return 0\n}\nfunction g() {\n  return x\n}\n',
      block('  return y\n}', '  return 0\n}'),
    ],
    [
      'lines that stand twice',
      'if a:\n    x = 1\n    y = 2\nif b:\n    x = 1\n    y = 2\n',
      block('    x = 0\n    y = 2', '    x = 1\n    y = 2'),
    ],
  ])('%s are no sign that an edit was made before, so nothing is', (_, text, failing) => {
    const known = { 'a.py': text, 'lib.py': lib }
    expect(apply(known, edited('a.py', failing) + edited('lib.py', change))).toMatchObject({
      status: 'failed',
      reason: 'no-match',
      files: known,
    })
  })

  test('a comment that stands for code is refused, one that was there before is not', () => {
    const lazy = block(
      '    return 1\n\n\ndef b():\n    return 2',
      '    return 1\n\n# ... rest of the code unchanged ...',
    )
    expect(outcome(files, edited('lib.py', lazy))).toBe('omission-placeholder')
    const noted = { 'lib.py': `# ... rest of the code unchanged ...\n${lib}` }
    const kept = block(
      '# ... rest of the code unchanged ...\ndef a():',
      '# ... rest of the code unchanged ...\ndef aa():',
    )
    expect(apply(noted, edited('lib.py', kept)).status).toBe('applied')
  })
})

describe('separators', () => {
  const notes = { 'notes.md': 'Title\n=======\nold\n\nMore\n=======\nkeep\n' }

  test('of several the one with the longest old text that fits once', () => {
    const reply = edited('notes.md', block('Title\n=======\nold', 'Title\n=======\nnew'))
    expect(outcome(notes, reply)).toEqual({ 'notes.md': notes['notes.md'].replace('old', 'new') })
  })

  test('none that fits is refused', () => {
    const reply = edited('notes.md', block('Titel\n=======\nold', 'Titel\n=======\nnew'))
    expect(outcome(notes, reply)).toBe('ambiguous-separator')
  })

  test('longer marks leave no doubt', () => {
    const reply = edited('notes.md', block('Title\n=======\nold', 'Title\n=======\nnew', 9))
    expect(outcome(notes, reply)).toEqual({ 'notes.md': notes['notes.md'].replace('old', 'new') })
  })
})

describe('new files', () => {
  test('a block without old text makes one, also where its own text holds separators', () => {
    expect(outcome(files, edited('new.py', block('', 'x = 1')))).toEqual({ ...files, 'new.py': 'x = 1\n' })
    const text = 'Title\n=======\ntext\n'
    expect(outcome(files, edited('new.md', block('', text)))).toEqual({ ...files, 'new.md': text })
    expect(outcome({}, edited('new.py', block('', 'x = 1')))).toEqual({ 'new.py': 'x = 1\n' })
  })

  test('only where there is none, or an empty one', () => {
    expect(outcome(files, edited('lib.py', block('', 'x = 1')))).toBe('file-exists')
    expect(outcome({ 'lib.py': '' }, edited('lib.py', block('', 'x = 1')))).toEqual({ 'lib.py': 'x = 1\n' })
    expect(apply(files, edited('lib.py', block('', lib)))).toMatchObject({ warnings: ['already-applied'] })
  })
})

describe('misuse', () => {
  test.each([
    ['a text that is none', () => extractEdits(3 as never)],
    ['an unknown option', () => extractEdits('', { file: {} } as never)],
    ['files that are none', () => applyEdits([] as never, [])],
    ['edits that are none', () => applyEdits({}, 'x' as never)],
  ])('%s throws INVALID_OPTION', (_, call) => {
    expect(call).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })
})
