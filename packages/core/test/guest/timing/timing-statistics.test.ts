// When one set of times is believed to be faster than another.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { doubtThat, spreadOf } from '../../../src/guest/timing/timing-statistics.js'
import { verdictOf } from '../../../src/guest/timing/timing-verdict.js'

const around = (middle: number, step = middle / 1000): number[] =>
  Array.from({ length: 9 }, (_, index) => middle + (index - 4) * step)

describe('Two sets of times', () => {
  test('that lie apart are told apart', () => {
    expect(doubtThat(around(10), around(12))).toBeUndefined()
  })

  test('whose spread is wider than their difference are not', () => {
    expect(doubtThat(around(10, 1), around(12, 1))).toBe(
      'their times spread by a factor of 1.50 and differ by a factor of 1.20',
    )
  })

  test('that are disturbed much and lie much further apart are', () => {
    const disturbed = [20, 22, 25, 30, 50, 80, 90, 95, 99]
    expect(doubtThat(around(0.02), disturbed)).toBeUndefined()
  })

  test('that differ by less than code alignment does are not', () => {
    expect(doubtThat(around(10, 0.001), around(10.1, 0.001))).toMatch(
      /differ by a factor of 1\.01, which chance/,
    )
  })

  test('of too few samples are not', () => {
    expect(doubtThat([10, 10.1, 10.2], [12, 12.1, 12.2])).toBe(
      'with so few samples chance alone does this in 10 % of cases',
    )
  })

  test('whose middles lie apart while the ranks are mixed are not', () => {
    const mixed = [10, 10, 10, 10, 10, 30, 30, 30, 30]
    expect(doubtThat(mixed, [12, 12, 12, 12, 12, 12, 12, 12, 12])).toBeDefined()
  })
})

test('no set is ever faster than itself in another order', () => {
  const times = fc.array(fc.double({ min: 0.001, max: 1000, noNaN: true }), { minLength: 7, maxLength: 12 })
  fc.assert(
    fc.property(times, (one) => {
      expect(doubtThat(one, [...one].reverse())).toBeDefined()
    }),
  )
})

test('quartiles are those of the usual interpolation', () => {
  expect(spreadOf([4, 1, 3, 2])).toEqual({ medianMs: 2.5, lowMs: 1.75, highMs: 3.25 })
  expect(spreadOf([5])).toEqual({ medianMs: 5, lowMs: 5, highMs: 5 })
})

test('a third alternative does not hide that the first two are alike', () => {
  const timed = [
    { name: 'a', samples: around(10, 0.5), result: '1' },
    { name: 'b', samples: around(10.1, 0.5), result: '1' },
    { name: 'c', samples: around(90), result: undefined },
  ]
  expect(verdictOf(timed, { sameResult: true }).why).toMatch(/^"a" and "b" cannot be told apart/)
  expect(verdictOf([], { sameResult: true }).why).toBe('No alternative ran.')
})

test('the fastest has to stand out from a third that varies much as well', () => {
  const timed = [
    { name: 'a', samples: around(10), result: '1' },
    { name: 'b', samples: around(12), result: '1' },
    { name: 'c', samples: [5, 6, 7, 8, 14, 15, 16, 17, 18], result: '1' },
  ]
  expect(verdictOf(timed, { sameResult: true })).toMatchObject({
    kind: 'inconclusive',
    why: expect.stringMatching(/^"a" and "c" cannot be told apart/),
  })
})

test('results that differ late are shown where they part', () => {
  const timed = ['one', 'another'].map((name) => ({
    name,
    samples: around(10),
    result: `[${'1, '.repeat(200)}${name}, ${'2, '.repeat(200)}]`,
  }))
  const { why } = verdictOf(timed, { sameResult: true })
  expect(why).toMatch(/"one" gives ….*1, one, 2.*…, "another" gives ….*1, another, 2.*…\.$/)
  expect(why.length).toBeLessThan(300)
})

test('many different results are not all shown', () => {
  const timed = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name, samples: around(10), result: name }))
  expect(verdictOf(timed, { sameResult: true }).why).toMatch(
    /: "a" gives a, "b" gives b, "c" gives c, "d" gives d, and 2 more differ\.$/,
  )
})
