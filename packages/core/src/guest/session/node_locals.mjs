// Values of variables where an exception was thrown: a thread of its own looks at this one, which each exception stops.
import { fileURLToPath } from 'node:url'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'

/** Looking takes about a millisecond; beyond this many in a cell, those that the cell catches itself are passed by. */
const MOST_LOOKS = 300
const MOST_FRAMES = 8
const MOST_NAMES = 30
const MOST_KEPT = 50

/** What exceptions found when they were thrown, the last ones of a cell. */
export class LocalValues {
  #kept = []
  #port
  #worker
  #ready
  /** Without the thread there are no values, and everything else is as it was. */
  #isDead = false
  #answered = () => undefined

  constructor() {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.unref()
    const limits = { mostLooks: MOST_LOOKS, mostFrames: MOST_FRAMES, mostNames: MOST_NAMES }
    const workerData = { port: port2, ...limits }
    this.#ready = this.#answer()
    try {
      this.#worker = new Worker(`(${lookOn})()`, {
        eval: true,
        execArgv: [],
        workerData,
        transferList: [port2],
      })
      this.#worker.on('message', () => this.#answered())
      this.#worker.on('exit', () => this.#die())
      this.#worker.on('error', () => undefined).unref()
    } catch {
      this.#die()
    }
  }

  #answer() {
    return new Promise((resolve) => {
      this.#answered = resolve
    })
  }

  #die() {
    this.#isDead = true
    this.#answered()
  }

  /** A new cell; resolves when its exceptions are looked at. */
  async start() {
    await this.#ready
    this.#takeIn()
    this.#kept = []
    if (this.#isDead) return
    const began = this.#answer()
    this.#worker.postMessage('start')
    await began
  }

  /**
   * Adds to each frame of an exception, and of those that caused it, what is known.
   *
   * @param nameOf - the name under which the frames have a script
   */
  addTo(error, nameOf) {
    const isSame = ({ script, line }, frame) => line === frame.line && frame.path === nameOf(pathOf(script))
    this.#takeIn()
    for (let told = error; told !== undefined; told = told.cause) {
      const innermost = told.frames.at(-1)
      const look = innermost && this.#kept.findLast((frames) => frames.some((one) => isSame(one, innermost)))
      for (const frame of told.frames) {
        const locals = look?.find((one) => isSame(one, frame))?.locals
        if (locals !== undefined) frame.locals = locals
      }
    }
    return error
  }

  #takeIn() {
    for (
      let next = receiveMessageOnPort(this.#port);
      next !== undefined;
      next = receiveMessageOnPort(this.#port)
    )
      this.#kept.push(next.message)
    this.#kept.splice(0, this.#kept.length - MOST_KEPT)
  }
}

/** A module by its path, without what makes Node read it again. */
function pathOf(script) {
  try {
    return script.startsWith('file:') ? fileURLToPath(script) : script
  } catch {
    return script
  }
}

/** What the thread does. Whole in itself: its text is all that the thread gets. */
function lookOn() {
  const { Session } = require('node:inspector')
  const { parentPort, workerData } = require('node:worker_threads')
  const { port, mostLooks, mostFrames, mostNames } = workerData
  const session = new Session()
  /** Names of scripts; the places of calls have their numbers only. */
  const names = new Map()
  let looks = 0

  const post = (method, params) =>
    new Promise((resolve, reject) => {
      session.post(method, params, (error, answer) => (error ? reject(error) : resolve(answer)))
    })

  const clip = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

  const shown = ({ type, subtype, value, unserializableValue, description = '', preview }) => {
    if (type === 'string') return clip(JSON.stringify(value), 120)
    if (type === 'function') return clip(description.split('\n')[0], 120)
    if (preview === undefined) return clip(String(unserializableValue ?? (description || value)), 120)
    const { properties, entries = [], overflow } = preview
    const parts = [
      ...entries.map(({ key, value: held }) => (key ? `${part(key)} => ${part(held)}` : part(held))),
      ...(entries.length > 0 ? [] : properties).map((one) =>
        subtype === 'array' ? part(one) : `${one.name}: ${part(one)}`,
      ),
      ...(overflow ? ['…'] : []),
    ].join(', ')
    if (subtype === 'array') return clip(`[${parts}]`, 200)
    // The text of a date or an error says it all.
    if (subtype !== undefined && !['map', 'set', 'typedarray', 'proxy'].includes(subtype))
      return clip(description.split('\n')[0], 200)
    return clip(description === 'Object' ? `{ ${parts} }` : `${description} { ${parts} }`, 200)
  }

  const part = ({ type, value, description }) =>
    type === 'string' ? JSON.stringify(value ?? description) : clip(String(value ?? description), 60)

  const valuesIn = async ({ scopeChain }) => {
    const locals = {}
    for (const { type, object } of scopeChain) {
      if (type !== 'local' && type !== 'block' && type !== 'catch') continue
      const { result } = await post('Runtime.getProperties', {
        objectId: object.objectId,
        ownProperties: true,
        generatePreview: true,
      })
      for (const { name, value } of result)
        if (
          value !== undefined &&
          name !== 'this' &&
          !(name in locals) &&
          Object.keys(locals).length < mostNames
        )
          locals[name] = shown(value)
    }
    return locals
  }

  const look = async ({ callFrames }) => {
    const frames = []
    for (const frame of callFrames) {
      const { scriptId, lineNumber } = frame.location
      const script = names.get(scriptId)
      if (script !== undefined && frames.length < mostFrames)
        frames.push({ script, line: lineNumber + 1, locals: await valuesIn(frame) })
    }
    port.postMessage(frames)
  }

  session.on('Debugger.paused', async ({ params }) => {
    try {
      if (/exception|promiseRejection/i.test(params.reason)) await look(params)
      if (++looks === mostLooks) await post('Debugger.setPauseOnExceptions', { state: 'uncaught' })
    } catch {
      // What cannot be seen is not told.
    }
    session.post('Debugger.resume')
  })
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => {
    if (!/^(?:$|node:|mendloop:|data:)/.test(url)) names.set(scriptId, url)
  })
  parentPort.on('message', () => {
    const began = () => parentPort.postMessage('began')
    if (looks < mostLooks) began()
    else session.post('Debugger.setPauseOnExceptions', { state: 'all' }, began)
    looks = 0
  })
  session.connectToMainThread()
  post('Debugger.enable')
    .then(() => post('Debugger.setPauseOnExceptions', { state: 'all' }))
    .then(
      () => parentPort.postMessage('ready'),
      () => process.exit(),
    )
}
