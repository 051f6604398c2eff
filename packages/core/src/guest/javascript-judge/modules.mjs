// The tests as a module: what they import from Node is the judge's, everything else is the program's.
import assert from 'node:assert'
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { SourceTextModule, SyntheticModule } from 'node:vm'
import { NotThere } from './endings.mjs'
import { TESTS } from './failures.mjs'

const ENDINGS = ['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '/index.ts', '/index.js']
const UNCOUNTED = new Set(['AssertionError', 'CallTracker', 'Assert', 'strict', 'default'])

/** Where imports of the tests lead. */
export class Modules {
  /** How many assertions ran. */
  assertions = 0
  #link
  #sources
  #built
  #testing
  #known = new Map()

  constructor({ link, sources, built, testing }) {
    this.#link = link
    this.#sources = sources
    this.#built = built
    this.#testing = testing
  }

  /** The tests, ready to be evaluated. @throws SyntaxError when they do not parse */
  async tests(source) {
    return new SourceTextModule(source, {
      identifier: TESTS,
      initializeImportMeta: (meta) => Object.assign(meta, { url: `file:///${TESTS}`, main: true }),
      importModuleDynamically: (specifier) => this.#find(specifier),
    })
  }

  /** Joins the tests with what they import. */
  async join(module) {
    try {
      await module.link((specifier) => this.#find(specifier))
    } catch (error) {
      const [, from, name] =
        /module '(.*)' does not provide an export named '(.*)'/u.exec(error?.message) ?? []
      if (!(error instanceof SyntaxError) || name === undefined || this.#link.facts.has(error)) throw error
      throw new NotThere(`${posix.normalize(from)} exports no "${name}"`, { kind: 'missing-entry' })
    }
  }

  #find(specifier) {
    if (!this.#known.has(specifier)) this.#known.set(specifier, this.#made(specifier))
    return this.#known.get(specifier)
  }

  async #made(specifier) {
    const exported = await this.#exported(specifier)
    const module = new SyntheticModule(
      Object.keys(exported),
      () => {
        for (const [name, value] of Object.entries(exported)) module.setExport(name, value)
      },
      { identifier: specifier },
    )
    await module.link(() => undefined)
    await module.evaluate()
    return module
  }

  async #exported(specifier) {
    const name = specifier.replace(/^node:/u, '')
    if (name === 'test' && specifier !== 'test') return this.#testing.exports()
    if (name === 'assert' || name === 'assert/strict')
      return this.#counted(name === 'assert' ? assert : assert.strict)
    if (isBuiltin(specifier)) return this.#builtIn(specifier)
    return this.#fromProgram(specifier)
  }

  /** Where it is passed to the program, that gets its own. */
  async #builtIn(specifier) {
    const exported = { ...(await import(specifier)) }
    for (const [name, value] of Object.entries(exported))
      if (typeof value === 'function' || name === 'default') this.#link.builtIns.set(value, [specifier, name])
    return exported
  }

  async #fromProgram(specifier) {
    const isFile = /^\.{0,2}\//u.test(specifier)
    const path = isFile ? this.#fileOf(specifier) : specifier
    try {
      const [names, values] = await this.#link.ask('import', isFile ? `./${this.#built[path] ?? path}` : path)
      for (const [index, name] of names.entries()) this.#link.label(values[index], String(name))
      return Object.fromEntries(names.map((name, index) => [String(name), values[index]]))
    } catch (error) {
      if (error?.code !== 'ERR_MODULE_NOT_FOUND' || isFile) throw error
      throw new NotThere(String(error.message), { kind: 'import', absent: specifier })
    }
  }

  /** The file that a specifier means: as written, `.js` for `.ts` as compilers have it, or without an ending. */
  #fileOf(specifier) {
    const wanted = posix.normalize(specifier)
    const typed = wanted.replace(/\.([cm]?)js(x?)$/u, '.$1ts$2')
    const names = [wanted, typed, ...ENDINGS.map((ending) => `${wanted}${ending}`)]
    return names.find((one) => Object.hasOwn(this.#sources, one)) ?? wanted
  }

  /** `node:assert`, with every assertion counted, and those that compare what is the program's own. */
  #counted(original) {
    const wrapped =
      (own, isDeep) =>
      (...given) => {
        this.assertions++
        if (isDeep && given.slice(0, 2).some((one) => this.#link.numberOf(one) !== undefined))
          this.#link.weakComparisons++
        return own(...given)
      }
    const copy = wrapped(original, false)
    for (const [name, own] of Object.entries(original))
      copy[name] = typeof own === 'function' && !UNCOUNTED.has(name) ? wrapped(own, /deep/iu.test(name)) : own
    copy.strict = original === assert.strict ? copy : this.#counted(assert.strict)
    return { ...copy, default: copy }
  }
}
