// Strict parsing of options: an unknown or misspelt key is an error that names the key and the nearest valid one.
import type { z } from 'zod'
import { MendloopError } from './errors.js'
import { hintFor, nearestName } from './option-hints.js'

/**
 * Parses `value` with a strict schema and throws one readable sentence when it does not fit.
 *
 * @param schema - built with `z.strictObject`, so that unknown keys are refused
 * @param owner - what the caller called, such as `subprocess()`; the message starts with it
 * @returns the value with the schema's defaults filled in
 * @throws MendloopError INVALID_OPTION naming the option, what was expected and what came
 */
export function parseOptions<T>(schema: z.ZodType<T>, value: unknown, owner: string): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  // A misspelt key is told first: that the right one is missing follows from it.
  const issue = parsed.error.issues.find(({ code }) => code === 'unrecognized_keys') ?? parsed.error.issues[0]
  if (issue === undefined) throw parsed.error
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? ''
    throw invalidOption(owner, pathText([...issue.path, key]), 'unknown option', {
      ...hintFor(schema, issue.path, key),
      received: key,
    })
  }
  const problem = inWords(issue)
  // Of a wrong key, the value is nobody's business.
  const given = issue.code === 'invalid_key' ? issue.path.at(-1) : valueAt(value, issue.path)
  const received = describe(given)
  const meant = meantValue(issue, given)
  throw invalidOption(
    owner,
    pathText(issue.path),
    meant === undefined ? problem : `${problem} (received ${received})`,
    {
      expected: problem,
      received,
      ...(meant !== undefined && { hint: `did you mean ${JSON.stringify(meant)}?` }),
    },
  )
}

/** The value among a few that a misspelt one resembles. */
function meantValue(issue: z.core.$ZodIssue, given: unknown): string | undefined {
  const choice = choiceOf(issue)
  if (choice === undefined || typeof given !== 'string') return undefined
  return nearestName(
    given,
    choice.filter((one) => typeof one === 'string'),
  )
}

/** The few values among which the right one is. */
function choiceOf(issue: z.core.$ZodIssue): readonly unknown[] | undefined {
  if (issue.code === 'invalid_value') return issue.values
  return issue.code === 'invalid_union' && 'options' in issue ? issue.options : undefined
}

/** What a schema says without words of its own is put in ours. */
function inWords(issue: z.core.$ZodIssue): string {
  if (!/^(Invalid|Too) /.test(issue.message)) return issue.message
  if (issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1)
    return 'must not be empty'
  if (issue.code === 'invalid_type') {
    const expected = issue.expected === 'record' ? 'object' : issue.expected
    return `must be ${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}`
  }
  const choice = choiceOf(issue)
  if (choice !== undefined) return `must be one of ${choice.map((one) => JSON.stringify(one)).join(', ')}`
  if (issue.code === 'invalid_key')
    return `has a name that is not accepted${inBrackets(issue.issues[0]?.message)}`
  return issue.message.replace(/^Invalid input(: )?/, '') || 'has a form that is not accepted'
}

const inBrackets = (message: string | undefined): string => (message === undefined ? '' : ` (${message})`)

/**
 * The error that {@link parseOptions} throws, for checks that a schema cannot express.
 *
 * @param owner - what the caller called, such as `createRepairLoop()`
 * @param option - path of the option
 * @param problem - what is wrong, as the middle of a sentence
 */
export function invalidOption(
  owner: string,
  option: string,
  problem: string,
  { expected, received, hint }: { expected: string; received: string; hint?: string },
): MendloopError<'INVALID_OPTION'> {
  const place = option === '' ? '' : `option "${option}": `
  const subject = problem === 'unknown option' ? `unknown option "${option}"` : `${place}${problem}`
  const tail = hint === undefined ? ` (received ${received})` : `; ${hint}`
  return new MendloopError('INVALID_OPTION', `${owner}: ${subject}${tail}`, {
    details: { option, expected, received },
  })
}

const pathText = (path: readonly PropertyKey[]): string => path.map(String).join('.')

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined
    current = (current as Record<PropertyKey, unknown>)[key]
  }
  return current
}

/** A value in a message: its type and a short form, never the whole of a long string. */
function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string')
    return value.length > 40 ? `a string of ${value.length} characters` : JSON.stringify(value)
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  if (typeof value === 'bigint') return `${value}n`
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`
}
