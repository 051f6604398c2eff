// Runs one cell the way a debugger's console does: names may be declared again, `await` stands anywhere, and the value
// of the last expression is known.
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { Debugger } from './node_debugger.mjs'
import { CellExit, describe, hideOurFrames, noteUncaught, placed } from './node_failures.mjs'
import { HostError } from './node_host.mjs'
import { rewriteImports } from './node_imports.mjs'
import { kept, lend, takeBack } from './node_lending.mjs'
import { LocalValues } from './node_locals.mjs'

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
  #debugger = new Debugger()
  #displays
  #workspace
  #sources = new Map()
  #modules = new Map()
  #globals
  #running

  #values

  constructor({ workspace, displays, importHere, hidden, locals }) {
    this.#workspace = workspace
    if (locals) this.#values = new LocalValues()
    this.#displays = displays
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
    process.on('uncaughtException', (error) => kept(() => this.#uncaught(error)))
    process.on('unhandledRejection', (error) => kept(() => this.#uncaught(error)))
    this.#globals = new Set(Object.getOwnPropertyNames(globalThis))
  }

  #require

  /** Runs `code` as the file `file`. @returns what became of it, as plain data */
  async run({ code, file }) {
    this.#dropChanged()
    await this.#values?.start()
    hideOurFrames(this.#sources)
    const url = file.replace(/\s/g, '-')
    const source = { url, file, lines: code.split(/\r\n|[\n\r\u2028\u2029]/) }
    this.#sources.set(url, source).set(file, source)
    let report = { ok: true }
    try {
      const value = await this.#execute(`${rewriteImports(code)}\n//# sourceURL=${url}`, url)
      takeBack()
      if (value !== undefined) report.value = this.#displays.bundle(value)
    } catch (error) {
      takeBack()
      report =
        error instanceof CellExit
          ? { ok: error.code === 0, exit: error.code }
          : { ok: false, error: this.#described(error) }
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
  async #execute(expression, url) {
    const { value } = await new Promise((resolve, reject) => {
      this.#running = { resolve, reject }
      start = () => {
        lend()
        this.#debugger.evaluate(expression, (outcome, details) => {
          if (details !== undefined) reject(located(outcome, details, this.#sources.get(url)))
          // Wrapped: a promise is waited for below, where an interrupt ends the waiting.
          else resolve({ value: outcome })
        })
      }
      try {
        // Only so can a signal end code that never waits.
        starter.runInThisContext({ breakOnSigint: true })
      } catch {
        reject(new Interrupted('the cell was interrupted'))
      }
      this.#debugger.stopWatching()
    })
    return value instanceof Promise ? await this.#awaited(value) : value
  }

  /** A promise as the last value is waited for: what it does belongs to this cell. */
  #awaited(promise) {
    return new Promise((resolve, reject) => {
      this.#running = { resolve, reject }
      promise.then(resolve, reject)
      lend()
    })
  }

  #described(error) {
    const told = describe(error, this.#sources)
    return this.#values?.addTo(told, (path) => this.#sources.get(path)?.file ?? path) ?? told
  }

  #uncaught(error) {
    if (error instanceof CellExit) this.#running?.reject(error)
    // A call that was dropped with its cell: nobody waited for it.
    else if (error instanceof HostError && error.code === 'closed') return
    else noteUncaught(error, this.#sources)
  }

  /** What the cells have defined so far. */
  async #names() {
    const declared = await this.#debugger.names()
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

  /** Forgets the workspace's modules whose file has changed, and those that have required them, directly or not. */
  #dropChanged() {
    const { cache } = this.#require
    const old = new Set([...this.#modules.keys()].filter((path) => stateOf(path) !== this.#modules.get(path)))
    // A set that grows while it is walked.
    for (const changed of old)
      for (const path of this.#modules.keys())
        if (cache[path]?.children.some(({ filename }) => filename === changed)) old.add(path)
    for (const path of old) {
      delete cache[path]
      this.#modules.delete(path)
    }
  }
}

let start = () => undefined
globalThis.__sessionStart = () => start()
const starter = new Script('__sessionStart()', { filename: 'mendloop:node_start' })
Object.defineProperty(globalThis, '__sessionStart', { enumerable: false })

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
