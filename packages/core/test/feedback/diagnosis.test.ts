// A second reading: what is asked, and what of the answer is used.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diagnosisMessages, readDiagnosis } from '../../src/feedback/diagnosis.js'

const read = (text: string): string | undefined => readDiagnosis({ text })

test('the program and what happened are asked about, and nothing of them is in the system message', () => {
  const [system, user] = diagnosisMessages({
    goal: 'Add.',
    language: 'python',
    program: { files: { 'solution.py': 'print(1 - 1)\n' }, entry: 'solution.py' },
    feedback: 'Attempt 1: 0 of 1 checks passed.',
  })
  expect(system?.content).not.toMatch(/print|Attempt/u)
  expect(user?.content).toBe(
    'Add.\n\n```python solution.py\nprint(1 - 1)\n```\n\nAttempt 1: 0 of 1 checks passed.\n\nWhy did it fail?',
  )
})

test.each([
  ['Line 3 divides by zero.', 'Line 3 divides by zero.'],
  ['One. Two! Three? Four.', 'One. Two! Three?'],
  [
    'The value 3.14 of `a.b` in solution.py is kept. It should not be.',
    'The value 3.14 of `a.b` in solution.py is kept. It should not be.',
  ],
  ['<think>\nhm. Hm.\n</think>\nIt ends early.', 'It ends early.'],
  ['It ends early.\n```python\nprint("no")\n```\nIt should not.', 'It ends early. It should not.'],
  ['It ends early.\n~~~\nprint("no")', 'It ends early.'],
  ['- It ends early.\n- It\n  should not.', 'It ends early. It should not.'],
  ['# Why\n1. It ends early.', 'Why It ends early.'],
])('of %j is used: %j', (text, used) => {
  expect(read(text)).toBe(used)
})

test.each(['', ' \n', '```\ncode\n```', '<think>\nnothing else\n</think>'])('%j says nothing', (text) => {
  expect(read(text)).toBeUndefined()
})

test('a refusal says nothing', () => {
  expect(readDiagnosis({ text: 'It ends early.', refusal: 'I cannot say.' })).toBeUndefined()
})

test('any text gives one short line or nothing, and a long one is read in a moment', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (text) => {
      const said = read(text)
      expect(said === undefined || (said.length <= 700 && said.length > 0 && !/[\n\r]/u.test(said))).toBe(
        true,
      )
    }),
  )
  for (const piece of ['```\n', '~~~ x\n', '. A', '- ', '`'])
    expect(read(piece.repeat(200_000))?.length ?? 0).toBeLessThanOrEqual(700)
})
