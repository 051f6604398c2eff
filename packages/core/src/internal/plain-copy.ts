// A value as JSON would hold it, with every text passed through a function; what JSON cannot hold breaks nothing.
import { types } from 'node:util'

/** What becomes of a text; `key` is the name it stands under, of a list that of the list. */
export type TextMap = (text: string, key: string) => string

/** Deeper than any data of ours; a stack overflow would be an error of somebody's data. */
const DEEPEST = 200

/**
 * Copies `value` the way `JSON.stringify` and `JSON.parse` would: what is undefined or a function is left out, `toJSON` is
 * asked. Unlike there, bytes become `{ base64 }`, a bigint its digits, and a loop in the data, what lies more than 200
 * deep, and what throws when it is looked at, a word in brackets.
 *
 * @param mapText - applied to every text that is a value; keys stay as they are
 */
export function plainCopy(value: unknown, mapText: TextMap = (text) => text): unknown {
  return copyOf(value, '', { mapText, above: new Set() })
}

interface Copying {
  readonly mapText: TextMap
  /** What the value lies in. */
  readonly above: Set<object>
}

function copyOf(value: unknown, key: string, copying: Copying): unknown {
  if (typeof value === 'string') return copying.mapText(value, key)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'boolean' || value === null) return value
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object') return undefined
  if (types.isUint8Array(value)) return { base64: Buffer.from(value).toString('base64') }
  if (copying.above.has(value)) return '[circular]'
  if (copying.above.size >= DEEPEST) return '[too deep]'
  copying.above.add(value)
  try {
    return copyOfObject(value, key, copying)
  } finally {
    copying.above.delete(value)
  }
}

function copyOfObject(value: object, key: string, copying: Copying): unknown {
  const inside = contentOf(value, key)
  if (inside.replaced !== undefined) return copyOf(inside.replaced, key, copying)
  if (Array.isArray(value)) return value.map((one: unknown) => copyOf(one, key, copying) ?? null)
  const entries = inside.entries.map(([name, one]) => [name, copyOf(one, name, copying)] as const)
  return Object.fromEntries(entries.filter(([, one]) => one !== undefined))
}

/** What is in an object, or what it says is to stand for it; a getter of somebody's may throw. */
function contentOf(value: object, key: string): { replaced?: unknown; entries: [string, unknown][] } {
  try {
    if ('toJSON' in value && typeof value.toJSON === 'function')
      return { replaced: value.toJSON(key) as unknown, entries: [] }
    return { entries: Object.entries(value) }
  } catch {
    return { replaced: '[unreadable]', entries: [] }
  }
}
