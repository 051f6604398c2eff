// Small comparisons. Each answers with a complaint, a whole sentence, or with nothing when all is well; a value of a
// shape that nobody meant is an error, so that a case cannot pass by being misread.

/** What is wrong, or undefined. */
export type Complaint = string | undefined

/** The value of an expectation is not of the shape that this runner understands. */
export class NotUnderstood extends Error {}

/** Shortens a value for a message. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 160 ? `${text.slice(0, 100)} … ${text.slice(-40)}` : text
}

/** Same JSON data. */
export function equals(what: string, wanted: unknown, got: unknown): Complaint {
  if (JSON.stringify(got) === JSON.stringify(wanted)) return undefined
  return `${what}: expected ${shown(wanted)}, got ${shown(got)}`
}

/** Same program: newlines at the end do not count. */
export function sameCode(what: string, wanted: unknown, got: string | undefined): Complaint {
  const trimmed = (text: string): string => text.replace(/\n+$/, '')
  if (got === undefined) return `${what}: expected ${shown(wanted)}, got no code`
  return equals(what, trimmed(asText(wanted)), trimmed(got))
}

/** One of several; `known` is everything that could be meant. */
export function isOneOf(what: string, wanted: unknown, got: unknown, known: readonly unknown[]): Complaint {
  if (
    asFilledList(wanted)
      .map((one) => asKnown(one, known))
      .includes(got)
  )
    return undefined
  return `${what}: expected one of ${shown(wanted)}, got ${shown(got)}`
}

/** None of several; `understand` refuses what could never be. */
export function isNoneOf(
  what: string,
  wanted: unknown,
  got: unknown,
  understand: (value: unknown) => unknown,
): Complaint {
  const refused = asFilledList(Array.isArray(wanted) ? wanted : [wanted]).map(understand)
  return refused.includes(got) ? `${what}: must not be ${shown(got)}` : undefined
}

/** A number that may not be passed. */
export function atMost(what: string, wanted: unknown, got: number): Complaint {
  const limit = asNumber(wanted)
  return got <= limit ? undefined : `${what}: expected at most ${limit}, got ${Math.round(got)}`
}

/** Holds every one of the texts. */
export function contains(what: string, wanted: unknown, got: string, ignoreCase = false): Complaint {
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text)
  const missing = asFilledTexts(wanted).find((part) => !fold(got).includes(fold(part)))
  return missing === undefined ? undefined : `${what}: ${shown(missing)} is missing from ${shown(got)}`
}

/** Holds none of the texts. */
export function containsNone(what: string, wanted: unknown, got: string): Complaint {
  const found = asFilledTexts(wanted).find((part) => got.includes(part))
  return found === undefined ? undefined : `${what}: must not contain ${shown(found)}, got ${shown(got)}`
}

/** Every complaint there is, in one. */
export function all(...complaints: readonly Complaint[]): Complaint {
  const found = complaints.filter((complaint) => complaint !== undefined)
  return found.length === 0 ? undefined : found.join('; ')
}

/** A text. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value
  throw new NotUnderstood(`expected a text in the case, found ${shown(value)}`)
}

/** A number. */
export function asNumber(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new NotUnderstood(`expected a number in the case, found ${shown(value)}`)
}

/** True or false. */
export function asBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new NotUnderstood(`expected true or false in the case, found ${shown(value)}`)
}

/** A list. */
export function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new NotUnderstood(`expected a list in the case, found ${shown(value)}`)
}

/** One text or a list of texts. */
export function asTexts(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).map(asText)
}

/** A list that is not empty: where it says what to look for, an empty one would look for nothing. */
export function asFilledList(value: unknown): readonly unknown[] {
  const list = asList(value)
  if (list.length > 0) return list
  throw new NotUnderstood('an empty list in the case asks for nothing')
}

/** One text or a list of texts, none of them empty, since the empty text is in every text. */
export function asFilledTexts(value: unknown): readonly string[] {
  return asFilledList(Array.isArray(value) ? value : [value]).map(asFilledText)
}

/** A text that is not empty. */
export function asFilledText(value: unknown): string {
  if (value !== '') return asText(value)
  throw new NotUnderstood('an empty text in the case asks for nothing')
}

/** The entries of an object that is not empty. */
export function asFilledEntries(value: unknown): readonly (readonly [string, unknown])[] {
  const entries = Object.entries(asObject(value))
  if (entries.length > 0) return entries
  throw new NotUnderstood('an empty object in the case asks for nothing')
}

/** A whole number from 0 on. */
export function asCount(value: unknown): number {
  const count = asNumber(value)
  if (Number.isInteger(count) && count >= 0) return count
  throw new NotUnderstood(`expected a whole number from 0 on in the case, found ${shown(value)}`)
}

/** One of the values that could be meant. */
export function asKnown<T>(value: unknown, known: readonly T[]): T {
  const found = known.find((one) => one === value)
  if (found !== undefined) return found
  throw new NotUnderstood(`${shown(value)} is not known here; known: ${known.join(', ')}`)
}

/** What a table has under a key of its own; names such as "constructor" lead nowhere else. */
export const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

/** An object. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>
  }
  throw new NotUnderstood(`expected an object in the case, found ${shown(value)}`)
}

/** An object with no other keys than these. */
export function asObjectOf(value: unknown, keys: readonly string[]): Readonly<Record<string, unknown>> {
  const fields = asObject(value)
  const odd = Object.keys(fields).find((key) => !keys.includes(key))
  if (odd !== undefined)
    throw new NotUnderstood(`the key "${odd}" is not known here; known: ${keys.join(', ')}`)
  return fields
}
