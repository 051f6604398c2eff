import { expect, test } from 'vitest'
import type { Failure } from '../../src/contract/verify.js'
import { fingerprintOf } from '../../src/language/fingerprint.js'

const named = (message: string, more: Partial<Omit<Failure, 'message'>> = {}): string =>
  fingerprintOf({ kind: 'exception', message, ...more })

test.each([
  ['list index 3 of 17', 'list index 4 of 1_000'],
  ['took 0.1834 s', 'took 2.5e-3 s'],
  ['<Foo object at 0x7f1a2b>', '<Foo object at 0xdeadbeef>'],
  ["no such file: '/tmp/a1/x.csv'", "no such file: '/var/lib/run-77/x.csv'"],
  ["id '3f2504e0-4f89-11d3-9a0c-0305e82c3301'", "id '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d'"],
  ['at 2024-01-31T10:00:00Z', 'at 2025-12-01 23:59:59.123'],
])('%j and %j are one failure', (a, b) => {
  expect(named(a)).toBe(named(b))
})

test.each([
  ["KeyError: 'a'", "KeyError: 'b'"],
  ['ValueError: x', 'TypeError: x'],
])('%j and %j are two failures', (a, b) => {
  expect(named(a)).not.toBe(named(b))
})

test('the line does not count, the function, the file, the test and the kind do', () => {
  const at = (line: number, name: string, path = 'a.py'): string =>
    named('x', { location: { path, line }, frames: [{ path, line, function: name }] })
  expect(at(1, 'f')).toBe(at(9, 'f'))
  expect(
    new Set([at(1, 'f'), at(1, 'g'), at(1, 'f', 'b.py'), named('x'), named('x', { test: 't' })]).size,
  ).toBe(5)
  expect(named('x')).toMatch(/^exception-[0-9a-f]{12}$/u)
  expect(fingerprintOf({ kind: 'output', message: 'x' })).toMatch(/^output-/u)
})

test('what a program last printed does not tell one timeout from another', () => {
  expect(fingerprintOf({ kind: 'timeout', message: 'after 5 s\nlast: a' })).toBe(
    fingerprintOf({ kind: 'timeout', message: 'after 5 s\nlast: b' }),
  )
})
