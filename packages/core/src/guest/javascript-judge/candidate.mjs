// The candidate's process: imports the program and does what the judge asks. Nothing in it is trusted by the judge.
import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { Peer } from './peer.mjs'
import { ANSWERS, messageReader, pack, REQUESTS, receive, writeAll } from './wire.mjs'

const BELL = Buffer.from([1])
const require = createRequire(`${process.cwd()}/`)

class Server extends Peer {
  #depth = 0
  #number = 0
  #importHere

  constructor(importHere) {
    super(1, { functions: false })
    this.#importHere = importHere
  }

  /** Does what a message says, and answers. */
  serve([kind, number, ...rest]) {
    if (kind === 'settled') {
      const [ok, [ref], defs] = rest
      this.learn(defs)
      return this.settled([number, ok, this.decode(ref)])
    }
    const [operation, refs, defs, outdated] = rest
    this.forget(outdated)
    this.learn(defs)
    const values = refs.map((ref) => this.decode(ref))
    this.#depth++
    let reply
    try {
      reply = ['answer', number, ...this.encode([this.perform(operation, values)])]
    } catch (error) {
      reply = ['thrown', number, ...this.encode([error])]
    } finally {
      this.#depth--
    }
    return writeAll(ANSWERS, pack(reply))
  }

  perform(operation, values) {
    return operation === 'import' ? this.#imported(values[0]) : super.perform(operation, values)
  }

  ask(operation, ...values) {
    const isAsked = this.#depth > 0
    const asking = ++this.#number
    this.#send([isAsked ? 'ask' : 'call', asking, operation, ...this.encode(values)], !isAsked)
    for (;;) {
      const message = receive(ANSWERS)
      const [kind, number, [ref], defs] = message
      if (kind !== 'answer' && kind !== 'thrown') {
        this.serve(message)
        continue
      }
      if (number !== asking) throw new Error('the judge answers something else')
      this.learn(defs)
      const value = this.decode(ref)
      if (kind === 'answer') return value
      throw value
    }
  }

  settle(number, ok, value) {
    this.#send(['settled', number, ok, ...this.encode([value])], true)
  }

  readLocally(number, key, { type }) {
    // In a stand-in for a function, all that functions have is this side's.
    if (type === 'f' && key in Function.prototype) return this.#ownOf(number, key) ?? Function.prototype[key]
    return undefined
  }

  readAsked(_number, key, value) {
    return value === undefined ? Object.prototype[key] : value
  }

  builtIn(module, name) {
    const all = require(module)
    return name === 'default' ? all : all[name]
  }

  refuseDerived() {
    throw new TypeError('a class of the tests cannot be derived from here')
  }

  #ownOf(number, key) {
    const facts = this.facts.get(this.standIn(number))
    return key === 'name' || key === 'length' ? facts[key] : undefined
  }

  /** Message first, then the bell: who hears it finds the message. */
  #send(message, unasked) {
    writeAll(ANSWERS, pack(message))
    if (unasked) writeSync(REQUESTS, BELL)
  }

  async #imported(specifier) {
    const module = await this.#importHere(specifier)
    const exported = { ...commonJsExports(specifier), ...module }
    return [Object.keys(exported), Object.values(exported)]
  }
}

/** What a CommonJS module exports: Node finds only such names as it can read from the text. */
function commonJsExports(specifier) {
  try {
    return { ...require.cache[require.resolve(specifier)].exports }
  } catch {
    return {}
  }
}

/** Serves the judge until it goes. */
export function main({ options, importHere }) {
  process.argv[1] = options.entry
  const server = new Server(importHere)
  const read = messageReader()
  const requests = new Socket({ fd: REQUESTS, readable: true, writable: true })
  requests.on('data', (bytes) => {
    for (const message of read(bytes)) server.serve(message)
  })
  requests.on('error', () => process.exit(1))
  requests.on('end', () => process.exit(1))
}
