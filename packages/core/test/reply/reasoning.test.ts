// Thoughts are kept apart and never run.
import { describe, expect, test } from 'vitest'
import { extractCandidate } from '../../src/reply/extract-candidate.js'
import { splitReasoning } from '../../src/reply/reasoning.js'
import { codeOf, extract, fenced } from './reply-text.js'

const draft = fenced('python', 'print("draft")')
const final = fenced('python', 'print("final")')

describe('a draft', () => {
  test.each([
    ['<think>', '</think>'],
    ['<thinking>', '</thinking>'],
    ['<reasoning>', '</reasoning>'],
    ['<THINK>', '</THINK>'],
    ['<thought>', '</thought>'],
    ['[THINK]', '[/THINK]'],
    ['◁think▷', '◁/think▷'],
  ])('between %s and %s is reasoning', (open, close) => {
    const found = extract(`${open}\nMaybe:\n${draft}No.\n${close}\n${final}`)
    expect(codeOf(found)).toBe('print("final")\n')
    expect(found.reasoning).toContain('draft')
    expect(found.blocks).toHaveLength(1)
    expect(found.warnings).toEqual([])
  })

  test.each([
    ['closed by a tag whose opener was in the prompt', `Maybe:\n${draft}slow.\n</think>\n\n${final}`],
    ['with an open fence', `<think>\n\`\`\`python\nprint("draft")\n</think>\n${final}`],
    ['with an open fence and no opening tag', `Hm\n\`\`\`python\nprint("draft")\n</think>\n${final}`],
    ['in the first of two sections', `<think>${draft}</think>\nSo.\n<think>again</think>${final}`],
    ['on one line with the closing tag', `<think>print("draft")</think>${final}`],
  ])('%s is reasoning', (_, reply) => {
    const found = extract(reply)
    expect(codeOf(found)).toBe('print("final")\n')
    expect(found.reasoning).toContain('draft')
  })

  test('that is all there is gives no program', () => {
    expect(extract(`<think>\n${draft}`)).toMatchObject({ status: 'none', reason: 'reasoning-only' })
    expect(extract(`${draft}</think>\n`)).toMatchObject({ status: 'none', reason: 'reasoning-only' })
    const cut = extractCandidate({ text: `<think>\n${draft}`, finish: 'length' }, { language: 'python' })
    expect(cut).toMatchObject({ status: 'incomplete', warnings: ['reasoning-unclosed'] })
  })

  test('that the server reported apart is kept and not run', () => {
    const reply = { text: '', finish: 'length', reasoning: draft } as const
    const found = extractCandidate(reply, { language: 'python' })
    expect(found.status).toBe('incomplete')
    expect(found.reasoning).toContain('draft')
  })
})

describe('the same tags as text', () => {
  test.each([
    'text = "<think>secret</think>answer"\nprint(text)\n',
    'text = """\n</think>\n"""\nprint(text)\n',
    'text = """\n<think>\n"""\nprint(text)\n',
  ])('stay in the program: %j', (code) => {
    const found = extract(fenced('python', code.trimEnd()))
    expect(codeOf(found)).toBe(code)
    expect(found.reasoning).toBe('')
  })

  test('in a sentence end nothing', () => {
    expect(extract(`The \`</think>\` tag ends it.\n${final}`).reasoning).toBe('')
    expect(codeOf(extract(`<thought> is a word here.\n${final}`))).toBe('print("final")\n')
  })

  test('splitting keeps the line numbers of the answer', () => {
    expect(splitReasoning('<think>\na\n</think>\nb').answer).toBe('\n\n\nb')
  })
})
