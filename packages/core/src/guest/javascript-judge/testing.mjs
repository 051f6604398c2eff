// node:test as tests use it: named tests, suites, hooks and skips. Each runs after the one before.

/** Names of a suite and of its test stand side by side in a report. */
const BETWEEN = ' > '

/** Collects tests and runs them one after the other; `run(name, work)` does one and says how it went. */
export class Testing {
  #queue = Promise.resolve()
  #suite = { name: '', before: [], after: [], beforeEach: [], afterEach: [], parent: undefined }
  #run
  #skip
  count = 0
  /** True while a test is waited for. */
  open = 0

  constructor({ run, skip }) {
    this.#run = run
    this.#skip = skip
  }

  /** Settles when every test that is known has ended. */
  async drained() {
    for (let queue; queue !== this.#queue; ) {
      queue = this.#queue
      await queue
    }
  }

  /** What `import … from 'node:test'` gives. */
  exports() {
    const test = this.#variants((...given) => this.#test(...given))
    const suite = this.#variants((...given) => this.#describe(...given))
    const hooks = Object.fromEntries(
      ['before', 'after', 'beforeEach', 'afterEach'].map((name) => [
        name,
        (work) => void this.#suite[name].push(work),
      ]),
    )
    const all = { test, it: test, describe: suite, suite, ...hooks }
    return { ...all, default: Object.assign(test, all) }
  }

  #variants(make) {
    const plain = (...given) => make(partsOf(given))
    const but =
      (options) =>
      (...given) => {
        const parts = partsOf(given)
        return make({ ...parts, options: { ...parts.options, ...options } })
      }
    return Object.assign(plain, { skip: but({ skip: true }), todo: but({ todo: true }), only: plain })
  }

  #test({ name, options, work }) {
    const suite = this.#suite
    return this.#enqueue(() => this.#one(suite, fullName(suite, name), options, work))
  }

  #describe({ name, options, work }) {
    const parent = this.#suite
    const suite = {
      name: fullName(parent, name),
      before: [],
      after: [],
      beforeEach: [],
      afterEach: [],
      parent,
    }
    if (options.skip || work === undefined) return this.#skipped(suite.name, options)
    this.#suite = suite
    try {
      const made = work()
      if (typeof made?.then === 'function') throw new TypeError('a suite cannot be asynchronous')
    } finally {
      this.#suite = parent
    }
    return this.#enqueue(async () => {
      for (const hook of suite.after)
        await this.#run(`${suite.name}${BETWEEN}after`, hook, { onlyFailure: true })
    })
  }

  #enqueue(work) {
    this.open++
    const done = this.#queue.then(work).finally(() => this.open--)
    this.#queue = done.catch(() => undefined)
    return done
  }

  async #one(suite, name, options, work) {
    if (options.skip || options.todo || work === undefined) return this.#skipped(name, options)
    this.count++
    await this.#run(name, async () => {
      const suites = []
      for (let one = suite; one !== undefined; one = one.parent) suites.unshift(one)
      for (const one of suites) for (const hook of one.before.splice(0)) await hook()
      try {
        for (const one of suites) for (const hook of one.beforeEach) await hook()
        await called(work, this.#context(name))
      } finally {
        for (const one of suites.reverse()) for (const hook of one.afterEach) await hook()
      }
    })
  }

  /** What a test function is given; its own tests run at once, within it. */
  #context(name) {
    const inner = async (...given) => {
      const { name: own, options, work } = partsOf(given)
      const full = `${name}${BETWEEN}${own}`
      if (options.skip || options.todo || work === undefined) return this.#skipped(full, options)
      this.count++
      return this.#run(full, () => called(work, this.#context(full)), { within: true })
    }
    return { name, test: inner, diagnostic() {}, signal: new AbortController().signal }
  }

  #skipped(name, { skip, todo }) {
    const why = [skip, todo].find((one) => typeof one === 'string') ?? (todo ? 'todo' : 'skipped')
    this.#skip(name, why)
    return Promise.resolve()
  }
}

const fullName = (suite, name) => (suite.name === '' ? name : `${suite.name}${BETWEEN}${name}`)

/** Calls a test function; one with two parameters says by a call when it is done. */
function called(work, context) {
  if (work.length < 2) return work(context)
  return new Promise((resolve, reject) => work(context, (error) => (error ? reject(error) : resolve())))
}

function partsOf(given) {
  const name = given.find((one) => typeof one === 'string')
  const work = given.find((one) => typeof one === 'function')
  const options = given.find((one) => typeof one === 'object' && one !== null) ?? {}
  return { name: name ?? (work?.name || '<anonymous>'), options, work }
}
