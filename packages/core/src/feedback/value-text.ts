// What was expected and what came, in words: whole when short, where they part when long.
import type { Failure } from '../contract/verify.js'
import { clipText } from './clip-text.js'
import type { Clean } from './failure-text.js'
import { QUOTE_MARK, quoteLines } from './quote-text.js'

const VALUE_CHARS = 600
const WINDOW_BEFORE = 60
const WINDOW_AFTER = 140

/** Input, expected and actual value; empty when there are none. */
export function valuesText({ input, expected, actual }: Failure, clean: Clean): string {
  const lines = input === undefined ? [] : [valueText('input', clean(input))]
  const wanted = expected === undefined ? undefined : clean(expected)
  const came = actual === undefined ? undefined : clean(actual)
  const difference = wanted === undefined || came === undefined ? undefined : differenceText(wanted, came)
  if (difference !== undefined) return [...lines, difference].join('\n')
  if (wanted !== undefined) lines.push(valueText('expected', wanted))
  if (came !== undefined) lines.push(valueText('actual', came))
  return lines.join('\n')
}

/** In one line behind its name, or in marked lines below it. */
function valueText(name: string, value: string): string {
  const isShort = value.length <= VALUE_CHARS && !/[\n\u2028\u2029]/u.test(value)
  return isShort ? `${name}: ${value}` : `${name}:\n${clipText(quoteLines(value), VALUE_CHARS, QUOTE_MARK)}`
}

/** Of two long values that begin alike, the place where they part. */
function differenceText(expected: string, actual: string): string | undefined {
  if (expected === actual || Math.max(expected.length, actual.length) <= VALUE_CHARS) return undefined
  const at = firstDifference(expected, actual)
  if (at <= WINDOW_BEFORE) return undefined
  const before = expected.slice(0, at).split('\n')
  const line = before.length === 1 ? '' : `, in line ${before.length}`
  return [
    `expected and actual are the same up to character ${at}${line}; there`,
    `expected: ${windowText(expected, at)}`,
    `actual: ${windowText(actual, at)}`,
  ].join('\n')
}

function firstDifference(a: string, b: string): number {
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1
  return at
}

/** As a quoted text, so that line ends are seen. */
function windowText(value: string, at: number): string {
  const end = at + WINDOW_AFTER
  if (at >= value.length) return `${quoted(value.slice(at - WINDOW_BEFORE))} and there it ends`
  return `…${quoted(value.slice(at - WINDOW_BEFORE, end))}${end < value.length ? '…' : ''} (${value.length} characters in all)`
}

const quoted = (text: string): string =>
  JSON.stringify(text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/gu, '')).replace(/[\u2028\u2029]/gu, ' ')
