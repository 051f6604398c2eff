// Which replies are questions, and what they ask.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readQuestion } from '../../../src/reply/question.js'

const read = (text: string) => readQuestion({ text })

describe('a question', () => {
  test.each([
    ['- a\n- b (recommended)', ['a', 'b'], 'b'],
    ['- (Recommended) a\n- b', ['a', 'b'], 'a'],
    ['1. a\n\n2) b', ['a', 'b'], 'a'],
    ['a) one\nb) two [default]\n', ['one', 'two'], 'two'],
  ])('has its options from a list at its end: %j', (list, options, recommended) => {
    expect(read(`<question>\nWhich?\n${list}\n</question>`)).toEqual({
      question: 'Which?',
      options,
      recommended,
      isAlone: true,
    })
  })

  test('without options, the model is told to decide where nobody answers', () => {
    const found = read('<Question>Which encoding?</Question>\n')
    expect(found).toMatchObject({
      question: 'Which encoding?',
      recommended: expect.stringMatching(/^Decide it/),
    })
    expect(found).not.toHaveProperty('options')
  })

  test('is read after thoughts, and beside words', () => {
    expect(read('<think>Which <question>?</think>\n<question>A or B?</question>')).toMatchObject({
      isAlone: true,
    })
    expect(read('I need to know:\n<question>A or B?</question>')).toMatchObject({ isAlone: false })
  })

  test('may hold code', () => {
    expect(read('<question>Like this?\n```python\nx = 1\n```\n</question>')).toMatchObject({ isAlone: true })
  })
})

test.each([
  ['no tags', 'Which encoding?'],
  ['cut', '<question>Which enc'],
  ['the wrong way round', '</question>Which?<question>'],
  ['beside a program', '```html\n<question>Which?</question>\n```'],
])('none: %s', (_, text) => {
  expect(read(text)).toBeUndefined()
})

test('none in a refusal or beside tool calls', () => {
  const text = '<question>A or B?</question>'
  expect(readQuestion({ text, refusal: 'no' })).toBeUndefined()
  expect(readQuestion({ text, toolCalls: [{ id: '1', name: 'run', arguments: '{}' }] })).toBeUndefined()
})

test.each([
  ['two at once', '<question>A?</question><question>B?</question>', 'one question at a time'],
  ['no words', '<question>\n- a\n- b\n</question>', 'no words'],
  ['too long', `<question>${'x'.repeat(5000)}</question>`, '4000 characters'],
])('what is wrong is said: %s', (_, text, problem) => {
  expect(read(text)).toEqual({ problem: expect.stringContaining(problem) })
})

test('nothing ever throws, and a long reply takes no time', () => {
  const piece = fc.constantFrom(
    '<question>',
    '</question>',
    '\n',
    '- ',
    '(recommended)',
    '```',
    '<think>',
    'x',
    ' ',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string())), (parts) => {
      read(parts.join(''))
    }),
  )
  const startedAt = performance.now()
  for (const text of ['<question>', '\n', ' ', '- (recommended)\n', '</question>'])
    read(`<question>${text.repeat(20_000)}</question>`)
  expect(performance.now() - startedAt).toBeLessThan(2000)
})
