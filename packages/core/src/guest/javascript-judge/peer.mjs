// What both sides do alike: lend what is no plain data, stand in for what the other side lent, and do as it asks.
import { inspect, types } from 'node:util'
import { Codec } from './codec.mjs'
import { OPERATIONS, prototypeFrom } from './operations.mjs'
import { GLOBALS } from './primitives.mjs'

const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object
const { ownKeys } = Reflect
const then = Promise.prototype.then
const ERRORS = [
  'AggregateError',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
]
const MOST_TEXT = 20_000

/** Values between two processes: data, and whatever else as something to ask about. */
export class Peer extends Codec {
  /** Promises of the other side that are still open here: number → what settles them. */
  pending = new Map()
  /** What the other side told of each thing: stand-in → facts. */
  facts = new WeakMap()
  #errorPrototypes = new WeakMap()

  describe(value, ref, number) {
    if (typeof value === 'symbol') return ['s', value.description ?? null]
    if (types.isProxy(value) || (!types.isPromise(value) && !types.isNativeError(value)))
      return ['h', typeof value === 'function' ? ofFunction(value) : { type: 'o' }]
    if (types.isNativeError(value)) return ['e', ofError(value, ref)]
    const settle = (ok) => (result) => this.settle(number, ok, result)
    void then.call(value, settle(true), settle(false))
    return ['p', null]
  }

  standFor(type, number, facts) {
    switch (type) {
      case 's':
        return Symbol(facts ?? undefined)
      case 'p':
        return this.#promise(number)
      case 'e':
        return this.#noted(bareError(facts), facts)
      case 'h':
        return this.#noted(
          new Proxy(
            target(facts, () => this.shown(number)),
            this.#handler(number, facts),
          ),
          facts,
        )
      default:
        throw new TypeError('an unknown kind of thing')
    }
  }

  complete(error, { props, kind }, decode) {
    for (const [key, item, enumerable] of props)
      defineProperty(error, decode(key), {
        value: decode(item),
        enumerable: enumerable === 1,
        writable: true,
        configurable: true,
      })
    const made = decode(kind)
    if (made !== getPrototypeOf(error).constructor)
      Object.setPrototypeOf(error, this.#errorPrototype(made, error))
  }

  /** The other side's promise is settled. */
  settled([number, ok, value]) {
    const open = this.pending.get(number)
    this.pending.delete(number)
    if (ok) open?.resolve(value)
    else open?.reject(value)
  }

  /** Does what the other side asks of something that is this side's. */
  perform(operation, [subject, ...values]) {
    const act = OPERATIONS[operation]
    if (act === undefined) throw new TypeError('an unknown operation')
    return act(subject, ...values)
  }

  /** What is read from a stand-in without asking; undefined to ask. */
  readLocally(_number, _key, _facts) {}

  /** The value of a property, once it was asked for. */
  readAsked(_number, _key, value) {
    return value
  }

  shown(number) {
    try {
      return String(this.ask('show', this.standIn(number))).slice(0, MOST_TEXT)
    } catch {
      return '[object]'
    }
  }

  /** One prototype for all errors of a class of the other side's. */
  #errorPrototype(kind, error) {
    if (!this.#errorPrototypes.has(kind)) {
      const { className } = this.facts.get(error)
      const own = { value: kind, writable: true, configurable: true }
      const prototype = Object.create(getPrototypeOf(error), { constructor: own })
      if (className !== error.name)
        defineProperty(prototype, 'name', { value: className, writable: true, configurable: true })
      this.#errorPrototypes.set(kind, prototype)
    }
    return this.#errorPrototypes.get(kind)
  }

  /** Whoever waits for a promise asks for its constructor first. */
  #promise(number) {
    const open = { awaited: false }
    const promise = new Promise((resolve, reject) => Object.assign(open, { resolve, reject }))
    const seen = () => {
      open.awaited = true
      return Promise
    }
    this.pending.set(number, open)
    return defineProperty(promise, 'constructor', { get: seen, configurable: true })
  }

  #noted(standIn, facts) {
    this.facts.set(standIn, facts)
    return standIn
  }

  #handler(number, facts) {
    const ask = (operation, ...values) => this.ask(operation, this.standIn(number), ...values)
    return {
      get: (_target, key) => {
        const local = this.readLocally(number, key, facts)
        return local === undefined ? this.readAsked(number, key, ask('get', key)) : local
      },
      set: (_target, key, value) => ask('set', key, value) === true,
      has: (_target, key) => ask('has', key) === true,
      deleteProperty: (_target, key) => ask('delete', key) === true,
      defineProperty: (_target, key, { value, enumerable = false }) =>
        ask('define', key, value, enumerable) === true,
      ownKeys: () => [...ask('keys')],
      getOwnPropertyDescriptor: (_target, key) => {
        const own = ask('own', key)
        return own && { value: own[0], enumerable: own[1] === true, writable: true, configurable: true }
      },
      getPrototypeOf: () => prototypeFrom(ask('prototype')),
      setPrototypeOf: () => false,
      preventExtensions: () => false,
      apply: (_target, self, values) => this.call(number, self, values),
      construct: (_target, values, made) => this.construct(number, values, made),
    }
  }

  call(number, self, values) {
    return this.ask('call', this.standIn(number), self, ...values)
  }

  construct(number, values, made) {
    if (made !== this.standIn(number)) this.refuseDerived(made)
    return this.ask('new', this.standIn(number), ...values)
  }
}

function ofFunction(value) {
  const name = own(value, 'name')
  const length = own(value, 'length')
  return {
    type: 'f',
    name: typeof name === 'string' ? name : '',
    length: typeof length === 'number' ? length : 0,
  }
}

function ofError(error, ref) {
  const keys = ownKeys(error).filter((key) => key !== 'stack' && key !== 'message')
  const kind = constructorOf(error)
  return {
    native: ERRORS.find((name) => error instanceof GLOBALS.get(name)) ?? 'Error',
    className: String(error.name),
    message: String(error.message),
    stack: String(error.stack ?? '').slice(0, MOST_TEXT),
    kind: ref(kind),
    props: keys.flatMap((key) => {
      const descriptor = getOwnPropertyDescriptor(error, key)
      return 'value' in descriptor ? [[ref(key), ref(descriptor.value), descriptor.enumerable ? 1 : 0]] : []
    }),
  }
}

const constructorOf = (error) => (typeof error.constructor === 'function' ? error.constructor : Error)

const own = (value, key) => (types.isProxy(value) ? undefined : getOwnPropertyDescriptor(value, key)?.value)

function bareError({ native, message, stack }) {
  const kind = ERRORS.includes(native) ? GLOBALS.get(native) : Error
  const error = kind === AggregateError ? new AggregateError([], String(message)) : new kind(String(message))
  return defineProperty(error, 'stack', { value: String(stack), writable: true, configurable: true })
}

/** What the proxy is made of: constructible without a property that cannot be changed; it prints as the thing itself. */
function target({ type, name, length }, show) {
  const made = type === 'f' ? class {}.bind() : {}
  if (type === 'f') {
    defineProperty(made, 'name', { value: String(name), configurable: true })
    defineProperty(made, 'length', { value: Number(length), configurable: true })
  }
  return defineProperty(made, inspect.custom, { value: show, configurable: true })
}
