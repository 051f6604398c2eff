// Marks below syntax errors in lines that are not ASCII, as the Pythons from 3.8 to 3.13 printed them.
import { describe, expect, test } from 'vitest'
import { syntaxMarks } from '../../src/language/python-syntax-marks.js'
import { failureOf, hasPython } from './run-python.js'

const TWO_SIGNS = 's = "é日本"; x = = 1'
const NO_COMMA = 'print("日本語" + f(1, 2 3))'

describe('marks below a syntax error', () => {
  test.each([
    ['x = = 1', 4, 1, { at: 4, length: 1 }],
    // Counted in characters, as 3.8 and 3.13 do, and in bytes, as those between.
    [TWO_SIGNS, 15, 1, { at: 15, length: 1 }],
    [TWO_SIGNS, 20, 1, { at: 15, length: 1 }],
    [NO_COMMA, 19, 3, { at: 19, length: 3 }],
    [NO_COMMA, 25, 3, { at: 19, length: 3 }],
    ['für = 1; class = 2', 9, 5, { at: 9, length: 5 }],
    ['für = 1; class = 2', 10, 5, { at: 9, length: 5 }],
    // At the end of the line nothing is marked.
    ['if "é" == x', 12, 1, { at: 11, length: 1 }],
    // Characters of which each has four bytes, and is two units of a string.
    ['x = "😀" 5', 11, 1, { at: 9, length: 1 }],
  ])('%j at %i, %i long', (source, at, length, marks) => {
    expect(syntaxMarks(source, { at, length })).toEqual(marks)
  })

  test('that may mean one word or another are left out', () => {
    // "1" when these are characters, "(" when they are bytes.
    expect(syntaxMarks('é = (1,', { at: 5, length: 1 })).toBeUndefined()
  })

  test('that no line has are left out', () => {
    expect(syntaxMarks('é', { at: 99, length: 1 })).toBeUndefined()
    expect(syntaxMarks('', { at: 3, length: 1 })).toEqual({ at: 3, length: 1 })
  })
})

describe.runIf(hasPython)('the Python of this machine', () => {
  test('has its mark below the sign that is one too many, whatever stands before it', async () => {
    const failure = await failureOf(`if True:\n    ${TWO_SIGNS}\n`)
    expect(failure).toMatchObject({ kind: 'syntax', location: { path: 'solution.py', line: 2, column: 20 } })
    expect(failure.excerpt).toContain(`> 2 |     ${TWO_SIGNS}\n    | ${' '.repeat(19)}^`)
  })
})
