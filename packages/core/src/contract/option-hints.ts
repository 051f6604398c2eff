// What a caller may have meant by an option that is not known: a near miss, one of another place, another word for it.
import { z } from 'zod'

/** Words by which a limit of time is called elsewhere, and what it may be called here. */
const CLOCKS = {
  word: /^(time_?(out|limit)?|deadline)(_?(ms|millis|seconds|secs?|s))?$/i,
  options: ['timeoutMs', 'cellMs', 'limits.wallMs'],
}

/**
 * A schema that knows where options belong that people look for here.
 *
 * @param places - option → what to do instead, as the end of a sentence
 */
export const withPlaces = <T>(schema: z.ZodType<T>, places: Readonly<Record<string, string>>): z.ZodType<T> =>
  schema.meta({ ...schema.meta(), places })

/** What is told of an unknown option. */
export interface OptionHint {
  /** The path of the option that may have been meant, else the names of all that are known. */
  readonly expected: string
  /** The end of a sentence. */
  readonly hint: string
}

/**
 * @param path - of the object that has the option, within what `schema` describes
 * @param key - the option
 */
export function hintFor(schema: z.ZodType, path: readonly PropertyKey[], key: string): OptionHint {
  const owner = schemaAt(schema, path)
  const known = keysOf(owner)
  const place = placesOf(owner ?? schema)[key]
  if (place !== undefined) return { expected: known.join(', '), hint: place }
  const meant = nearestKey(key, known) ?? nestedKey(owner, key) ?? clockOf(owner, key)
  if (meant === undefined)
    return { expected: known.join(', '), hint: `known options: ${known.join(', ') || 'none'}` }
  const whole = [...path, meant].map(String).join('.')
  return { expected: whole, hint: `did you mean "${whole}"?` }
}

/** An option one level further down, such as `limits.wallMs` for `wallMs`. */
function nestedKey(owner: unknown, key: string): string | undefined {
  for (const name of keysOf(owner)) {
    const nearest = nearestKey(key, keysOf(child(owner, name)))
    if (nearest !== undefined) return `${name}.${nearest}`
  }
  return undefined
}

function clockOf(owner: unknown, key: string): string | undefined {
  if (!CLOCKS.word.test(key)) return undefined
  return CLOCKS.options.find((option) => {
    const [name = '', inner] = option.split('.')
    return keysOf(inner === undefined ? owner : child(owner, name)).includes(inner ?? name)
  })
}

function placesOf(schema: unknown): Readonly<Record<string, string>> {
  const meta: Readonly<Record<string, unknown>> = (schema instanceof z.ZodType && schema.meta()) || {}
  const { places } = meta
  return typeof places === 'object' && places !== null ? { ...places } : {}
}

function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((current, key) => child(current, key), schema)
}

/** The schema of one field or element. */
function child(schema: unknown, key: PropertyKey): unknown {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodObject) return inner.shape[String(key)]
  return inner instanceof z.ZodArray ? inner.element : undefined
}

function keysOf(schema: unknown): string[] {
  const inner = unwrap(schema)
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : []
}

function unwrap(schema: unknown): unknown {
  let current = schema
  while (
    current instanceof z.ZodOptional ||
    current instanceof z.ZodDefault ||
    current instanceof z.ZodPrefault ||
    current instanceof z.ZodNullable ||
    current instanceof z.ZodReadonly
  )
    current = current.unwrap()
  return current
}

/** A beginning that says what is meant, such as `env` of `environment`. */
const SHORTEST_STEM = 3

/** The known key nearest to a misspelt one; a beginning or an extension of one is near. */
const nearestKey = (key: string, known: readonly string[]): string | undefined =>
  nearestName(key, known, sharesStem)

/**
 * The known name nearest to a misspelt one, or undefined when none is near enough to be meant.
 *
 * @param isNear - what counts as near besides few wrong letters, both names in lower case. Default: nothing
 */
export function nearestName(
  name: string,
  known: readonly string[],
  isNear: (asked: string, lower: string) => boolean = () => false,
): string | undefined {
  const asked = name.toLowerCase()
  const near = known
    .map((one) => ({ one, lower: one.toLowerCase() }))
    .map(({ one, lower }) => ({ one, lower, distance: editDistance(asked, lower) }))
    .filter(({ lower, distance }) => distance <= mostWrong(asked, lower) || isNear(asked, lower))
  return near.sort((a, b) => a.distance - b.distance)[0]?.one
}

/** Of three letters, two alike are chance: `cmd` is not `cwd`. */
const LONGEST_CHANCE = 3

/** A third of the longer name, but never all letters of the known one. */
function mostWrong(asked: string, lower: string): number {
  const longest = Math.max(asked.length, lower.length)
  return longest <= LONGEST_CHANCE ? 0 : Math.min(lower.length - 1, Math.round(longest / 3))
}

function sharesStem(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= SHORTEST_STEM && (a.startsWith(b) || b.startsWith(a))
}

/** Levenshtein distance; keys are short, so the plain table will do. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
