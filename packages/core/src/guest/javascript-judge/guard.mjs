// What the program may do with what the tests lent it: nothing that leads to the judge itself.
import { types } from 'node:util'

const { getOwnPropertyDescriptor, getPrototypeOf } = Object
const FUNCTIONS = [() => {}, async () => {}, function* () {}, async function* () {}].map(getPrototypeOf)
/** With these a program could have the judge run its own code. */
const MAKERS = new Set([
  ...FUNCTIONS.map((one) => one.constructor),
  Reflect.get(globalThis, 'eval'),
  Reflect.construct,
  Reflect.apply,
])
const STEPS = new Set(['next', 'return', 'throw', Symbol.iterator, Symbol.asyncIterator])
const UNREADABLE = ['__proto__', 'prototype', 'caller', 'arguments']
const UNWRITABLE = ['__proto__', 'constructor', 'prototype']
const KINDS = [
  Object,
  Array,
  Map,
  Set,
  WeakMap,
  WeakSet,
  Date,
  RegExp,
  Promise,
  Error,
  String,
  Number,
  Boolean,
]
const ITERATORS = [[].values(), new Map().values(), new Set().values(), ''[Symbol.iterator]()].map(
  getPrototypeOf,
)
const BUILT_IN = new Set([
  ...KINDS.map((kind) => kind.prototype),
  ...FUNCTIONS.flatMap((one) => [one, one.prototype ?? one]),
  ...ITERATORS.flatMap((one) => [one, getPrototypeOf(one)]),
])

/** Whether the program may have `operation` done on what it was lent; if not, `answer` is what it is told. */
export function allowed(operation, [subject, key]) {
  const isFunction = typeof subject === 'function'
  switch (operation) {
    case 'call':
    case 'new':
      if (!isFunction || MAKERS.has(subject)) throw new TypeError('not for the program')
      return { allowed: true }
    case 'get':
    case 'own':
      return { allowed: isOpen(subject, key), answer: undefined }
    case 'has':
      return { allowed: isOpen(subject, key), answer: false }
    case 'set':
    case 'define':
    case 'delete':
      // A class of the tests stays as it is.
      return { allowed: !isFunction && !UNWRITABLE.includes(key), answer: false }
    case 'prototype':
      return { allowed: false, answer: 'Object' }
    case 'instance':
      return { allowed: isFunction, answer: false }
    case 'keys':
      return { allowed: true }
    default:
      return { allowed: false, answer: typeof subject }
  }
}

/** Whether a property may be read: one that the tests gave it, not one that every object has. */
function isOpen(subject, key) {
  if (UNREADABLE.includes(key)) return false
  for (let owner = subject; owner !== null; owner = getPrototypeOf(owner)) {
    const own = getOwnPropertyDescriptor(owner, key)
    if (BUILT_IN.has(owner) || types.isProxy(owner)) {
      if (own !== undefined) return STEPS.has(key)
    } else if (own !== undefined) return !MAKERS.has(own.value)
  }
  return false
}
