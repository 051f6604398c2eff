// Says in a sentence how a promise was broken.
import { isDeepStrictEqual } from 'node:util'
import { MendloopError, type MendloopErrorCode } from '../../contract/errors.js'
import type { ExecutionResult } from '../../contract/execution.js'
import { isBytes, isError } from '../../contract/foreign-values.js'

const LONGEST_VALUE = 400

/** A case that found out, only while it was probed, that the sandbox does not claim it. */
export class NotClaimed extends Error {}

/** Throws `sentence` unless `condition` holds. */
export function ensure(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new Error(sentence)
}

/** Throws unless both are deeply equal. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(actual, expected)) return
  throw new Error(`${what}: expected ${inShort(expected)}, got ${inShort(actual)}`)
}

/** Throws unless the call fails with one of these codes. */
export async function refused(
  what: string,
  codes: MendloopErrorCode | readonly MendloopErrorCode[],
  call: () => Promise<unknown>,
): Promise<void> {
  const expected = typeof codes === 'string' ? [codes] : codes
  let answer: unknown
  try {
    answer = await call()
  } catch (error) {
    if (MendloopError.is(error) && expected.includes(error.code)) return
    throw new Error(`${what} should throw ${expected.join(' or ')}, and threw ${inShort(error)}`, {
      cause: error,
    })
  }
  throw new Error(`${what} should throw ${expected.join(' or ')}, and gave ${inShort(answer)}`)
}

/** Throws unless the program ended with exit code 0; gives its standard output. */
export function succeeded(result: ExecutionResult, what: string): string {
  const { outcome, stdout, stderr } = result
  if (outcome.kind === 'exit' && outcome.code === 0) return stdout.text
  throw new Error(
    `${what} should have ended well; it ended with ${inShort(outcome)}, standard error: ${inShort(stderr.text.slice(-LONGEST_VALUE))}`,
  )
}

/** What a call did within bounded time, or the sentence that it took longer. */
export async function within<T>(limitMs: number, what: string, call: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not settle within ${limitMs} ms`)), limitMs)
  })
  try {
    return await Promise.race([call, late])
  } finally {
    clearTimeout(timer)
  }
}

/** A value as one short line. */
export function inShort(value: unknown): string {
  if (MendloopError.is(value)) return `${value.code} (${value.message})`
  if (isError(value)) return `${value.name}: ${value.message}`
  if (isBytes(value)) return `${value.length} bytes`
  const text = JSON.stringify(value) ?? String(value)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
}
