// The program prints what was expected.
import { types } from 'node:util'
import { z } from 'zod'
import type { CapturedText } from '../contract/execution.js'
import { invalidOption, parseOptions } from '../contract/options.js'
import type { Failure, Verifier } from '../contract/verify.js'
import { uncleanVerdict } from './exits-cleanly.js'
import { newFailure } from './new-failure.js'

/** How {@link expectOutput} should compare. */
export interface ExpectOutputOptions {
  /** Name of the verifier. Default `expected output`. */
  readonly name?: string
  /** Default `visible`. */
  readonly visibility?: 'visible' | 'held-out'
  /** Which stream is compared. Default `stdout`. */
  readonly stream?: 'stdout' | 'stderr'
  /** Whether white space at the ends of lines, and blank lines at both ends of the text, are left out. Default true. */
  readonly trim?: boolean
}

const optionsSchema: z.ZodType<ExpectOutputOptions> = z.strictObject({
  name: z.string().min(1, 'must not be empty').optional(),
  visibility: z.enum(['visible', 'held-out']).optional(),
  stream: z.enum(['stdout', 'stderr']).optional(),
  trim: z.boolean().optional(),
})

const SHOWN_CHARS = 2000

/**
 * Passes when the program exits with code 0 and prints `expected`: the whole text for a string, a match anywhere for a
 * pattern. Line ends of Windows count as plain ones.
 *
 * The program's own word decides, so `integrity` is `shared`: a program that prints the expected text without computing
 * it passes. Give it input that it cannot know, or check values with `pythonTests`.
 *
 * @throws MendloopError INVALID_OPTION
 */
export function expectOutput(expected: string | RegExp, options: ExpectOutputOptions = {}): Verifier {
  const parsed = parseOptions(optionsSchema, options, 'expectOutput()')
  const { name = 'expected output', visibility = 'visible', stream = 'stdout', trim = true } = parsed
  if (typeof expected !== 'string' && !types.isRegExp(expected))
    throw invalidOption('expectOutput()', 'expected', 'must be a text or a pattern', {
      expected: 'a string or a RegExp',
      received: typeof expected,
    })
  return {
    name,
    visibility,
    async verify(context) {
      const execution = await context.run()
      const unclean = uncleanVerdict(execution, context)
      if (unclean !== undefined) return unclean
      const failure = difference(expected, execution[stream], { stream, trim })
      return failure === undefined
        ? { status: 'pass', integrity: 'shared', failures: [] }
        : { status: 'fail', integrity: 'shared', failures: [failure] }
    },
  }
}

function difference(
  expected: string | RegExp,
  captured: CapturedText,
  { stream, trim }: { stream: string; trim: boolean },
): Failure | undefined {
  const actual = normalised(captured.text, trim)
  if (types.isRegExp(expected)) {
    // A copy, because a global or sticky pattern remembers where it stopped.
    const pattern = new RegExp(expected.source, expected.flags.replace(/[gy]/gu, ''))
    if (pattern.test(actual)) return undefined
    const message = `The program's ${stream} does not match ${expected}.`
    return newFailure({ kind: 'output', message, expected: String(expected), actual: shown(actual) })
  }
  const wanted = normalised(expected, trim)
  if (wanted === actual && !captured.truncated) return undefined
  return newFailure({
    kind: 'output',
    message: firstDifference(wanted, actual, stream, captured),
    expected: shown(wanted, firstOdd(wanted, actual)),
    actual: shown(actual, firstOdd(wanted, actual)),
  })
}

function firstDifference(wanted: string, actual: string, stream: string, captured: CapturedText): string {
  const [wantedLines, actualLines] = [wanted.split('\n'), actual.split('\n')]
  const index = wantedLines.findIndex((line, at) => line !== actualLines[at])
  const at = index === -1 ? wantedLines.length : index
  const cut = captured.truncated
    ? ` It wrote ${captured.bytes} bytes, of which ${captured.omittedBytes} were not kept.`
    : ''
  if (actual === '') return `The program printed nothing on ${stream}.${cut}`
  return `The program's ${stream} differs in line ${at + 1}: expected ${lineText(wantedLines[at])}, got ${lineText(actualLines[at])}.${cut}`
}

const lineText = (line: string | undefined): string =>
  line === undefined ? 'no further line' : JSON.stringify(line.length > 200 ? `${line.slice(0, 200)}…` : line)

function normalised(text: string, trim: boolean): string {
  const plain = text.replace(/\r\n/gu, '\n')
  if (!trim) return plain
  const lines = plain.split('\n').map((line) => line.trimEnd())
  const first = lines.findIndex((line) => line !== '')
  const last = lines.findLastIndex((line) => line !== '')
  return first === -1 ? '' : lines.slice(first, last + 1).join('\n')
}

/** Where two texts part. */
function firstOdd(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

/** The text, or of a long one the window in which it goes wrong. */
function shown(text: string, at = 0): string {
  if (text.length <= SHOWN_CHARS) return text
  const start = Math.max(0, Math.min(at - SHOWN_CHARS / 2, text.length - SHOWN_CHARS))
  const left = text.length - start - SHOWN_CHARS
  return [
    ...(start > 0 ? [`… ${start} characters left out …`] : []),
    text.slice(start, start + SHOWN_CHARS),
    ...(left > 0 ? [`… ${left} characters left out …`] : []),
  ].join('\n')
}
