// Runs the tests, one after the other, and tells how each went.
import { SILENT } from './endings.mjs'

/** Tests as they run: what the file itself does is one of them. */
export class Runner {
  #link
  #modules
  #report
  #failures
  #name
  #thrown = []
  #requestsWithin = 0
  #assertionsWithin = 0
  #ended = false

  constructor({ link, modules, report, failures, name }) {
    this.#link = link
    this.#modules = modules
    this.#report = report
    this.#failures = failures
    this.#name = name
  }

  /** Evaluates the module and every test in it; settles when nothing is left to wait for. */
  async run(module, testing) {
    const drained = this.#drained()
    this.#report.start(this.#name)
    const began = performance.now()
    try {
      await this.#modules.join(module)
      await module.evaluate()
      await testing.drained()
    } catch (error) {
      this.#thrown.push(error)
    }
    this.#ended = true
    this.#link.keepListening(false)
    // What else was begun and not waited for may still fail.
    if (this.#link.lost === undefined && this.#thrown.length === 0) await drained
    this.#tellTop(performance.now() - began)
  }

  /** One named test. */
  async one(name, work) {
    const { requests } = this.#link
    const { assertions } = this.#modules
    this.#report.start(name)
    this.#link.lastCall = undefined
    const began = performance.now()
    const errors = []
    try {
      await work()
    } catch (error) {
      errors.push(error)
    }
    this.#tell(name, [...errors, ...this.#link.release()], performance.now() - began)
    this.#requestsWithin += this.#link.requests - requests
    this.#assertionsWithin += this.#modules.assertions - assertions
  }

  skip(name, reason) {
    this.#report.test(name, 'not-run', 0, [], reason)
  }

  /** What was thrown where nobody waits for it. */
  stray(error) {
    this.#link.hold(error)
  }

  /** Node has nothing left to do. What the program may still bring about is waited for, until all tests have ended. */
  #drained() {
    return new Promise((resolve) => {
      process.on('beforeExit', () => {
        if (this.#ended || this.#link.lost !== undefined) resolve()
        else this.#link.keepListening(true)
      })
    })
  }

  #tellTop(durationMs) {
    const errors = [...this.#thrown, ...this.#link.release()]
    const asked = this.#link.requests - this.#requestsWithin
    const checked = this.#modules.assertions - this.#assertionsWithin
    if (errors.length > 0 || asked > 0 || checked > 0) this.#tell(this.#name, errors, durationMs)
  }

  #tell(name, errors, durationMs) {
    const failing = [...new Set(errors)].filter((error) => error?.[SILENT] !== true)
    const failures = failing.flatMap((error) => this.#failures.describe(error, this.#link.lastCall) ?? [])
    this.#report.test(name, failing.length > 0 ? 'fail' : 'pass', durationMs, failures)
  }
}
