// Any text at all: nothing throws, and the work grows with the length of the reply.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extractCandidate } from '../../src/reply/extract-candidate.js'
import { FenceScanner } from '../../src/reply/fences.js'
import { splitReasoning } from '../../src/reply/reasoning.js'
import { WorkBudget } from '../../src/reply/work-budget.js'

const PIECES = [
  '```',
  '```python\n',
  '~~~\n',
  '````md\n',
  '\n',
  '\r\n',
  '\r',
  '"""',
  "'",
  '"',
  '`',
  '> ',
  '- ',
  '1. ',
  '    ',
  '\t',
  '<think>',
  '</think>',
  '<code>',
  '</code>',
  '</co',
  '<solution>\n',
  '</solution>\n',
  '<execute>\n',
  '</execute>\n',
  '<Execute>\n',
  '</SOLUTION>\n',
  'def f():\n',
  'return 1\n',
  'print(1)\n',
  '# ... existing code ...\n',
  '&lt;',
  '>>> ',
  '$ ls\n',
  'File: a/../b.py\n',
  '**x.py**\n',
  '{',
  ')',
  '\\',
  '\0',
  '\ufeff',
  '\ud83d',
  '\u00a0',
  '<<EOF\n',
  'EOF\n',
  '/*',
  '//',
  'x = 1\n',
]
const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
)
const options = fc.record({
  language: fc.constantFrom('python', 'javascript', 'shell', 'json', 'markdown', 'nonesuch'),
  pick: fc.constantFrom('best', 'first', 'last', 'all'),
  tags: fc.constantFrom(undefined, ['<code>', '</code>'] as const),
  entryPoint: fc.constantFrom(undefined, 'f'),
})
const finish = fc.constantFrom('stop', 'length', 'filter', 'other')

test('prompts with nothing behind them are an empty block', () => {
  expect(extractCandidate('```python\n>>> \n```', { language: 'python' })).toMatchObject({
    status: 'none',
    reason: 'empty-block',
  })
})

test('any reply gives a program in LF lines at safe paths, or a sentence', () => {
  const property = fc.property(text, finish, options, (reply, end, { tags, entryPoint, ...rest }) => {
    const found = extractCandidate(
      { text: reply, finish: end },
      {
        ...rest,
        ...(tags === undefined ? {} : { tags }),
        ...(entryPoint === undefined ? {} : { entryPoint }),
      },
    )
    if (found.status !== 'ok') {
      expect(found.failure.message.length).toBeGreaterThan(20)
      expect(found.codes).toEqual([])
      return
    }
    expect(found.code.trim()).not.toBe('')
    expect(found.codes.length).toBeGreaterThan(0)
    for (const [path, content] of Object.entries(found.candidate.files)) {
      expect(path).not.toMatch(/^\/|\\|\0|(?:^|\/)\.\.(?:\/|$)/)
      expect(content).not.toContain('\r')
    }
  })
  fc.assert(property, { numRuns: 2000 })
})

test('a program survives any fence that CommonMark allows for it', () => {
  const line = fc.constantFrom('x = 1', 'print("```")', '# note', '', 'y = [1,', '2]', '"""', 'text')
  const property = fc.property(
    fc.array(line, { minLength: 1, maxLength: 12 }),
    fc.nat(3),
    (lines, indent) => {
      const code = `a = 0\n${lines.join('\n')}\nb = 1\n`
      const fence = `${' '.repeat(indent)}\`\`\`\``
      const body = code.replace(/^(?=.)/gm, ' '.repeat(indent))
      const found = extractCandidate(`Intro.\n\n${fence}python\n${body}${fence}\n\nOutro.`, {
        language: 'python',
      })
      expect(found.blocks[0]?.text).toBe(code)
    },
  )
  fc.assert(property, { numRuns: 500 })
})

describe('work', () => {
  test.each([
    '```python\n',
    '```\n',
    '````py\nx\n```\n',
    '```a\n"""\n',
    '```python\n"""\n```\n',
    '> ```py\n',
    '- ```py\n',
    '```md\n',
    '`````\n````\n```\n',
    '```python\nprint(1)```\n',
    '```bash\ncat <<EOF\n```\n',
    '~~~x\n',
    'x ```python\n',
    'x ```python\ny = 1\n',
    '```python\n```<end_code>\n',
  ])('second looks at %j, eight times as long, cost at most ten times as much', (piece) => {
    const spent = (length: number): number => {
      const reply = piece.repeat(length / piece.length)
      const budget = new WorkBudget(reply.length)
      new FenceScanner(reply, 'python', budget).scan()
      return budget.spent
    }
    const small = spent(125_000)
    expect(spent(1_000_000)).toBeLessThanOrEqual(10 * Math.max(small, 125_000))
  })

  test.each(['"', '(', '<think>', '</think>\n', '&lt;', '\\', '/*', '{:'])(
    'a megabyte of %j is read to its end',
    (piece) => {
      const reply = `\`\`\`js\n${piece.repeat(1_000_000 / piece.length)}`
      expect(extractCandidate(reply, { language: 'javascript' }).blocks.length).toBeLessThanOrEqual(1)
      expect(() => splitReasoning(piece.repeat(1_000_000 / piece.length))).not.toThrow()
    },
  )
})

test('a misspelt option is an error that names the right one', () => {
  const misspelt: Record<string, unknown> = { language: 'python', entrypoint: 'f' }
  expect(() => Reflect.apply(extractCandidate, undefined, ['x', misspelt])).toThrow(
    'did you mean "entryPoint"?',
  )
})
