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

  test('words before an opener do not hide the block behind others', () => {
    const found = extract(`${fenced('python', 'print(1)')}Then \`\`\`python\nprint(1 + 1)\n\`\`\`\n`)
    expect(codeOf(found)).toBe('print(1 + 1)\n')
    expect(found.warnings).toEqual(['fence-inline'])
    expect(found.notice).toContain('(line 1)')
  })

  test.each([
    `Begin with \`\`\`python\nand end with three backticks.\n\n${fenced('python', 'print(1)')}`,
    `${fenced('python', 'print(1)')}Put it between \`\`\`python\nand three backticks.`,
  ])('prose that names a fence opens none: %j', (reply) => {
    expect(codeOf(extract(reply))).toBe(print)
  })

  test('a doubled opener is one block', () => {
    expect(codeOf(extract('```python\n```python\nprint(1)\n```\n```'))).toBe(print)
  })
})

const stops = ['<end_code>', '<|im_end|>', '<|eot_id|>', '</s>', '<|endoftext|>', '<end_of_turn>']

describe.each(stops)('the stop marker %s', (stop) => {
  test.each([
    ['on the closing fence', `\`\`\`py\nprint(1)\n\`\`\`${stop}`],
    ['behind the closing fence', `\`\`\`py\nprint(1)\n\`\`\` ${stop}\n`],
    ['twice', `\`\`\`py\nprint(1)\n\`\`\`${stop}${stop}`],
    ['below the closing fence', `\`\`\`py\nprint(1)\n\`\`\`\n${stop}`],
    ['below an open block', `\`\`\`py\nprint(1)\n${stop}`],
    ['on the last line of an open block', `\`\`\`py\nprint(1)${stop}`],
    ['below bare code', `print(1)\n${stop}`],
    ['on a fence that is glued to the code', `\`\`\`py\nprint(1)\`\`\`${stop}`],
  ])('%s is no code, and is named', (_, reply) => {
    const found = extract(reply)
    expect(codeOf(found)).toBe(print)
    expect(found.warnings).toContain('stop-marker-removed')
  })

  test('on a closing fence ends the block, whatever follows', () => {
    const step = `\`\`\`py\nprint(0)\n\`\`\`${stop}\nObservation: 0\n`
    expect(codeOf(extract(step))).toBe('print(0)\n')
    expect(extract(`${step}\n<think>\n\`\`\`py\nx\n\`\`\`\n</think>\n${step}`).blocks).toHaveLength(2)
  })

  test('in the program is text', () => {
    const code = `STOP = "${stop}"\nTEXT = """\n\`\`\`${stop}\n"""\nprint(STOP) # ${stop}\n`
    expect(codeOf(extract(fenced('python', code.trimEnd())))).toBe(code)
  })
})

test('struck-out text at the end of a page is no stop marker', () => {
  const page = '<p><s>old</s></p>\n<s>\nold\n</s>\n'
  expect(codeOf(extract(`\`\`\`html\n${page}`, { language: 'html' }))).toBe(page)
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

  const draft = fenced('python', 'def f():\n    return 0')

  test.each([
    ['a rewrite', `${draft}That is wrong. Better:\n\`\`\`python\ndef f():\n    retu(`],
    ['a rewrite behind words', `${draft}Better: \`\`\`python\ndef f():\n    retu(`],
    ['a rewrite on one line', 'Draft: ```python def f(): return 0 ``` Better: ```python def f(): retu('],
    ['another script', `${fenced('python', 'print(1)')}Or:\n\`\`\`python\nprint(2`],
    ['a loop', '```python\nprint(1)\nfor i in range('],
  ])('%s that breaks off at a normal end is not replaced by the draft', (_, reply) => {
    expect(extract(reply)).toMatchObject({ status: 'incomplete', reason: 'block-unclosed' })
  })

  test.each([
    ['an import', `${draft}Better:\n\`\`\`python\nimport math\n`],
    ['a line', `${draft}Better:\n\`\`\`python\nx = 1\n`],
    ['nothing yet', `${draft}Better:\n\`\`\`python\n`],
    ['a script', `${fenced('python', 'print(1)')}Or:\n\`\`\`python\nprint(2)`],
    ['a script behind words', `${fenced('python', 'print(1)')}Or \`\`\`python\nprint(2)`],
  ])('a length stop in another program is one, even if the part parses: %s', async (_, text) => {
    const { extractCandidate } = await import('../../src/reply/extract-candidate.js')
    expect(extractCandidate({ text, finish: 'length' }, { language: 'python' })).toMatchObject({
      status: 'incomplete',
      reason: 'reply-cut',
    })
  })

  test.each([
    ['an example', `${draft}Usage:\n\`\`\`python\nprint(f(`],
    ['a use of it', `${draft}So:\n\`\`\`python\nprint(f(`],
    ['its output', `${draft}It gives:\n\`\`\`python\n[1, 2`],
    ['a test', `${draft}\n\`\`\`python\ndef test_f():\n    assert f(`],
    ['the same once more', `${draft}Let's run this code.\n\`\`\`python\ndef f(`],
  ])('%s that breaks off at a normal end does no harm', (_, reply) => {
    expect(codeOf(extract(reply))).toBe('def f():\n    return 0\n')
  })

  test('an open block at a normal end is incomplete when its code is', () => {
    const found = extract('```python\ndef f():\n    return (1,\n')
    expect(found).toMatchObject({ status: 'incomplete', reason: 'block-unclosed' })
    const script = extract('```js\nfunction f() {\n', { language: 'javascript' })
    expect(script.status).toBe('incomplete')
  })
})
