// Placeholders for left-out code are refused; honest comments are not.
import { describe, expect, test } from 'vitest'
import { codeOf, extract, fenced } from './reply-text.js'

const before = 'LIMIT = 3\n\n\ndef f(x):\n    return x\n\n\ndef g(x):\n    y = x + 1\n    return y\n'
const f = 'LIMIT = 3\n\n\ndef f(x):\n    return x + 1'
const g = 'def g(x):\n    y = x + 1\n    return y'
const files = { 'solution.py': before }
const refused = { status: 'incomplete', reason: 'omission-placeholder' }

const STRONG = [
  '# ... rest of the code unchanged ...',
  '# the rest of your code here',
  '# add the rest of your code here',
  '# Rest of the functions remain the same',
  '# remaining functions omitted for brevity',
  '# insert existing helper functions here',
  '# ... existing code ...',
  '# (rest of file unchanged)',
  '# Everything else stays the same.',
  '# truncated for brevity',
  '# [remaining code unchanged]',
  '# other methods remain unchanged',
  '# The remaining implementation is the same as before',
  '# existing code here',
  '# --- rest of the file is unchanged ---',
  '"""... rest unchanged ..."""',
  '# {{ existing code }}',
  '# Keep the rest of your code',
  '# TODO: rest of the functions',
]

const WEAK = [
  '# ...',
  '# …',
  '# [unchanged]',
  '# (unchanged)',
  '# unchanged',
  '# <snip>',
  '# [snip]',
  '# [...]',
  '# code continues',
  '# etc.',
  '# No changes above this line',
  '# no changes below',
  '# g stays as it was',
  '# g() is unchanged',
  '# same code as in the previous answer',
  '# same as above',
  '# see above for g',
  '# unchanged: g',
  '# copy g from the previous version',
  '# as before',
  '# other functions',
  '# g as defined above',
  '# your code here',
  '# ... helper functions ...',
  '// ... g ...',
  '/* unchanged */',
  '<!-- unchanged -->',
  '; unchanged',
]

const HONEST = [
  '# other imports',
  '# Loading the existing file...',
  '# wait for the other tests to finish...',
  '# leave the rest of the content unchanged',
  '# process remaining imports lazily...',
  '# Return the remaining lines as they are',
  '# skip lines that are unchanged since the last run',
  '# the same limit applies to every function below',
  '# drop everything else',
  '# keep the existing entries and add the new ones',
  '# compare with the previous version',
  '# see the original implementation in C',
  '# the file is the same as before: nothing to write',
  '# read the rest of the file',
  '# Sum of the other parts, omitted when zero',
  '# Copy the rest of the file unchanged',
  '# the remaining lines stay the same after sorting',
  '# the original content is left untouched',
  '# Other lines are the same in both files',
  '# Add the remaining lines here',
  '# rest of the arguments are passed through unchanged',
  '# fall back to existing implementation',
]

describe('a known file that loses a function', () => {
  test.each([...STRONG, ...WEAK])('%s is refused', (remark) => {
    expect(extract(fenced('python', `${f}\n\n\n${remark}`), { files })).toMatchObject(refused)
  })

  test('a method that is gone counts, a function that moved to another file does not', () => {
    const old = 'class A:\n    def a(self):\n        return 1\n\n    def b(self):\n        return 2\n'
    const cut = 'class A:\n    def a(self):\n        return 3\n\n    # unchanged'
    expect(extract(fenced('python', cut), { files: { 'solution.py': old } })).toMatchObject(refused)
    const moved = `\`solution.py\`\n${fenced('python', `from helpers import g\n\n\n${f}\n# g as before`)}\`helpers.py\`\n${fenced('python', g)}`
    expect(extract(moved, { files }).status).toBe('ok')
  })

  test('the placeholder is told, and the complete text asked for', () => {
    const found = extract(fenced('python', `${f}\n\n# [snip]`), { files })
    expect(found.status !== 'ok' && found.failure.message).toMatch(
      /"# \[snip\]".*complete text of solution\.py/su,
    )
  })
})

