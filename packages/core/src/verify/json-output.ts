// The program prints, or writes into a file, JSON of the right shape.
import { z } from 'zod'
import type { ExecutionResult } from '../contract/execution.js'
import { invalidOption, parseOptions } from '../contract/options.js'
import type { Failure, Verdict, Verifier, VerifyContext } from '../contract/verify.js'
import { toWorkspacePath } from '../sandbox/workspace-path.js'
import { uncleanVerdict } from './exits-cleanly.js'
import { newFailure } from './new-failure.js'
import { namedFields } from './shared-options.js'
import { type WrittenFile, writtenFile } from './written-file.js'

/** Where {@link jsonOutput} should look. */
export interface JsonOutputOptions {
  /** Name of the verifier. Default `json output`. */
  readonly name?: string
  /** Default `visible`. */
  readonly visibility?: 'visible' | 'held-out'
  /**
   * Path of a file that the program writes. Default: what it prints on standard output. One that the task hands in must be
   * among its `outputs` too, or it is put back before it is read.
   */
  readonly path?: string
}

const optionsSchema: z.ZodType<JsonOutputOptions> = z.strictObject({
  ...namedFields,
  path: z.string().min(1, 'must not be empty').optional(),
})

const MOST_ISSUES = 20
const SHOWN_CHARS = 300

/**
 * Passes when the program ends with exit code 0 and its output is one JSON value that `schema` accepts.
 *
 * A file counts when the program's run wrote it, by the `changes` of the sandbox: one that was there and is unchanged, and one
 * that was put back after the run, are failures of kind `output`. A file of more than 32 MiB is one too.
 *
 * Each issue of the schema is a failure of kind `schema`, of which there are at most 20: the message holds the path, such as
 * `rows[3].price`, `expected` and `actual` what should have been there and what is, each of at most 300 characters. The
 * program's own word decides, so `integrity` is `shared`.
 *
 * @param schema - a schema of zod, version 4; asynchronous refinements are awaited
 * @throws MendloopError INVALID_OPTION, PATH_REFUSED
 */
export function jsonOutput(schema: z.ZodType, options: JsonOutputOptions = {}): Verifier {
  const {
    name = 'json output',
    visibility = 'visible',
    path,
  } = parseOptions(optionsSchema, options, 'jsonOutput()')
  if (typeof (schema as Partial<z.ZodType> | null | undefined)?.safeParseAsync !== 'function')
    throw invalidOption('jsonOutput()', 'schema', 'must be a schema of zod', {
      expected: 'a schema such as z.object({ total: z.number() })',
      received: schema === null ? 'null' : typeof schema,
    })
  const file = path === undefined ? undefined : toWorkspacePath(path)
  return { name, visibility, verify: (context) => verify(context, schema, file) }
}

async function verify(context: VerifyContext, schema: z.ZodType, path: string | undefined): Promise<Verdict> {
  const execution = await context.run()
  const unclean = uncleanVerdict(execution, context)
  if (unclean !== undefined) return unclean
  const place = path ?? 'standard output'
  const left = path === undefined ? printed(execution) : await writtenFile(context, execution, path)
  if ('problem' in left) return wrong([newFailure({ kind: 'output', message: left.problem })])
  const parsed = parsedJson(left.text)
  if ('why' in parsed) return wrong([notJson(place, left.text, parsed.why)])
  const checked = await checkedBy(schema, parsed.value)
  if (checked === undefined) return wrong([problem(`The value in ${place} is nested too deeply.`)])
  if (checked.success) return { status: 'pass', integrity: 'shared', failures: [] }
  const { issues } = checked.error
  const failures = issues.slice(0, MOST_ISSUES).map((issue) => issueFailure(issue, parsed.value, place))
  const more = issues.length - failures.length
  return wrong(more > 0 ? [...failures, problem(`In ${place}, ${more} more values are wrong.`)] : failures)
}

/** What the schema says; undefined when the value is too deep for it. */
async function checkedBy(
  schema: z.ZodType,
  value: unknown,
): Promise<z.ZodSafeParseResult<unknown> | undefined> {
  try {
    return await schema.safeParseAsync(value)
  } catch (error) {
    // A schema that refers to itself follows the value to its depth; what else it throws is the schema's own fault.
    if (error instanceof RangeError && /call stack/iu.test(error.message)) return undefined
    throw error
  }
}

const printed = ({ stdout }: ExecutionResult): WrittenFile =>
  stdout.truncated
    ? {
        problem: `Of the ${stdout.bytes} bytes on standard output ${stdout.omittedBytes} were not kept, so that they cannot be read as JSON.`,
      }
    : { text: stdout.text }

const wrong = (failures: readonly Failure[]): Verdict => ({ status: 'fail', integrity: 'shared', failures })
const problem = (message: string): Failure => newFailure({ kind: 'schema', message })

function parsedJson(text: string): { value: unknown } | { why: string } {
  try {
    return { value: JSON.parse(text.replace(/^\ufeff/u, '')) }
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) }
  }
}

function notJson(place: string, text: string, why: string): Failure {
  const isEmpty = text.trim() === ''
  return newFailure({
    kind: 'schema',
    message: isEmpty
      ? `The program left nothing in ${place}, where JSON is expected.`
      : `What is in ${place} is not one JSON value: ${shown(why)}`,
    expected: 'one JSON value',
    actual: isEmpty ? undefined : shown(text),
  })
}

function issueFailure(issue: z.core.$ZodIssue, value: unknown, place: string): Failure {
  const at = pathText(issue.path)
  const found = valueAt(value, issue.path)
  const where = at === '' ? `The value in ${place}` : `${at} in ${place}`
  return newFailure({
    kind: 'schema',
    message: `${where} is wrong: ${shown(issue.message)}`,
    expected: shown(expectedOf(issue)),
    actual: found === undefined ? 'nothing' : shown(preview(found)),
  })
}

/** What the schema asks for, in a few words. */
function expectedOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected
    case 'invalid_value':
      return issue.values.map((one) => JSON.stringify(one) ?? String(one)).join(' or ')
    case 'too_small':
      return `at least ${issue.minimum}`
    case 'too_big':
      return `at most ${issue.maximum}`
    case 'invalid_format':
      return issue.format
    case 'unrecognized_keys':
      return `no ${issue.keys.join(', ')}`
    default:
      return issue.message
  }
}

/** `rows[3].price`; names that are no plain words stand in quotes. */
function pathText(path: readonly PropertyKey[]): string {
  const parts = path.map((key) => {
    if (typeof key === 'number') return `[${key}]`
    return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(String(key))
      ? `.${String(key)}`
      : `[${JSON.stringify(String(key))}]`
  })
  return shown(parts.join('').replace(/^\./u, ''))
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  )

const shown = (text: string): string =>
  text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS - 1)}…` : text

/** A value of JSON in its own words, as far as they are shown: it may be larger or deeper than can be written out. */
function preview(value: unknown, room = SHOWN_CHARS): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, SHOWN_CHARS))
  if (typeof value !== 'object' || value === null) return String(value)
  const isList = Array.isArray(value)
  const inner = value as Readonly<Record<string, unknown>>
  let text = ''
  for (const key of Object.keys(inner)) {
    if (text.length >= room) break
    const name = isList ? '' : `${JSON.stringify(key.slice(0, SHOWN_CHARS))}:`
    const start = `${text === '' ? '' : ','}${name}`
    text += start + preview(inner[key], room - text.length - start.length - 1)
  }
  return isList ? `[${text}]` : `{${text}}`
}
