import { expect, test } from 'vitest'
import { standing, table, toFigure } from '../../bench/figure.js'
import { median, quantile, rounded } from '../../bench/measure.js'

const lower = { name: 'time', unit: 'ms', target: 5, fail: 15 }
const higher = { name: 'speed', unit: 'ratio', target: 0.8, fail: 0.6 }
const measured = (value: number) => ({ value, baseline: null, samples: 3 })

test.each([
  [lower, 5, 'ok'],
  [lower, 5.1, 'past target'],
  [lower, 15, 'past target'],
  [lower, 15.1, 'FAIL'],
  [higher, 0.8, 'ok'],
  [higher, 0.79, 'past target'],
  [higher, 0.6, 'past target'],
  [higher, 0.59, 'FAIL'],
] as const)('of a goal, $0.name = %s stands as it should', (goal, value, expected) => {
  expect(standing(toFigure(goal, measured(value)))).toBe(expected)
})

test('a figure whose environment is missing has no value, and says why', () => {
  const figure = toFigure(lower, { skipped: 'no engine' })
  expect(figure).toEqual({ ...lower, value: null, baseline: null, samples: 0, skipped: 'no engine' })
  expect(standing(figure)).toBe('skipped')
  expect(table([figure])).toContain('skipped: no engine')
})

test('the middle and the high end of what was measured', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(
    quantile(
      Array.from({ length: 40 }, (_, index) => index + 1),
      0.95,
    ),
  ).toBe(38)
  expect(() => median([])).toThrow(/nothing was measured/)
  expect(rounded(1.23456)).toBe(1.23)
})