describe('without a loss', () => {
  test.each([...WEAK.filter((remark) => remark.startsWith('#')), ...HONEST])('%s is a comment', (remark) => {
    const code = `${f}\n\n\n${remark}\n${g}`
    expect(codeOf(extract(fenced('python', code), { files }))).toBe(`${code}\n`)
  })

  test.each([...HONEST, ...WEAK.filter((remark) => /^# [(\w[]/u.test(remark) && remark !== '# [...]')])(
    '%s is a comment where no file is known',
    (remark) => {
      const code = `${f}\n\n\n${remark}\n${g}`
      expect(codeOf(extract(fenced('python', code)))).toBe(`${code}\n`)
    },
  )

  test.each([...STRONG, '# ...', '# …'])('%s is refused even where no file is known', (remark) => {
    expect(extract(fenced('python', `${f}\n\n\n${remark}\n\n\n${g}`))).toMatchObject(refused)
  })

  test('dots within a run of comments, or within a function, are no placeholder', () => {
    for (const code of [
      `# one\n# ...\n# three\n${f}`,
      'def f(x):\n    total = 0\n    # ...\n    return total',
    ])
      expect(codeOf(extract(fenced('python', code)))).toBe(`${code}\n`)
  })

  test('a remark that the file held already is none', () => {
    const old = `${before}# rest of the code unchanged\n`
    expect(
      extract(fenced('python', `${f}\n# rest of the code unchanged`), { files: { 'solution.py': old } })
        .status,
    ).toBe('ok')
  })
})

describe('bodies', () => {
  test.each([
    ['dots on the same line', 'def g(x): ...'],
    ['dots below', 'def g(x):\n    ...'],
    ['dots below a docstring', 'def g(x):\n    """Adds one."""\n    ...'],
    ['pass with a remark', 'def g(x):\n    pass  # unchanged'],
    ['a remark and pass', 'def g(x):\n    # ...\n    pass'],
    ['a mark in a shorter body', 'def g(x):\n    # ...\n    return y'],
  ])('%s instead of a real body are refused', (_, body) => {
    expect(extract(fenced('python', `${f}\n\n\n${body}`), { files })).toMatchObject(refused)
  })

  test.each([
    ['where no file is known', `${f}\n\n\ndef h(x): ...`, {}],
    ['of a new function', `${f}\n\n\n${g}\n\n\ndef h(x): ...`, files],
    ['that was there before', 'def h(x): ...', { 'solution.py': 'def h(x):\n    ...\n' }],
    [
      'of an overload',
      'from typing import overload\n\n\n@overload\ndef g(x: int) -> int: ...\n@overload\ndef g(x: str) -> str: ...\ndef g(x):\n    return x',
      { 'solution.py': 'def g(x):\n    return x\n' },
    ],
  ])('dots %s are taken', (_, code, known) => {
    expect(codeOf(extract(fenced('python', code), { files: known }))).toBe(`${code}\n`)
  })
})

describe('dots without a comment', () => {
  const old = 'def a():\n    return 1\n\n\ndef b():\n    return 2\n'
  const method = 'class A:\n    def a(self):\n        return 1\n\n    def b(self):\n        return 2\n'

  test.each([
    ['python', old, 'def a():\n    return 9\n...'],
    ['python', old, 'def a():\n    return 9\n\n...\n\ndef c():\n    return 3'],
    ['python', old, 'def a():\n    return 9\n\n…'],
    ['python', method, 'class A:\n    def a(self):\n        return 9\n    ...'],
    ['javascript', 'function a() {}\nfunction b() {}\n', 'function a() {\n  return 1\n}\n...'],
  ])('%s that stand for what is gone of %j are refused: %j', (language, before, code) => {
    const entry = language === 'python' ? 'main.py' : 'main.js'
    const files = { [entry]: before }
    expect(extract(fenced(language, code), { language, entry, files })).toMatchObject(refused)
  })

  test.each([
    [old, 'def a():\n    return 9\n\n\ndef b():\n    return 3\n...'],
    [old, 'T = """\n...\n"""\n\n\ndef a():\n    return 9'],
    [old, 'class P:\n    def a(self):\n        ...'],
    [undefined, 'def a():\n    return 9\n...'],
  ])('that stand for nothing are taken: %j, %j', (before, code) => {
    const files: Record<string, string> = before === undefined ? {} : { 'solution.py': before }
    expect(codeOf(extract(fenced('python', code), { files }))).toBe(`${code}\n`)
  })
})

test.each([
  [
    'javascript',
    'js',
    'function a() {\n  return 1\n}\n\nfunction b() {\n  return 2\n}\n',
    'function a() {\n  return 3\n}\n\n',
    ['// unchanged', '/* ... */', '// ... rest of the code', ' * etc.\n */'],
  ],
  [
    'sql',
    'sql',
    'select 1;\nselect 2;\nselect 3;\n',
    'select 4;\n',
    ['-- unchanged', '-- ...', '-- rest of the statements unchanged'],
  ],
  [
    'html',
    'html',
    '<p>\n<b>1</b>\n<b>2</b>\n</p>\n',
    '<p>\n</p>\n',
    ['<!-- unchanged -->', '<!-- ... -->', '<!-- rest of the content unchanged -->'],
  ],
  ['ini', 'ini', '[x]\na = 1\nb = 2\nc = 3\n', '[x]\na = 2\n', ['; unchanged', '; ...', '# ...']],
])('remarks of %s count by the same rules', (language, tag, old, text, remarks) => {
  const entry = `main.${tag}`
  for (const remark of remarks) {
    const opened = remark.startsWith(' *') ? '/*\n' : ''
    const reply = fenced(tag, `${text}${opened}${remark}`)
    expect(extract(reply, { language, entry, files: { [entry]: old } })).toMatchObject(refused)
  }
})
