// Repairs are made only when code does not parse as received and does afterwards.
import { describe, expect, test } from 'vitest'
import { codeOf, extract, fenced, filesOf } from './reply-text.js'

describe('damaged python', () => {
  test.each([
    [
      'entities-decoded',
      'name = &#x27;Ada&#39;\nif len(name) &gt; 2 or 1 &lt; 2:\n    print(name)',
      "name = 'Ada'\nif len(name) > 2 or 1 < 2:\n    print(name)",
    ],
    ['entities-decoded', 'if 1 &amp;lt; 2:\n    print(&quot;a&quot;)', 'if 1 < 2:\n    print("a")'],
    ['spaces-normalized', 'def f():\n\u00a0\u00a0\u00a0\u00a0return 1', 'def f():\n    return 1'],
    ['spaces-normalized', 'x = 1\u200b\nprint(x)', 'x = 1\nprint(x)'],
    ['indent-removed', '    x = 1\n    if x:\n        print(x)', 'x = 1\nif x:\n    print(x)'],
    [
      'prompts-removed',
      '>>> x = 1\n>>> for i in [x]:\n...     print(i)\n...\n1',
      'x = 1\nfor i in [x]:\n    print(i)',
    ],
    ['quotes-straightened', 'print(“hi”)', 'print("hi")'],
    ['line-numbers-removed', '1: import os\n2: x = 1', 'import os\nx = 1'],
    ['line-numbers-removed', '  1: x = 1\n  2: print(x)', 'x = 1\nprint(x)'],
    ['line-numbers-removed', '1: x = 1\n2: print(x)', 'x = 1\nprint(x)'],
    ['line-numbers-removed', ' 9| def f():\n10|     return 1', 'def f():\n    return 1'],
    ['line-numbers-removed', ' 1 | print(1)\n 2 | print(2)', 'print(1)\nprint(2)'],
    ['line-numbers-removed', '\t1\tx = 1\n\t2\tprint(x)', 'x = 1\nprint(x)'],
    ['indent-removed', '    5 + 3', '5 + 3'],
    ['unescaped-twice', 'def f():\\n\\treturn 1\\nprint(f())', 'def f():\n\treturn 1\nprint(f())'],
  ])('%s', (warning, code, mended) => {
    const found = extract(fenced('python', code))
    expect(codeOf(found)).toBe(`${mended}\n`)
    expect(found.warnings).toEqual([warning])
  })

  test('two kinds of damage at once', () => {
    const found = extract(fenced('python', 'if 1 &lt; 2:\n\u00a0\u00a0print(1)'))
    expect(codeOf(found)).toBe('if 1 < 2:\n  print(1)\n')
    expect(found.warnings).toEqual(['entities-decoded', 'spaces-normalized'])
  })
})

describe('sound code', () => {
  test.each([
    ['python', 'import html\npage = "<p>1 &lt; 2 &amp; 3</p>"\nprint(html.unescape(page))'],
    ['python', 'x = "a\u00a0b “c” \\n"'],
    ['python', 'TEXT = """\n>>> 1\n"""'],
    ['javascript', 'const page = "&lt;p&gt;" // a &amp; b\nconst t = `&quot;`'],
    ['jsx', 'const a = <p>1 &lt; 2</p>'],
    ['html', '<p>1 &lt; 2 &amp; 3</p>'],
    ['markdown', 'Write `&lt;`.'],
  ])('%s stays byte for byte: %j', (language, code) => {
    const found = extract(fenced(language, code), { language })
    expect(codeOf(found)).toBe(`${code}\n`)
    expect(found.warnings).toEqual([])
  })

  test('files of markup that come along are never decoded', () => {
    const reply = `solution.py\n${fenced('python', 'x = 1')}\nindex.html\n${fenced('html', '<b>&lt;</b>')}`
    expect(filesOf(extract(reply))['index.html']).toBe('<b>&lt;</b>\n')
  })

  test('code that no repair helps stays as it came', () => {
    expect(codeOf(extract(fenced('python', 'def f(:\n    return 1 &lt; 2')))).toBe(
      'def f(:\n    return 1 &lt; 2\n',
    )
  })
})

test('entities outside of strings are decoded in javascript', () => {
  const found = extract(fenced('js', 'if (a &lt; b) console.log(&quot;x&quot;)'), { language: 'js' })
  expect(codeOf(found)).toBe('if (a < b) console.log("x")\n')
  expect(found.warnings).toEqual(['entities-decoded'])
})

test('the prompts of a shell transcript without output are taken off', () => {
  expect(codeOf(extract(fenced('bash', '$ ls -l\n$ echo hi'), { language: 'shell' }))).toBe(
    'ls -l\necho hi\n',
  )
})

test('no repair loses the entry point', () => {
  const code = 'h(1)\n>>> print(1)\n1'
  expect(codeOf(extract(fenced('python', code), { entryPoint: 'h' }))).toBe(`${code}\n`)
  expect(
    codeOf(
      extract(
        fenced(
          'python',
          'def h(t):\n    def swap(c):\n        return c\n    return swap(t)\n\n\nprint(h("a"))',
        ),
        { entryPoint: 'h' },
      ),
    ),
  ).toContain('def swap')
})
