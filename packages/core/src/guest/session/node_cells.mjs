// Runs one cell the way a debugger's console does: names may be declared again, `await` stands anywhere, and the value
// of the last expression is known.
import { statSync } from 'node:fs'
import inspector from 'node:inspector'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { CellExit, describe, hideOurFrames, noteUncaught, placed } from './node_failures.mjs'
import { rewriteImports } from './node_imports.mjs'

const MOST_NAMES = 200
const NOTHING = new Int32Array(new SharedArrayBuffer(4))
const LATE_INTERRUPT_MS = 20

/** What an interrupted cell ends with. */
class Interrupted extends Error {
  // Where it was noticed says nothing of the cell.
  stack = 'Interrupted: the cell was interrupted'
}
Interrupted.prototype.name = 'Interrupted'

/** The cells of one session. */
export class Cells {
  #session = new inspector.Session()
  #displays
  #workspace
  #sources = new Map()
  #modules = new Map()
  #globals
  #running
  #taken
  #takerId

  constructor({ workspace, displays, importHere, hidden }) {
    this.#workspace = workspace
    this.#displays = displays
    this.#session.connect()
    Error.stackTraceLimit = 40
    const require = createRequire(join(workspace, 'cell.js'))
    hidden('require', require)
    const load = async (specifier, options, names = []) => {
      const module = await importHere(this.#locate(String(specifier)), options)
      const missing = names.find((name) => !(name in module))
      if (missing === undefined) return module
      const problem = `The requested module '${specifier}' does not provide an export named '${missing}'`
      throw Object.assign(new SyntaxError(problem), { stack: `SyntaxError: ${problem}` })
    }
    hidden('__sessionImport', (...what) => placed(() => load(...what)))
    hidden('__sessionMeta', { url: pathToFileURL(join(workspace, 'cell.js')).href, dirname: workspace })
    this.#require = require
    process.exit = (code = process.exitCode ?? 0) => {
      throw new CellExit(Number(code) & 255)
    }
    process.on('SIGINT', () => this.#running?.reject(new Interrupted('the cell was interrupted')))
    process.on('uncaughtException', (error) => this.#uncaught(error))
    process.on('unhandledRejection', (error) => this.#uncaught(error))
    this.#globals = new Set(Object.getOwnPropertyNames(globalThis))
    this.#prepareTaker()
  }

  #require

  /** Runs `code` as the file `file`. @returns what became of it, as plain data */
  async run({ code, file }) {
    this.#dropChanged()
    hideOurFrames(this.#sources)
    const url = file.replace(/\s/g, '-')
    const source = { url, file, lines: code.split(/\r\n|[\n\r\u2028\u2029]/) }
    this.#sources.set(url, source).set(file, source)
    let report = { ok: true }
    try {
      const value = await this.#execute(`${rewriteImports(code)}\n//# sourceURL=${url}`, url)
      if (value !== undefined) report.value = this.#displays.bundle(value)
    } catch (error) {
      report =
        error instanceof CellExit
          ? { ok: error.code === 0, exit: error.code }
          : { ok: false, error: describe(error, this.#sources) }
    }
    this.#running = undefined
    if (report.ok && process.exitCode) report = { ...report, ok: false, exit: Number(process.exitCode) & 255 }
    process.exitCode = undefined
    this.#rememberModules()
    return { ...report, names: await this.#names() }
  }

  /**
   * Node's watchdog keeps an interrupt that comes while a cell ends, and would end the next one with it. It is woken
   * by a cell of ours that does nothing for a while.
   */
  takeLateInterrupt() {
    start = () => Atomics.wait(NOTHING, 0, 0, LATE_INTERRUPT_MS)
    try {
      starter.runInThisContext({ breakOnSigint: true })
    } catch {
      // Here it was.
    }
  }

  /** Runs it to its end, an awaited promise included. An interrupt ends the waiting, or the running. */
  #execute(expression, url) {
    return new Promise((resolve, reject) => {
      this.#running = { resolve, reject }
      const settle = (error, answer) => {
        if (error) return giveUp(error)
        const { result, exceptionDetails } = answer
        const value = this.#fetch(exceptionDetails?.exception ?? result)
        // Wrapped: a promise is waited for below, where an interrupt ends the waiting.
        if (exceptionDetails === undefined) resolve({ value })
        else reject(located(value, exceptionDetails, this.#sources.get(url)))
      }
      start = () =>
        this.#session.post('Runtime.evaluate', { expression, replMode: true, awaitPromise: true }, settle)
      try {
        // Only so can a signal end code that never waits.
        starter.runInThisContext({ breakOnSigint: true })
      } catch {
        reject(new Interrupted('the cell was interrupted'))
      }
    }).then(({ value }) => (value instanceof Promise ? this.#awaited(value) : value))
  }

  /** A promise as the last value is waited for: what it does belongs to this cell. */
  #awaited(promise) {
    return new Promise((resolve, reject) => {
      this.#running = { resolve, reject }
      promise.then(resolve, reject)
    })
  }

  /** The debugger speaks of objects by number; a function of ours gets the object itself. */
  #prepareTaker() {
    globalThis.__sessionTake = (value) => {
      this.#taken = value
    }
    this.#session.post('Runtime.evaluate', { expression: '__sessionTake' }, (_, answer) => {
      this.#takerId = answer.result.objectId
    })
    delete globalThis.__sessionTake
  }

  #fetch(remote) {
    this.#taken = undefined
    if (remote.objectId === undefined) return primitive(remote)
    const call = { objectId: this.#takerId, functionDeclaration: 'function (value) { this(value) }' }
    this.#session.post('Runtime.callFunctionOn', { ...call, arguments: [{ objectId: remote.objectId }] })
    this.#session.post('Runtime.releaseObject', { objectId: remote.objectId })
    return this.#taken
  }

  #uncaught(error) {
    if (error instanceof CellExit) this.#running?.reject(error)
    else noteUncaught(error, this.#sources)
  }

  /** What the cells have defined so far. */
  async #names() {
    const declared = await new Promise((resolve) =>
      this.#session.post('Runtime.globalLexicalScopeNames', {}, (error, answer) =>
        error ? giveUp(error) : resolve(answer.names),
      ),
    )
    const own = Object.getOwnPropertyNames(globalThis).filter((name) => !this.#globals.has(name))
    return [...new Set([...declared, ...own])]
      .map((name) => name.slice(0, 100))
      .sort()
      .slice(0, MOST_NAMES)
  }

  /** A file of the workspace by its state as well, so that one that has changed is read again. */
  #locate(specifier) {
    if (!/^\.{0,2}\//.test(specifier)) return specifier
    const url = new URL(specifier, pathToFileURL(join(this.#workspace, '/')))
    const state = stateOf(url)
    return state === undefined ? url.href : `${url.href}?${state}`
  }

  #rememberModules() {
    for (const path of Object.keys(this.#require.cache))
      if (path.startsWith(this.#workspace) && !path.includes('node_modules') && !this.#modules.has(path))
        this.#modules.set(path, stateOf(path))
  }

  /** Forgets the workspace's modules when the file of one has changed: others may hold what they took from it. */
  #dropChanged() {
    if ([...this.#modules].every(([path, state]) => stateOf(path) === state)) return
    for (const path of this.#modules.keys()) delete this.#require.cache[path]
    this.#modules.clear()
  }
}

let start = () => undefined
globalThis.__sessionStart = () => start()
const starter = new Script('__sessionStart()', { filename: 'mendloop:node_start' })
Object.defineProperty(globalThis, '__sessionStart', { enumerable: false })

/**
 * An interrupt that comes while the debugger itself is at work costs it its context, and with it every later cell:
 * better to end, which is told, than to go on as if variables were still there.
 */
function giveUp(error) {
  process.stderr.write(`an interrupt has broken the session: ${error.message}\n`)
  process.kill(process.pid, 'SIGKILL')
}

function primitive({ type, value, unserializableValue }) {
  if (unserializableValue === undefined) return value
  return type === 'bigint' ? BigInt(unserializableValue.slice(0, -1)) : Number(unserializableValue)
}

/** A syntax error says where it is only to the debugger. */
function located(error, { lineNumber }, { url, file, lines }) {
  if (error instanceof SyntaxError && !String(error.stack).includes(`${file}:`))
    Object.defineProperty(error, 'cellPlace', {
      value: { url, line: Math.min(lineNumber + 1, lines.length) },
      enumerable: false,
    })
  return error
}

function stateOf(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.mtimeMs}-${found.size}-${found.ino}`
}
