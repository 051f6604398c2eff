import { expect, test } from 'vitest'
import { ToolCallAssembler } from '../src/tool-calls.js'

const piece = (name: string | undefined, args: string | undefined, more: object = {}) => ({
  ...more,
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
})

const one = '{"code": "print(1)"}'
const two = '{"code": "print(2)"}'

test.each<[string, readonly object[]]>([
  [
    'whole, with index and id',
    [piece('run', one, { index: 0, id: 'a' }), piece('run', two, { index: 1, id: 'b' })],
  ],
  ['under one index', [piece('run', one, { index: 0, id: 'a' }), piece('run', two, { index: 0, id: 'b' })]],
  ['under one index without ids', [piece('run', one, { index: 0 }), piece('run', two, { index: 0 })]],
  ['without index and id', [piece('run', one), piece('run', two)]],
  [
    'with one id for both',
    [piece('run', one, { index: 0, id: 'a' }), piece('run', two, { index: 1, id: 'a' })],
  ],
  ['with one id and no index', [piece('run', one, { id: 'a' }), piece('run', two, { id: 'a' })]],
  [
    'with null for index and id',
    [piece('run', one, { index: null, id: null }), piece('run', two, { index: null, id: null })],
  ],
  [
    'cut, counted from one',
    [
      piece('run', '', { index: 1, id: 'a' }),
      piece(undefined, one, { index: 1 }),
      piece('run', '', { index: 2, id: 'b' }),
      piece(undefined, two, { index: 2 }),
    ],
  ],
  [
    'cut, with the id late',
    [
      piece('run', '', { index: 0 }),
      piece(undefined, one, { index: 0, id: 'a' }),
      piece('run', two, { index: 1, id: 'b' }),
    ],
  ],
  [
    'cut, with id and name on every piece',
    [
      piece('run', one.slice(0, 9), { index: 0, id: 'a' }),
      piece('run', one.slice(9), { index: 0, id: 'a' }),
      piece('run', two, { index: 1, id: 'b' }),
    ],
  ],
  [
    'cut, with a new id on every piece',
    [
      piece('run', one.slice(0, 9), { index: 0, id: 'a' }),
      piece(undefined, one.slice(9), { index: 0, id: 'z' }),
      piece('run', two, { index: 1, id: 'b' }),
    ],
  ],
  [
    'cut and interleaved',
    [
      piece('run', one.slice(0, 9), { index: 0, id: 'a' }),
      piece('run', two.slice(0, 9), { index: 1, id: 'b' }),
      piece(undefined, one.slice(9), { index: 0 }),
      piece(undefined, two.slice(9), { index: 1 }),
    ],
  ],
  [
    'with a finished call sent once more',
    [
      piece('run', one, { index: 0, id: 'a' }),
      piece('run', two, { index: 1, id: 'b' }),
      piece('run', two, { index: 1, id: 'b' }),
    ],
  ],
  [
    'with an empty piece at the end',
    [
      piece('run', one, { index: 0, id: 'a' }),
      piece('run', two, { index: 1, id: 'b' }),
      piece('', '', { index: 2, id: '' }),
    ],
  ],
])('two calls that come %s are two calls with their arguments', (_name, pieces) => {
  const assembler = new ToolCallAssembler()
  for (const part of pieces) assembler.push(part)
  const calls = assembler.finish()
  expect(calls.map(({ name, arguments: args }) => [name, args])).toEqual([
    ['run', one],
    ['run', two],
  ])
  expect(calls.every(({ id }) => id !== '')).toBe(true)
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
})

test('arguments that come as an object are given as their text', () => {
  const assembler = new ToolCallAssembler()
  assembler.push({ id: 'a', function: { name: 'run', arguments: { code: 'x' } } })
  expect(assembler.finish()).toEqual([{ id: 'a', name: 'run', arguments: '{"code":"x"}' }])
})

test('what is no call at all is passed over', () => {
  const assembler = new ToolCallAssembler()
  for (const junk of [null, 5, 'run', {}, { function: null }]) assembler.push(junk)
  expect(assembler.finish()).toEqual([])
})
