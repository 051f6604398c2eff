// JavaScript programs under tests that run in a process of their own: what a program does to its own process decides nothing.
import { javascriptTests, verifyOnce } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

const check = javascriptTests(`
import assert from 'node:assert'
import { test } from 'node:test'
import { chunk } from './solution.mjs'

test('cuts into pieces', () => {
  assert.deepStrictEqual(chunk([1, 2, 3], 2), [[1, 2], [3]])
})
test('leaves its argument alone', () => {
  const items = [1, 2]
  chunk(items, 1)
  assert.deepStrictEqual(items, [1, 2])
})
test('refuses a size of 0', () => {
  assert.throws(() => chunk([1], 0), RangeError)
})
`)

const chunk = (step: string, before = ''): string => `
${before}
export function chunk(items, size) {
  if (size < 1) throw new RangeError('size must be at least 1')
  const pieces = []
  ${step}
  return pieces
}
`
const programs = {
  wrong: chunk('while (items.length > 0) pieces.push(items.splice(0, size))'),
  cheat: chunk('', 'Object.is = () => true; process.exit(0)'),
  right: chunk('for (let at = 0; at < items.length; at += size) pieces.push(items.slice(at, at + size))'),
}

for (const [name, source] of Object.entries(programs)) {
  const { verdicts } = await verifyOnce({
    candidate: { files: { 'solution.mjs': source }, entry: 'solution.mjs' },
    language: 'javascript',
    verify: [check],
    sandbox: subprocess(),
  })
  for (const { status, integrity, failures } of verdicts)
    console.log(name, status, integrity, failures[0]?.kind ?? '', failures[0]?.actual ?? '')
}
