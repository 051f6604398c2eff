// Runs test files under node:test, each in a process of its own, and keeps what they tell in a sealed report.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { run } from 'node:test'
import { namesIn, Report, readOrders, toldError, watchFiles } from './node_report.mjs'

const orders = readOrders()
const report = new Report(orders)
const tellChanges = watchFiles(orders.files)
const many = orders.tests.length > 1
// Read before the first of them runs.
const files = orders.tests.map((path) => ({ path, full: resolve(path), names: namesIn(path) }))

const preload = readFileSync(new URL('node_preload.mjs', import.meta.url), 'utf8')
process.env.MENDLOOP_NODE_OPTIONS = process.env.NODE_OPTIONS ?? ''
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=data:text/javascript,${encodeURIComponent(preload)}`

const keyOf = ({ name, nesting, file, line, column }) => JSON.stringify([name, nesting, file, line, column])

/** What one file tells. Its run is its own: a test that a helper registers has the helper's name as its place. */
class FileRun {
  #file
  #stack = []
  #pending = new Map()
  #seen = new Set()
  #failed
  #errors = ''

  constructor(file) {
    this.#file = file
  }

  run() {
    const stream = run({ files: [this.#file.full], concurrency: 1 })
    stream.on('test:start', ({ nesting, name }) => {
      this.#stack.length = nesting
      this.#stack[nesting] = name
    })
    stream.on('test:enqueue', (data) => this.#waiting(data, 1))
    stream.on('test:pass', (data) => this.#ended('pass', data))
    stream.on('test:fail', (data) => this.#ended('fail', data))
    stream.on('test:stderr', ({ message }) => {
      this.#errors = (this.#errors + message).slice(-4000)
    })
    stream.on('error', (error) => report.problem('early-exit', String(error)))
    stream.resume()
    return new Promise((done) => {
      stream.on('end', done)
      stream.on('close', done)
    })
  }

  #isWhole({ name, nesting }) {
    return nesting === 0 && resolve(name) === this.#file.full
  }

  #waiting(data, by) {
    if (this.#isWhole(data)) return
    const key = keyOf(data)
    this.#pending.set(key, { name: data.name, count: (this.#pending.get(key)?.count ?? 0) + by })
  }

  #ended(status, data) {
    const { name, nesting, details = {}, skip, todo } = data
    if (this.#isWhole(data)) return this.#endedWhole(status, data)
    this.#waiting(data, -1)
    const isSuite = details.type === 'suite'
    const reason = skip ?? todo
    const isPartly = details.error?.failureType === 'subtestsFailed'
    if (isSuite && (status === 'pass' || isPartly) && reason === undefined) return
    this.#seen.add(name)
    const full = [...this.#stack.slice(0, nesting), name].join('.')
    const shown = many ? `${this.#file.path}::${full}` : full
    const ms = details.duration_ms ?? 0
    if (reason !== undefined && reason !== false)
      report.test(shown, 'not-run', {
        ms,
        type: 'skipped',
        message: typeof reason === 'string' ? reason : todo ? 'todo' : '',
      })
    else report.test(shown, status, { ms, ...(status === 'fail' && toldError(details.error)) })
  }

  /** A file is a test too, of which only the failure counts. */
  #endedWhole(status, { details }) {
    if (status !== 'fail') return
    const { exitCode, signal } = details?.error ?? {}
    const how =
      exitCode === 97
        ? 'the program replaced what belongs to the runner'
        : signal
          ? `signal ${signal}`
          : `exit code ${exitCode}`
    this.#failed = `The process of ${this.#file.path} ended badly (${how}).`
  }

  tell() {
    const { path, names } = this.#file
    const failed = this.#failed
    if (failed !== undefined && this.#seen.size === 0)
      report.test(path, 'fail', { message: this.#lastError() ?? failed, details: this.#errors })
    else if (failed !== undefined) report.problem('early-exit', failed)
    else if (this.#seen.size === 0 && (orders.named || names.length > 0))
      report.problem('early-exit', `No test of ${path} ran, and its process ended with exit code 0.`)
    for (const { name, count } of this.#pending.values())
      if (count > 0) report.problem('early-exit', `The test ${name} did not run to its end.`)
    for (const name of names)
      if (!this.#seen.has(name) && failed === undefined)
        report.problem('early-exit', `The test ${name} did not run.`)
  }

  /** The line of an uncaught error that says what it was. */
  #lastError() {
    return this.#errors.split('\n').find((line) => /^\w*(?:Error|Exception)\b/.test(line))
  }
}

const runs = files.map((file) => new FileRun(file))
for (const one of runs) await one.run()
tellChanges(report)
for (const one of runs) one.tell()
report.finish()
