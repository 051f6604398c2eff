// Where a fenced block begins and ends, and what its content is.
import { describe, expect, test } from 'vitest'
import { codeOf, extract, fenced } from './reply-text.js'

const print = 'print(1)\n'

describe('CommonMark', () => {
  test.each([
    ['backticks', '```python\nprint(1)\n```'],
    ['tildes', '~~~python\nprint(1)\n~~~'],
    ['a longer closer', '```python\nprint(1)\n`````  '],
    ['an indent of three', '   ```python\n   print(1)\n   ```'],
    ['no tag', '```\nprint(1)\n```'],
    ['a list item', '1. Run\n\n   ```python\n   print(1)\n   ```\n2. Done'],
    ['the line of a list marker', '- ```python\n  print(1)\n  ```'],
    ['a nested list item', '- a\n    - b\n\n      ```python\n      print(1)\n      ```'],
    ['a list item whose code is not indented', '1. Run\n   ```python\nprint(1)\n   ```'],
    ['a block quote', '> text\n> ```python\n> print(1)\n> ```\nafter'],
    ['CR LF', '```python\r\nprint(1)\r\n```\r\n'],
    ['lone CR', '```python\rprint(1)\r```\r'],
    ['a byte order mark before the fence', '\ufeff```python\nprint(1)\n```'],
    ['a byte order mark before the code', '```python\n\ufeffprint(1)\n```'],
  ])('a fence with %s holds the code and nothing else', (_, reply) => {
    const found = extract(reply)
    expect(codeOf(found)).toBe(print)
    expect(found.blocks).toHaveLength(1)
    expect(found.blocks[0]?.closed).toBe(true)
    expect(found.warnings).toEqual([])
  })

  test('a backtick run does not close a tilde block, nor a shorter run a longer one', () => {
    const code = "TEXT = '''\n```\ninner\n```\n'''\n"
    expect(codeOf(extract(`~~~python\n${code}~~~`))).toBe(code)
    expect(codeOf(extract(`\`\`\`\`python\n${code}\`\`\`\``))).toBe(code)
  })

  test('an opener whose info string holds a backtick is inline code', () => {
    expect(extract('``` `x` ```\ntext').status).toBe('none')
  })

  test('only the indent of the fence is taken from the code', () => {
    expect(codeOf(extract('  ```python\n  if 1:\n      print(1)\n  ```'))).toBe('if 1:\n    print(1)\n')
    expect(codeOf(extract('   ```python\ndef f():\n  return 1\n   ```'))).toBe('def f():\n  return 1\n')
  })

  test('a block quote that ends closes its block, and what follows is prose', () => {
    const found = extract('> ```python\n> print(1)\n\nThis prints one.')
    expect(codeOf(found)).toBe(print)
    expect(found.warnings).toEqual(['fence-unclosed'])
  })
})

describe('fence lines inside the program', () => {
  test.each([
    ['python', 'TEXT = """\n# Notes\n```\nraw\n```\n"""\nprint(len(TEXT))\n'],
    ['python', 'TEXT = """\n```python\nprint(0)\n```\n"""\nprint(TEXT)\n'],
    ['python', 'fence = "```"\nprint(fence)\n'],
    ['shell', 'cat > README.md <<EOF\n```\nraw\n```\nEOF\necho done\n'],
  ])('%s: a fence line in a text of several lines is text', (language, code) => {
    const found = extract(`${fenced(language, code.trimEnd())}\nThat is all.`, { language })
    expect(codeOf(found)).toBe(code)
    expect(found.blocks).toHaveLength(1)
  })

  test('an unterminated string does not swallow the blocks that follow', () => {
    const reply = `${fenced('python', 'x = """open')}\nNow with a fix:\n\n${fenced('python', 'def f():\n    """Doc."""')}`
    const found = extract(reply)
    expect(found.blocks).toHaveLength(2)
    expect(codeOf(found)).toBe('def f():\n    """Doc."""\n')
  })

  test('the fences inside a Markdown document are counted as pairs', () => {
    const reply = `${fenced('markdown', `# T\n${fenced('python', 'print(0)')}end`)}\n${fenced('python', 'print(1)')}`
    const found = extract(reply)
    expect(codeOf(found)).toBe(print)
    expect(found.blocks.map(({ language }) => language)).toEqual(['markdown', 'python'])
  })

  test('a reply that is wrapped in a Markdown fence is opened, a Markdown file is not', () => {
    const inner = `# T\n${fenced('python', 'print(1)')}`
    const wrapped = extract(`\`\`\`\`markdown\n${inner}\`\`\`\``)
    expect(codeOf(wrapped)).toBe(print)
    expect(wrapped.warnings).toEqual(['fence-nested'])
    expect(extract(`README.md\n\`\`\`\`markdown\n${inner}\`\`\`\``).status).toBe('mismatch')
  })
})

