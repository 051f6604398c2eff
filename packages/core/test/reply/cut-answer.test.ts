// Final answers between tags that break off, and what stood whole before them.
import { describe, expect, test } from 'vitest'
import { extractCandidate } from '../../src/reply/extract-candidate.js'
import { codeOf, extract, fenced } from './reply-text.js'

const tried = (code: string): string => `<execute>\n${code}\n</execute>\n`
const half = 'def half(n):\n    if n % 2:\n        return None\n    return n // 2'
const quarter = 'def quarter(n):\n    return half(half(n))'

test.each([
  ['before it has begun', ''],
  ['behind its imports', 'import math\nfrom os import path'],
  ['in the name of what it defines', 'def hal'],
  ['in the middle of a line', 'def half(n):\n    if n % 2:\n        ret'],
  ['at the end of a line, where it still parses', 'def half(n):\n    if n % 2:\n        return None\n'],
  ['in a statement that parses', 'def half(n):\n    if n % 2:\n        return No'],
  ['with a docstring of its own', 'def half(n):\n    """Halves."""\n    if n % 2:\n        return ('],
  ['in a fence', '```python\ndef half(n):\n    if n % 2:\n        return ('],
])('an answer that breaks off %s gives way to the program that was tried', (_, cut) => {
  const found = extract(`${tried(half)}It works.\n<solution>\n${cut}`)
  expect(codeOf(found)).toBe(`${half}\n`)
  expect(found.warnings).toContain('cut-answer-left-out')
})

test('it is the same after a length stop, and for code in a fence or in an answer that was whole', () => {
  const cut = '<solution>\ndef half(n):\n    if n %'
  const stopped = { text: `${tried(half)}${cut}`, finish: 'length' } as const
  for (const found of [
    extractCandidate(stopped, { language: 'python' }),
    extract(`${fenced('python', half)}${cut}`),
    extract(`<solution>\n${half}\n</solution>\nOnce more:\n${cut}`),
  ])
    expect(codeOf(found)).toBe(`${half}\n`)
})

test('parts that were tried one by one belong together', () => {
  const cut = `<solution>\n${half}\n\n${quarter.slice(0, -9)}`
  const found = extract(`${tried(half)}Now the other.\n${tried(quarter)}${cut}`)
  expect(codeOf(found)).toBe(`${half}\n\n\n${quarter}\n`)
})

test.each([
  ['defines something that was not tried', `${tried(half)}<solution>\n${half}\n\ndef third(n):\n    retur(`],
  ['has nothing before it', '<solution>\ndef half(n):\n    retur('],
  ['comes after a script', `${tried('print(1)')}<solution>\ndef half(n):\n    retur(`],
])('an answer that breaks off and %s is incomplete', (_, reply) => {
  expect(extract(reply).status).toBe('incomplete')
})

test('an answer whose closing tag alone is missing is taken, not what was tried', () => {
  const better = half.replace('None', '0')
  expect(codeOf(extract(`${tried(half)}<solution>\n${better}\n`))).toBe(`${better}\n`)
  // Here what was tried goes on behind the definition, with an example only.
  expect(codeOf(extract(`${tried(`${half}\nprint(half(4))`)}<solution>\n${half}\n`))).toBe(`${half}\n`)
})

test('tags are read in any case, and when a fence is round them', () => {
  expect(codeOf(extract(`<Execute>\nprint(1)\n</execute>\n<SOLUTION>\n${half}\n</Solution>`))).toBe(
    `${half}\n`,
  )
  const inFence = extract(`Run this:\n\n${fenced('python', `<execute>\n${half}\n</execute>`)}Done.`)
  expect(codeOf(inFence)).toBe(`${half}\n`)
  expect(inFence).toMatchObject({ blocks: [{ line: 4 }], warnings: ['fence-round-tags'] })
})

describe('a program with a long docstring', () => {
  const told = `def half(n):\n    """Write a function that halves a number, when the number is even.\n${'    It gives nothing for odd ones, as a half of these is no whole number.\n'.repeat(8)}    """\n    return n // 2`

  test.each([
    ['between tags', tried(told)],
    ['in a fence without a tag', fenced('', told)],
    ['alone', told],
  ])('is one %s', (_, reply) => {
    expect(codeOf(extract(reply))).toBe(`${told}\n`)
  })

  test('its docstring alone is prose', () => {
    expect(extract(tried(told.split('\n').slice(2, 8).join('\n'))).status).toBe('none')
  })
})

describe('tests that break off after the program', () => {
  const asserts = (count: number): string =>
    Array.from({ length: count }, (_, n) => `assert half(${2 * n}) == ${n}`).join('\n')
  const reply = (count: number, end: string): string =>
    `${fenced('python', half)}Some tests:\n\`\`\`python\n${asserts(count)}\n${end}`

  test.each(['assert half(', 'assert hal'])('leave it whole while they are few: %j', (end) => {
    expect(codeOf(extract(reply(3, end)))).toBe(`${half}\n`)
  })

  test.each(['assert half(', 'assert hal'])('are most of the reply when they run on: %j', (end) => {
    expect(extract(reply(30, end))).toMatchObject({ status: 'incomplete', reason: 'block-unclosed' })
  })

  test('do no harm when only the fence is missing', () => {
    expect(codeOf(extract(reply(30, '')))).toBe(`${half}\n`)
  })
})
