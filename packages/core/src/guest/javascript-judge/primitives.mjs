// Values that are no containers, and that both sides have: as JSON and back.
import { Broken } from './wire.mjs'

const WELL_KNOWN = new Map(
  Object.getOwnPropertyNames(Symbol).flatMap((name) =>
    typeof Symbol[name] === 'symbol' ? [[Symbol[name], name]] : [],
  ),
)
const BY_NAME = new Map([...WELL_KNOWN].map(([symbol, name]) => [name, symbol]))
const { is } = Object
const { isFinite: isFiniteNumber } = Number

/** Classes that both sides have. */
export const GLOBALS = new Map(
  `Object Array Number String Boolean BigInt Symbol Map Set WeakMap WeakSet Date RegExp Promise Error TypeError RangeError
  SyntaxError ReferenceError EvalError URIError AggregateError ArrayBuffer Uint8Array Int32Array Float64Array URL`
    .split(/\s+/u)
    .map((name) => [name, globalThis[name]]),
)
const GLOBAL_NAMES = new Map([...GLOBALS].map(([name, value]) => [value, name]))

/** The ref of a value that needs no telling; undefined for containers and for what is one side's own. */
export function primitiveRef(value) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'undefined':
      return ['u']
    case 'number':
      if (is(value, -0)) return ['n', '-0']
      return isFiniteNumber(value) ? value : ['n', String(value)]
    case 'bigint':
      return ['b', String(value)]
    case 'symbol':
      return symbolRef(value)
    default:
      if (value === null) return null
      return GLOBAL_NAMES.has(value) ? ['g', GLOBAL_NAMES.get(value)] : undefined
  }
}

function symbolRef(symbol) {
  if (WELL_KNOWN.has(symbol)) return ['k', WELL_KNOWN.get(symbol)]
  const key = Symbol.keyFor(symbol)
  return key === undefined ? undefined : ['y', key]
}

/** Whether a ref is one of those. */
export const isPrimitiveRef = (ref) =>
  ref === null || typeof ref !== 'object' || (Array.isArray(ref) && Object.hasOwn(READERS, ref[0]))

/** The value of such a ref. */
export function readPrimitive(ref) {
  return Array.isArray(ref) ? READERS[ref[0]](ref[1]) : ref
}

const READERS = {
  u: () => undefined,
  n: (text) => Number(text),
  b: (text) => BigInt(text),
  k: (name) => BY_NAME.get(name) ?? Symbol.for(String(name)),
  y: (key) => Symbol.for(String(key)),
  g: (name) => {
    if (!GLOBALS.has(name)) throw new Broken('an unknown class')
    return GLOBALS.get(name)
  },
}
