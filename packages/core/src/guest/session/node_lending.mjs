// Methods of the language: what a cell has put in the place of one is there while cells run, and no work of ours meets
// it. Nothing here may call a method that could be replaced.

const { apply, defineProperty, deleteProperty, getOwnPropertyDescriptor, ownKeys, setPrototypeOf } = Reflect
const prototypeOf = Object.getPrototypeOf
const iteratorOf = (iterable) => prototypeOf(iterable[Symbol.iterator]())

/** Objects whose methods our work calls. */
const SHARED = [
  ...[JSON, Reflect, Object, Array, String, Number, BigInt, Symbol, Promise, Buffer, Atomics],
  ...[
    Object,
    Array,
    String,
    Number,
    BigInt,
    RegExp,
    Map,
    Set,
    WeakMap,
    Promise,
    Function,
    Error,
    Buffer,
    URL,
  ].map((one) => one.prototype),
  prototypeOf(Uint8Array.prototype),
  ...[[], new Map(), new Set(), ''].map(iteratorOf),
  prototypeOf(''.matchAll(/./g)),
  prototypeOf(iteratorOf([])),
]
/** What JSON asks an object for first. */
const WITHOUT_JSON = [Object.prototype, Array.prototype, String.prototype, Number.prototype]

/** Each method, and what the cells have in its place. */
const methods = []
for (const holder of SHARED)
  for (const key of ownKeys(holder)) {
    const own = plain(getOwnPropertyDescriptor(holder, key))
    if (own.configurable || own.writable)
      methods.push({ holder, key, own, theirs: undefined, isTheirs: false })
  }
for (const holder of WITHOUT_JSON)
  methods.push({ holder, key: 'toJSON', own: undefined, theirs: undefined, isTheirs: false })
let isLent = false

/** A description that takes nothing from `Object.prototype`. */
function plain(descriptor) {
  if (descriptor !== undefined) setPrototypeOf(descriptor, null)
  return descriptor
}

function isSame(one, other) {
  if (one === undefined || other === undefined) return one === other
  return one.value === other.value && one.get === other.get && one.set === other.set
}

function put({ holder, key }, descriptor) {
  if (descriptor === undefined) deleteProperty(holder, key)
  else defineProperty(holder, key, descriptor)
}

/** Ours from here on; what the cells have there instead is noted. */
export function takeBack() {
  for (let at = 0; at < methods.length; at++) {
    const method = methods[at]
    const now = getOwnPropertyDescriptor(method.holder, method.key)
    if (!isSame(now, method.own)) {
      method.theirs = plain(now)
      method.isTheirs = true
      put(method, method.own)
    } else if (isLent) method.isTheirs = false
  }
  isLent = false
}

/** Theirs from here on. */
export function lend() {
  isLent = true
  for (let at = 0; at < methods.length; at++) if (methods[at].isTheirs) put(methods[at], methods[at].theirs)
}

/** Ours until what this returns is called. */
export function keep() {
  const wasLent = isLent
  takeBack()
  return () => {
    if (wasLent) lend()
  }
}

/** Work of ours that code of the cells has asked for. */
export function kept(work) {
  const giveBack = keep()
  try {
    return work()
  } finally {
    giveBack()
  }
}

const { then } = Promise.prototype
/** As `promise.then` of the language, whatever stands there now. */
export const whenSettled = (promise, resolved, rejected) => apply(then, promise, [resolved, rejected])