describe('fences that models get wrong', () => {
  test.each([
    ['`````python\nprint(1)\n```\n\nIt prints one.'],
    ['~~~~python\nprint(1)\n~~~\n\nIt prints one.'],
  ])('a shorter run ends the block when no proper closer follows: %j', (reply) => {
    const found = extract(reply)
    expect(codeOf(found)).toBe(print)
    expect(found.warnings).toEqual(['fence-length-mismatch'])
  })

  test('a shorter run ends the block when only then the code parses', () => {
    const found = extract('````python\nprint(1)\n```\nIt prints one.\n````text\n1\n````')
    expect(codeOf(found)).toBe(print)
    expect(found.warnings).toEqual(['fence-length-mismatch'])
  })

  test.each([
    ['glued to the last line', '```python\nprint(1)```\n\nIt prints one.', 'fence-glued'],
    ['cut by the server', '```python\nprint(1)\n``', 'closing-marker-cut'],
    ['missing at a normal end', '```python\nprint(1)\n', 'fence-unclosed'],
    [
      'missing before the next block',
      '```python\nprint(1)\n\n```bash\npython solution.py\n```',
      'fence-reopened',
    ],
  ])('a closing fence that is %s is put right and named', (_, reply, warning) => {
    const found = extract(reply)
    expect(codeOf(found).trimEnd()).toBe('print(1)')
    expect(found.warnings).toContain(warning)
  })

  test('an opener behind a word still opens a block', () => {
    const found = extract('Here: ```python\nprint(1)\n```\nDone.')
    expect(codeOf(found)).toBe(print)
    expect(found.warnings).toEqual(['fence-inline'])
  })

  test('a doubled opener is one block', () => {
    expect(codeOf(extract('```python\n```python\nprint(1)\n```\n```'))).toBe(print)
  })
})

describe('the end of the reply', () => {
  const open = '```python\nprint(1)\n'

  test('a block that a length stop left open is not run, however well it parses', async () => {
    const { extractCandidate } = await import('../../src/reply/extract-candidate.js')
    const found = extractCandidate({ text: open, finish: 'length' }, { language: 'python' })
    expect(found).toMatchObject({
      status: 'incomplete',
      reason: 'reply-cut',
      failure: { kind: 'truncated-reply' },
    })
    expect(
      extractCandidate({ text: `${open}\`\`\`\nThis pri`, finish: 'length' }, { language: 'python' }).status,
    ).toBe('ok')
  })

  test('a rewrite that was cut does not bring the draft back, an example that was cut does no harm', async () => {
    const { extractCandidate } = await import('../../src/reply/extract-candidate.js')
    const draft = fenced('python', 'def f():\n    return 1')
    const cut = (text: string) => extractCandidate({ text, finish: 'length' }, { language: 'python' })
    expect(cut(`${draft}Better:\n\`\`\`python\ndef f():\n    ret`).status).toBe('incomplete')
    expect(cut(`${draft}Example:\n\`\`\`python\nprint(f(`)).toMatchObject({
      status: 'ok',
      warnings: ['reply-cut'],
    })
  })

  test('an open block at a normal end is incomplete when its code is', () => {
    const found = extract('```python\ndef f():\n    return (1,\n')
    expect(found).toMatchObject({ status: 'incomplete', reason: 'block-unclosed' })
    const script = extract('```js\nfunction f() {\n', { language: 'javascript' })
    expect(script.status).toBe('incomplete')
  })
})
