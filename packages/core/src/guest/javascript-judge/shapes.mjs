// Plain data, one container at a time: what it holds as a shape of JSON, and a shape as a container again.
import { types } from 'node:util'

const { getPrototypeOf, getOwnPropertyDescriptor, defineProperty, isFrozen, isSealed, isExtensible } = Object
const { ownKeys } = Reflect
const BYTES = new Map(
  [
    ...[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array],
    ...[Float32Array, Float64Array, BigInt64Array, BigUint64Array, ArrayBuffer, DataView, Buffer],
  ].map((kind) => [kind.prototype, kind]),
)
const KIND_BY_NAME = new Map([...BYTES.values()].map((kind) => [kind.name, kind]))
const BOXES = new Map([Number, String, Boolean].map((kind) => [kind.prototype, kind]))
const PLAIN = new Map([
  [Array.prototype, 'a'],
  [Map.prototype, 'm'],
  [Set.prototype, 't'],
  [Date.prototype, 'd'],
  [RegExp.prototype, 'g'],
])
const GENUINE = { a: Array.isArray, m: types.isMap, t: types.isSet, d: types.isDate, g: types.isRegExp }
const HOLE = ['-']
const SPARSE = 1000
const MOST_LENGTH = 2 ** 32 - 1

/** The kind of container that a value is, or undefined for all that is not plain data of an exact type. */
export function kindOf(value, { functions }) {
  const prototype = getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return isData(value, functions) ? 'o' : undefined
  const kind = PLAIN.get(prototype)
  if (kind !== undefined) {
    return GENUINE[kind](value) && isBare(value, kind) ? kind : undefined
  }
  if (BYTES.has(prototype))
    return ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value) ? 'y' : undefined
  return BOXES.has(prototype) && types.isBoxedPrimitive(value) ? 'w' : undefined
}

function isData(value, functions) {
  if (types.isArgumentsObject(value) || types.isModuleNamespaceObject(value)) return false
  return ownKeys(value).every((key) => {
    const own = getOwnPropertyDescriptor(value, key)
    return 'value' in own && (functions || typeof own.value !== 'function')
  })
}

/** Arrays may carry more than their items, as matches of a pattern do; others may not. */
const isBare = (value, kind) => kind === 'a' || ownKeys(value).length === (kind === 'g' ? 1 : 0)

/** What a container holds; `ref` turns what is in it into JSON. */
export function shapeOf(value, kind, ref) {
  const state = isExtensible(value) ? 0 : isFrozen(value) ? 3 : isSealed(value) ? 2 : 1
  return [kind, state, ...contents[kind](value, ref)]
}

const contents = {
  a(value, ref) {
    const keys = ownKeys(value)
    const { length } = value
    if (length > 2 * keys.length + SPARSE)
      return [
        length,
        null,
        entries(
          value,
          keys.filter((key) => key !== 'length'),
          ref,
        ),
      ]
    const items = Array.from({ length }, (_, index) => {
      const item = value[index]
      return item === undefined && !Object.hasOwn(value, index) ? HOLE : ref(item)
    })
    const present = items.filter((item) => item !== HOLE).length
    return [length, items, keys.length > present + 1 ? entries(value, keys.slice(present), ref) : []]
  },
  o(value, ref) {
    return [getPrototypeOf(value) === null ? 1 : 0, entries(value, ownKeys(value), ref)]
  },
  m: (value, ref) => [Array.from(Map.prototype.entries.call(value), ([key, item]) => [ref(key), ref(item)])],
  t: (value, ref) => [Array.from(Set.prototype.values.call(value), ref)],
  d: (value, ref) => [ref(Date.prototype.getTime.call(value))],
  g: (value, ref) => [value.source, value.flags, ref(value.lastIndex)],
  y(value) {
    const bytes = ArrayBuffer.isView(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      : Buffer.from(value)
    return [BYTES.get(getPrototypeOf(value)).name, bytes.toString('base64')]
  },
  w: (value, ref) => [BOXES.get(getPrototypeOf(value)).name, ref(value.valueOf())],
}

const entries = (value, keys, ref) =>
  keys.flatMap((key) => {
    if (key === 'length' && Array.isArray(value)) return []
    const own = getOwnPropertyDescriptor(value, key)
    return [[ref(key), ref(own.value), own.enumerable ? 1 : 0]]
  })

/** An empty container for a shape. @throws TypeError for what is no shape */
export function emptyOf([kind, , first, second], decode) {
  switch (kind) {
    case 'a':
      return []
    case 'o':
      return first === 1 ? Object.create(null) : {}
    case 'm':
      return new Map()
    case 't':
      return new Set()
    case 'd':
      return new Date(Number.NaN)
    case 'g':
      return new RegExp(String(first), String(second))
    case 'y': {
      const kindOfBytes = KIND_BY_NAME.get(first)
      const bytes = Buffer.from(String(second), 'base64')
      if (kindOfBytes === undefined) throw new TypeError('unknown bytes')
      if (kindOfBytes === Buffer) return bytes
      const copy = new Uint8Array(bytes).buffer
      return kindOfBytes === ArrayBuffer ? copy : new kindOfBytes(copy)
    }
    case 'w': {
      const box = [...BOXES.values()].find(({ name }) => name === first)
      if (box === undefined) throw new TypeError('an unknown box')
      return Object(box(decode(second)))
    }
    default:
      throw new TypeError('an unknown kind of container')
  }
}

/** Makes a container hold what a shape says. What is frozen stays as it is. */
export function fill(value, shape, decode) {
  const [kind, state, ...parts] = shape
  if (isFrozen(value)) return
  fillers[kind]?.(value, parts, decode)
  if (state === 3) Object.freeze(value)
  else if (state === 2) Object.seal(value)
  else if (state === 1) Object.preventExtensions(value)
}

const fillers = {
  a(value, [length, items, extras], decode) {
    if (!Number.isInteger(length) || length < 0 || length > MOST_LENGTH) throw new TypeError('no length')
    value.length = 0
    for (const key of ownKeys(value)) if (key !== 'length') delete value[key]
    value.length = length
    if (items !== null)
      for (let index = 0; index < items.length; index++)
        if (!Array.isArray(items[index]) || items[index][0] !== HOLE[0]) value[index] = decode(items[index])
    for (const entry of extras) putEntry(value, entry, decode)
  },
  o(value, [, members], decode) {
    for (const key of ownKeys(value)) delete value[key]
    for (const entry of members) putEntry(value, entry, decode)
  },
  m(value, [members], decode) {
    value.clear()
    for (const [key, item] of members) value.set(decode(key), decode(item))
  },
  t(value, [members], decode) {
    value.clear()
    for (const item of members) value.add(decode(item))
  },
  d: (value, [time], decode) => value.setTime(Number(decode(time))),
  g: (value, [, , last], decode) => {
    value.lastIndex = decode(last)
  },
  y(value, [, text]) {
    const bytes = Buffer.from(String(text), 'base64')
    const own = ArrayBuffer.isView(value)
      ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
      : new Uint8Array(value)
    if (bytes.length !== own.length) throw new TypeError('bytes of another length')
    own.set(bytes)
  },
}

function putEntry(value, [key, item, enumerable], decode) {
  const name = decode(key)
  if (typeof name !== 'string' && typeof name !== 'symbol') throw new TypeError('no key')
  put(value, name, decode(item), enumerable === 1)
}

// Defined rather than assigned: __proto__ is a name like any other.
const put = (value, key, item, enumerable = true) =>
  defineProperty(value, key, { value: item, enumerable, writable: true, configurable: true })
