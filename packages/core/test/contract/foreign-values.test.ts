import { statSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import {
  errorCode,
  inWords,
  isAbortSignal,
  isBytes,
  isError,
  toError,
} from '../../src/contract/foreign-values.js'

/** A value of another realm. */
const foreign = (source: string): unknown => runInNewContext(source)

test('an error of another realm is one, with its message and its code', () => {
  const error = foreign('Object.assign(new TypeError("no such thing"), { code: "ENOENT" })')
  expect(error instanceof Error).toBe(false)
  expect(isError(error)).toBe(true)
  expect(inWords(error)).toBe('no such thing')
  expect(errorCode(error)).toBe('ENOENT')
  expect(toError(error)).toBe(error)
})

test('what is thrown and is no error is told as it is, without a code', () => {
  for (const thrown of ['a text', { message: 'like an error', code: 'ENOENT' }, null, undefined]) {
    expect(isError(thrown)).toBe(false)
    expect(errorCode(thrown)).toBeUndefined()
    expect(inWords(thrown)).toBe(String(thrown))
    expect(toError(thrown).message).toBe(String(thrown))
  }
})

test("the system's errors and a DOMException are errors", () => {
  expect(() => statSync('/no/such/place')).toThrow(expect.toSatisfy((error) => errorCode(error) === 'ENOENT'))
  expect(inWords(new DOMException('stopped', 'AbortError'))).toBe('stopped')
})

test('bytes of another realm are bytes, other arrays are not', () => {
  expect(isBytes(foreign('new Uint8Array([1, 2])'))).toBe(true)
  expect(isBytes(Buffer.from('x'))).toBe(true)
  expect(isBytes(foreign('new Uint16Array([1, 2])'))).toBe(false)
  expect(isBytes(foreign('[1, 2]'))).toBe(false)
})

test('whatever can be asked and listened to like an AbortSignal is one', () => {
  expect(isAbortSignal(new AbortController().signal)).toBe(true)
  expect(
    isAbortSignal(foreign('({ aborted: false, addEventListener() {}, removeEventListener() {} })')),
  ).toBe(true)
  expect(isAbortSignal({ aborted: false })).toBe(false)
  expect(isAbortSignal(new AbortController())).toBe(false)
  expect(isAbortSignal(null)).toBe(false)
})
