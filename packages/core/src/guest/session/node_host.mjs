// `await host.call(name, …)`: asks the application outside for something, as far as it allows.
import { keep, kept } from './node_lending.mjs'

const MOST_BYTES = 16 * 1024 * 1024
const MOST_DEPTH = 200

/** The application refused, or could not answer; `code` says why in one word. */
export class HostError extends Error {
  constructor(code, message) {
    super(message)
    this.code = code
  }
}
HostError.prototype.name = 'HostError'

const closed = () => new HostError('closed', 'the cell that made the call is over')

/** @returns the `host` of the cells, what takes the answers, and what begins a cell and drops its calls */
export function createHost(names, send) {
  let last = 0
  /** One call is under way at a time: whoever comes meanwhile, waits. */
  let waiting
  let queue = []
  let cell = 0
  let isOver = false

  const askNext = () => {
    if (waiting !== undefined || queue.length === 0) return
    // Calls that earlier cells have left come after those of the present one.
    const own = queue.findIndex((one) => one.cell === cell)
    const [next] = queue.splice(Math.max(own, 0), 1)
    last = (last % 0xffffffff) + 1
    waiting = { ...next, id: last }
    send(last, next.payload)
  }

  const call = async (name, args = null) => {
    const payload = kept(() => Buffer.from(JSON.stringify({ name: String(name), args: toPlain(args, 0) })))
    if (payload.length > MOST_BYTES)
      throw new HostError('too-large', `the arguments of ${name} are ${payload.length} bytes long`)
    if (isOver) throw closed()
    // Node's own way from the pipe to us calls some, too.
    const giveBack = keep()
    const bytes = await new Promise((resolve, reject) => {
      kept(() => {
        queue.push({ cell, payload, resolve, reject })
        askNext()
      })
    })
    giveBack()
    const { error, value } = kept(() => readAnswer(bytes))
    if (error) throw new HostError(error.code, error.message)
    return value
  }

  const take = (id, payload) => {
    if (waiting?.id !== id) return
    waiting.resolve(payload)
    waiting = undefined
    askNext()
  }

  const start = (number) => {
    cell = number
    isOver = false
  }

  /** Nobody waits for any call any longer: the answer to the one under way is not read. */
  const drop = () => {
    isOver = true
    const dropped = waiting === undefined ? queue : [waiting, ...queue]
    waiting = undefined
    queue = []
    for (const { reject } of dropped) reject(closed())
  }
  return { host: Object.freeze({ call, names: () => [...names] }), take, start, drop }
}

function readAnswer(bytes) {
  const { error, value } = JSON.parse(bytes.toString('utf8'))
  return { error, value: error ? undefined : fromPlain(value) }
}

/** JSON has no bytes: they travel in Base64 under a key of their own. */
function toPlain(value, depth) {
  if (depth > MOST_DEPTH)
    throw new HostError('invalid-input', 'the value is nested too deeply, or refers to itself')
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return value.map((item) => toPlain(item, depth + 1))
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new HostError('invalid-input', `${value} is no number that JSON has`)
  if (['function', 'symbol', 'bigint'].includes(typeof value))
    throw new HostError('invalid-input', `a ${typeof value} cannot be sent`)
  if (typeof value !== 'object' || value === null) return value ?? null
  if (typeof value.toJSON === 'function') return toPlain(value.toJSON(), depth + 1)
  const prototype = Object.getPrototypeOf(value)
  // A Map would arrive as an empty object.
  if (prototype !== null && prototype !== Object.prototype)
    throw new HostError('invalid-input', `an object of class ${prototype.constructor?.name} cannot be sent`)
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  const plain = Object.fromEntries(entries.map(([key, item]) => [key, toPlain(item, depth + 1)]))
  return entries.some(([key]) => key.startsWith('$')) ? { $plain: plain } : plain
}

/** The way back. */
function fromPlain(value) {
  if (Array.isArray(value)) return value.map(fromPlain)
  if (typeof value !== 'object' || value === null) return value
  const keys = Object.keys(value)
  if (keys.length === 1 && keys[0] === '$bytes') return new Uint8Array(Buffer.from(value.$bytes, 'base64'))
  const inner = keys.length === 1 && keys[0] === '$plain' ? value.$plain : value
  return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, fromPlain(item)]))
}
