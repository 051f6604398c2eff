// Values as JSON and back. Plain data is copied and stays the same object on both sides; all else is lent by number.
import { types } from 'node:util'
import { isPrimitiveRef, primitiveRef, readPrimitive } from './primitives.mjs'
import { fill, kindOf } from './shapes.mjs'
import { Sharing } from './sharing.mjs'
import { Broken } from './wire.mjs'

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function'
const isPlainly = (value) => typeof value === 'object' && !types.isProxy(value) && !types.isNativeError(value)

/** One side's end of all values that crossed. */
export class Codec {
  /** What is Node's own here, and is to be that side's own over there: value → module and export. */
  builtIns = new Map()
  #sharing = new Sharing()
  /** What this side lends: number → value. */
  #lent = new Map()
  #lentNumbers = new Map()
  /** The other side's, as it is seen here: number → stand-in. */
  #borrowed = new Map()
  #borrowedNumbers = new Map()
  #next
  #functions

  /**
   * `first` is 1 or 2: the sides count in different numbers. `functions`: objects that hold functions are copied, with the
   * functions lent.
   */
  constructor(first, { functions }) {
    this.#next = first
    this.#functions = functions
  }

  /** Values as refs, and what the other side has to know for them, changes of shared containers among it. */
  encode(values) {
    const told = []
    this.#sharing.begin()
    const ref = (value) => this.#ref(value, told)
    const refs = values.map(ref)
    for (const value of values) if (isObject(value)) this.#sharing.used(this.#sharing.idOf(value))
    const changes = this.#sharing.changes(ref)
    return [refs, [...told, ...changes]]
  }

  /** Takes over what the other side defined and changed. @throws Broken */
  learn(defs) {
    if (!Array.isArray(defs)) throw new Broken('no definitions')
    const decode = (ref) => this.decode(ref)
    this.#sharing.begin()
    const containers = defs.filter(([type]) => type === 'c')
    const things = defs.filter(([type]) => type !== 'c')
    // Things first: a box may hold a symbol.
    for (const [type, number, facts] of things) this.#meet(type, number, facts)
    const changed = containers.map(([, id, shape]) => [this.#container(id, shape, decode), shape])
    for (const [{ value }, shape] of changed) fill(value, shape, decode)
    for (const [type, number, facts] of things)
      if (type === 'e') this.complete(this.#borrowed.get(number), facts, decode)
    const entries = changed.map(([entry]) => entry)
    this.#sharing.agreed(entries, (value) => this.#known(value))
  }

  decode(ref) {
    if (isPrimitiveRef(ref)) return readPrimitive(ref)
    const [tag, ...data] = Array.isArray(ref) ? ref : []
    switch (tag) {
      case 'r':
        return present(this.#sharing.entry(data[0])).value
      case 'x':
        return this.standIn(data[0])
      case 'o':
        return this.lent(data[0])
      case 'j':
        return this.builtIn(...data)
      default:
        throw new Broken('an unknown kind of value')
    }
  }

  /** What this side lent under a number. @throws Broken */
  lent(number) {
    if (!this.#lent.has(number)) throw new Broken('a number that was never lent')
    return this.#lent.get(number)
  }

  /** Whether this side lent it. */
  isLent(value) {
    return this.#lentNumbers.has(value)
  }

  /** The number of a stand-in, or undefined. */
  numberOf(value) {
    return this.#borrowedNumbers.get(value)
  }

  /** The stand-in of a number. */
  standIn(number) {
    return present(this.#borrowed.get(number))
  }

  /** Lets go of the oldest containers; the other side is to forget them too. */
  outdated() {
    return this.#sharing.outdated()
  }

  forget(ids) {
    this.#sharing.forget(ids)
  }

  /** How a value that stays here is described: `['h', facts]`, `['e', facts]`, `['p', null]` or `['s', text]`. */
  describe(_value, _ref, _number) {
    throw new TypeError('not given')
  }

  /** What stands for the other side's value here. */
  standFor(_type, _number, _facts) {
    throw new TypeError('not given')
  }

  /** Puts into an error what can only be decoded now. */
  complete(_error, _facts, _decode) {}

  /** What Node itself has. */
  builtIn(_module, _name) {
    throw new Broken('not to be had here')
  }

  #ref(value, told) {
    const known = this.#known(value)
    if (known !== undefined) return known
    const kind = isPlainly(value) ? kindOf(value, { functions: this.#functions }) : undefined
    if (kind === undefined) return this.#lend(value, told)
    const id = this.#number()
    this.#sharing.add(id, value, kind)
    return ['r', id]
  }

  /** The ref of what needs no telling; undefined for what the other side has not met. */
  #known(value) {
    const ref = primitiveRef(value)
    if (ref !== undefined) return ref
    const number = this.#borrowedNumbers.get(value)
    if (number !== undefined) return ['o', number]
    if (this.builtIns.has(value)) return ['j', ...this.builtIns.get(value)]
    const id = isObject(value) ? this.#sharing.idOf(value) : undefined
    if (id !== undefined) return ['r', id]
    const own = this.#lentNumbers.get(value)
    return own === undefined ? undefined : ['x', own]
  }

  #lend(value, told) {
    const number = this.#number()
    this.#lent.set(number, value)
    this.#lentNumbers.set(value, number)
    const [type, facts] = this.describe(value, (one) => this.#ref(one, told), number)
    told.push([type, number, facts])
    return ['x', number]
  }

  #container(id, shape, decode) {
    if (this.#sharing.entry(id) === undefined) this.#mustBeTheirs(id)
    return this.#sharing.met(id, shape, decode)
  }

  #meet(type, number, facts) {
    this.#mustBeTheirs(number)
    if (this.#borrowed.has(number)) throw new Broken('a number that was used before')
    const standIn = this.standFor(type, number, facts)
    this.#borrowed.set(number, standIn)
    this.#borrowedNumbers.set(standIn, number)
  }

  /** Numbers of the other side are not as this side's are. */
  #mustBeTheirs(number) {
    if (!Number.isSafeInteger(number)) throw new Broken('no number')
    if (number % 2 === this.#next % 2) throw new Broken('a number of this side')
  }

  #number() {
    const number = this.#next
    this.#next += 2
    return number
  }
}

function present(value) {
  if (value === undefined) throw new Broken('a number that was never told')
  return value
}
