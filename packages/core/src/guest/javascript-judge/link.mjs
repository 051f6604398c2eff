// The judge's end of the wire: asks the candidate, answers its callbacks, and trusts no message.
import { AssertionError } from 'node:assert'
import { Lost, Misuse, shown, Thrown, Undecided } from './endings.mjs'
import { allowed } from './guard.mjs'
import { Peer } from './peer.mjs'
import { Broken, Closed, pack, receive, writeAll } from './wire.mjs'

const FUNCTION_KEYS = ['call', 'apply', 'bind', 'toString']
/** Methods that say of data whether it is right. */
const TELLING = new Set(['has', 'includes', 'contains', 'equals', 'isEqual'])

export class Link extends Peer {
  lost
  problem
  weakComparisons = 0
  requests = 0
  lastCall
  waiting = false
  /** Set when the program is about to be ended. */
  closing = false
  /** Called once for an answer that takes long. */
  onSlow = () => {}
  /** Failures that stay failures, though the program or the tests may swallow the exception. */
  #held = []
  #requests
  #answers
  #depth = 0
  #number = 0
  #rung = 0
  #read = 0
  #labels = new Map()
  #bell

  constructor({ requests, answers, bell }) {
    super(2, { functions: true })
    this.#requests = requests
    this.#answers = answers
    this.#bell = bell
    bell.on('data', (bytes) => this.#ring(bytes.length))
    bell.on('error', () => this.#leave('ended', 'the process ended'))
    bell.on('close', () => this.#leave('ended', 'the process ended'))
  }

  ask(operation, ...values) {
    if (this.lost !== undefined) throw new Lost(this.lost)
    if (operation !== 'import') this.requests++
    const number = ++this.#number
    const outdated = this.#depth === 0 ? this.outdated() : []
    const bytes = this.#packed(['ask', number, operation], values, outdated)
    try {
      writeAll(this.#depth > 0 ? this.#answers : this.#requests, bytes)
      return this.#answer(number)
    } catch (error) {
      if (error instanceof Thrown) throw error.value
      throw this.#lose(error)
    } finally {
      this.#listen()
    }
  }

  call(number, self, values) {
    const label = this.#labels.get(number) ?? (this.facts.get(this.standIn(number)).name || 'f')
    if (TELLING.has(label.slice(label.lastIndexOf('.') + 1)) && this.numberOf(self) !== undefined)
      this.weakComparisons++
    this.lastCall = `${label}(${values.map(shown).join(', ')})`
    return super.call(number, self, values)
  }

  construct(number, values, made) {
    const { name } = this.facts.get(this.standIn(number))
    this.lastCall = `new ${name}(${values.map(shown).join(', ')})`
    return super.construct(number, values, made)
  }

  settle(number, ok, value) {
    if (this.lost !== undefined) return
    try {
      writeAll(this.#requests, this.#packed(['settled', number, ok], [value], []))
    } catch (error) {
      this.#lose(error)
    }
  }

  /** Makes the running test fail with this, whoever catches it. */
  hold(error) {
    if (!this.#held.includes(error)) this.#held.push(error)
    return error
  }

  /** What was held, and no longer is. */
  release() {
    return this.#held.splice(0)
  }

  refuseDerived(made) {
    throw this.hold(new Misuse(`the tests derive ${made?.name ?? 'a class'} from a class of the program`))
  }

  /** A name for what was read from the program, as the tests know it. */
  label(value, name) {
    const number = this.numberOf(value)
    if (number !== undefined) this.#labels.set(number, name)
  }

  readLocally(number, key, { type }) {
    if (key === Symbol.toPrimitive) return (hint) => this.#primitive(number, hint)
    if (type !== 'f') return undefined
    if (key === Symbol.hasInstance) return (value) => this.#isInstance(number, value)
    return FUNCTION_KEYS.includes(key) ? Function.prototype[key] : undefined
  }

  readAsked(number, key, value) {
    if (typeof value === 'function' && typeof key === 'string') {
      const { type, name } = this.facts.get(this.standIn(number)) ?? {}
      const owner = this.#labels.get(number) ?? (type === 'f' ? name : '')
      this.label(value, owner ? `${owner}.${key}` : key)
    }
    return value
  }

  #primitive(number, hint) {
    const standIn = this.standIn(number)
    if (hint === 'string') return String(this.ask('text', standIn))
    throw this.hold(
      new Undecided(
        `${this.shown(number)} is an object of the program's and no ${hint === 'number' ? 'number' : 'plain value'}`,
      ),
    )
  }

  #isInstance(number, value) {
    return this.numberOf(value) !== undefined && this.ask('instance', this.standIn(number), value) === true
  }

  #packed(head, values, outdated) {
    try {
      const [refs, defs] = this.encode(values)
      return pack([...head, refs, defs, outdated])
    } catch (error) {
      throw this.hold(new Misuse(`the tests pass what cannot cross to the program: ${error.message}`))
    }
  }

  /** Reads until the answer is there; what comes before it is dealt with. */
  #answer(number) {
    for (;;) {
      const [kind, about, ...rest] = receive(this.#answers, this.onSlow)
      if (kind === 'answer' || kind === 'thrown') {
        if (about !== number) throw new Broken('an answer to nothing')
        const [[ref], defs] = rest
        this.learn(defs)
        const value = this.decode(ref)
        if (kind === 'thrown') throw new Thrown(value)
        return value
      }
      this.#deal([kind, about, ...rest])
    }
  }

  #deal([kind, about, ...rest]) {
    if (kind === 'settled' || kind === 'call') this.#read++
    if (kind === 'settled') {
      const [ok, [ref], defs] = rest
      this.learn(defs)
      this.settled([about, ok === true, this.decode(ref)])
    } else if (kind === 'ask' || kind === 'call') this.#serve(about, rest)
    else throw new Broken('an unknown message')
  }

  /** The program calls back. */
  #serve(number, [operation, refs, defs]) {
    this.learn(defs)
    const values = refs.map((ref) => this.decode(ref))
    this.#depth++
    let reply
    try {
      const result = this.#guarded(operation, values)
      reply = this.#packed(['answer', number], [result], [])
    } catch (error) {
      if (this.lost !== undefined || error instanceof Broken) throw error
      if (error instanceof AssertionError) this.hold(error)
      reply = this.#packed(['thrown', number], [error], [])
    } finally {
      this.#depth--
    }
    writeAll(this.#answers, reply)
  }

  /** Only what was lent may be asked about. */
  #guarded(operation, values) {
    if (!this.isLent(values[0])) throw new Broken('a question about nothing')
    const may = allowed(operation, values)
    return may.allowed ? this.perform(operation, values) : may.answer
  }

  /** The program rang: it has sent something that nobody asked for. */
  #ring(count) {
    this.#rung += count
    try {
      while (this.lost === undefined && this.#rung > this.#read)
        this.#deal(receive(this.#answers, this.onSlow))
    } catch (error) {
      this.#lose(error)
    }
    this.#listen()
  }

  /** The judge lives on while the program owes it something. */
  #listen() {
    if (this.waiting || [...this.pending.values()].some(({ awaited }) => awaited)) this.#bell.ref()
    else this.#bell.unref()
  }

  /** Waits on, or no longer, for what only the program may bring about. */
  keepListening(waiting) {
    this.waiting = waiting
    this.#listen()
  }

  #lose(error) {
    return this.#leave(
      error instanceof Closed ? 'ended' : 'spoke nonsense',
      `${error?.name}: ${error?.message}`,
    )
  }

  #leave(how, problem) {
    this.lost ??= how
    this.problem ??= String(problem)
    const lost = new Lost(`the program ${how}`)
    if (!this.closing) this.hold(lost)
    for (const { reject } of this.pending.values()) reject(lost)
    this.pending.clear()
    return lost
  }
}
