// Plain data on its way between application and session: JSON, with bytes under a key of their own.
import { isBytes } from '../../contract/foreign-values.js'

/** A value that cannot be sent. */
export class NotPlain extends Error {
  override readonly name = 'NotPlain'
}

const MOST_DEPTH = 200

/**
 * Makes JSON data of a value; bytes become `{ "$bytes": "…" }`, and an object with keys of that kind is wrapped.
 *
 * @throws NotPlain for functions, big integers, numbers that JSON does not have, and what refers to itself
 */
export function toPlain(value: unknown, depth = 0): unknown {
  if (depth > MOST_DEPTH) throw new NotPlain('the value is nested too deeply, or refers to itself')
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    throw new NotPlain(`${value} is no number that JSON has`)
  }
  if (isBytes(value)) return { $bytes: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return value.map((item) => toPlain(item, depth + 1))
  if (typeof value !== 'object') throw new NotPlain(`a ${typeof value} cannot be sent`)
  if ('toJSON' in value && typeof value.toJSON === 'function') return toPlain(value.toJSON(), depth + 1)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype)
    throw new NotPlain(`an object of class ${value.constructor.name} cannot be sent`)
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  const plain = Object.fromEntries(entries.map(([key, item]) => [key, toPlain(item, depth + 1)]))
  return entries.some(([key]) => key.startsWith('$')) ? { $plain: plain } : plain
}

/** The way back; keys such as `__proto__` become keys and nothing else. */
export function fromPlain(value: unknown, depth = 0): unknown {
  if (depth > MOST_DEPTH) throw new NotPlain('the value is nested too deeply')
  if (Array.isArray(value)) return value.map((item) => fromPlain(item, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const [[key, only] = [], second] = entries
  if (second === undefined && key === '$bytes' && typeof only === 'string')
    return new Uint8Array(Buffer.from(only, 'base64'))
  const wrapped = second === undefined && key === '$plain' && typeof only === 'object' && only !== null
  return Object.fromEntries(
    Object.entries(wrapped ? only : value).map(([name, item]) => [name, fromPlain(item, depth + 1)]),
  )
}
