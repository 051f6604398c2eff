// Compares two JSON values and names each place where they differ.
import type { Failure } from '@mendloop/core'
import { failure } from './verdicts.js'

/** Differences told in one verdict; more would only bury the first. */
const MOST = 4

/** One failure for each place where `actual` differs from `expected`; keys that were not asked for are left alone. */
export function jsonDifferences(file: string, expected: unknown, actual: unknown): readonly Failure[] {
  const all = [...differences('', expected, actual)].map(({ path, expected: should, actual: is }) =>
    failure('output', `${file}: ${path || 'the value'} is wrong.`, {
      expected: text(should),
      actual: text(is),
    }),
  )
  if (all.length <= MOST) return all
  return [
    ...all.slice(0, MOST),
    failure(
      'output',
      `${file}: ${all.length - MOST === 1 ? '1 more value is' : `${all.length - MOST} more values are`} wrong.`,
    ),
  ]
}

interface Difference {
  readonly path: string
  readonly expected: unknown
  readonly actual: unknown
}

function* differences(path: string, expected: unknown, actual: unknown): Generator<Difference> {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) yield { path, expected, actual }
    else
      for (const [index, one] of expected.entries())
        yield* differences(`${path}[${index}]`, one, actual[index])
  } else if (isObject(expected)) {
    if (!isObject(actual)) yield { path, expected, actual }
    else
      for (const [key, one] of Object.entries(expected))
        yield* differences(
          path === '' ? key : `${path}.${key}`,
          one,
          Object.hasOwn(actual, key) ? actual[key] : undefined,
        )
  } else if (!Object.is(expected, actual)) yield { path, expected, actual }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function text(value: unknown): string {
  if (value === undefined) return 'nothing'
  const json = JSON.stringify(value)
  return json.length > 160 ? `${json.slice(0, 159)}…` : json
}
