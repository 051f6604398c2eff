import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainCopy } from '../../src/internal/plain-copy.js'

test('a copy is what JSON makes of the same value', () => {
  fc.assert(
    fc.property(fc.anything({ withDate: true, withNullPrototype: true }), (value) => {
      let json: string | undefined
      try {
        json = JSON.stringify(value)
      } catch {
        // An invalid date, which both refuse in their own words.
        return
      }
      expect(JSON.stringify(plainCopy(value))).toBe(json)
    }),
  )
})

test('every text that is a value is mapped with the name it stands under, and no name is', () => {
  const value = { a: 'one', list: ['two', { three: 'three' }], date: new Date(0), 4: 4 }
  expect(plainCopy(value, (text, key) => `${key}:${text.length}`)).toEqual({
    a: 'a:3',
    list: ['list:3', { three: 'three:5' }],
    date: 'date:24',
    4: 4,
  })
})

test('what JSON cannot hold becomes words or digits, and what throws is told', () => {
  const loop: Record<string, unknown> = { big: 2n ** 64n, bytes: Buffer.from('hi'), nan: Number.NaN }
  loop['self'] = [loop]
  Object.defineProperty(loop, 'angry', {
    enumerable: true,
    value: {
      get inner() {
        throw new Error('no')
      },
    },
  })
  let deep: unknown = 'bottom'
  for (let depth = 0; depth < 100_000; depth++) deep = [deep]
  expect(plainCopy(loop)).toEqual({
    big: '18446744073709551616',
    bytes: { base64: 'aGk=' },
    nan: null,
    self: ['[circular]'],
    angry: '[unreadable]',
  })
  expect(JSON.stringify(plainCopy(deep))).toContain('[too deep]')
})

test('what the function of the texts throws is thrown', () => {
  const failing = (): string => {
    throw new Error('mine')
  }
  expect(() => plainCopy({ a: 'x' }, failing)).toThrow('mine')
})
