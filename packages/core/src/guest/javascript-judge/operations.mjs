// What one side may ask of what the other side lent.
import { inspect } from 'node:util'
import { GLOBALS } from './primitives.mjs'

const { getOwnPropertyDescriptor, getPrototypeOf } = Object
const { ownKeys } = Reflect
const PROTOTYPES = new Map([...GLOBALS, ['Function', Function]].map(([name, kind]) => [kind.prototype, name]))
/** No stand-in is like plain data, whatever it says of itself. */
const STAND_IN = Object.freeze(Object.create(Object.prototype))

/** By name; the first argument is what it is done on. */
export const OPERATIONS = {
  get: (subject, key) => subject[key],
  set: (subject, key, value) => Reflect.set(subject, key, value),
  has: (subject, key) => key in subject,
  delete: (subject, key) => Reflect.deleteProperty(subject, key),
  define: (subject, key, value, enumerable) =>
    Reflect.defineProperty(subject, key, { value, enumerable, writable: true, configurable: true }),
  keys: (subject) => ownKeys(subject),
  own: (subject, key) => {
    const own = getOwnPropertyDescriptor(subject, key)
    return own && ['value' in own ? own.value : subject[key], own.enumerable]
  },
  prototype: (subject) => {
    const prototype = getPrototypeOf(subject)
    return PROTOTYPES.get(prototype) ?? prototype
  },
  call: (subject, self, ...values) => Reflect.apply(subject, self, values),
  new: (subject, ...values) => Reflect.construct(subject, values),
  instance: (subject, value) => value instanceof subject,
  text: (subject) => String(subject),
  show: (subject) =>
    inspect(subject, {
      depth: 3,
      breakLength: Number.POSITIVE_INFINITY,
      maxArrayLength: 50,
      maxStringLength: 500,
    }),
}

/** The prototype that an answer of `prototype` means. */
export function prototypeFrom(answer) {
  if (typeof answer !== 'string') return answer
  if (answer === 'Object') return STAND_IN
  return [...PROTOTYPES].find(([, name]) => name === answer)?.[0] ?? STAND_IN
}
