// What went wrong in a test, told so that a program can be mended by it.
import { AssertionError } from 'node:assert'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Lost, Misuse, NotThere, SILENT, shown, Undecided } from './endings.mjs'
import { faultyLine } from './syntax.mjs'

/** The name that the tests have in a stack. */
export const TESTS = 'mendloop-tests.mjs'

const MOST_MESSAGE = 4000
const MOST_FRAMES = 20
const CALL = /^\s+at (?:async )?(?:(.+?) \()?((?:file:\/\/)?\/[^\n()]*?):(\d+):(\d+)\)?$/u

/** Makes the report's failures from what was thrown. */
export class Failures {
  #link
  #sources
  #tests
  #workdir

  constructor({ link, sources, tests, workdir }) {
    this.#link = link
    this.#sources = sources
    this.#tests = tests.split(/\r\n|\r|\n/u)
    this.#workdir = workdir
  }

  /** One failure; undefined for what is told elsewhere: that the program is gone. */
  describe(error, input) {
    if (error instanceof Lost || error?.[SILENT] === true) return undefined
    if (error instanceof Misuse) return { kind: 'custom', message: messageOf(error), misuse: true }
    if (error instanceof Undecided) return this.#told('assertion', messageOf(error), error, input)
    if (error instanceof AssertionError) return this.#assertion(error, input)
    if (this.#link.facts.has(error)) return this.#raised(error, input)
    if (error instanceof NotThere) return { kind: error.kind, message: error.message, absent: error.absent }
    const isMissing = error instanceof TypeError && /is not a (?:function|constructor)/u.test(error.message)
    return this.#told(isMissing ? 'missing-entry' : 'exception', messageOf(error), error, input)
  }

  #told(kind, message, error, input) {
    const line = this.#lineOf(error)
    return { kind, message: line === undefined ? message : `${message} (line ${line} of the tests)`, input }
  }

  #assertion(error, input) {
    const { actual, expected, operator, generatedMessage } = error
    const line = this.#lineOf(error)
    const statement = line === undefined ? '' : this.#tests[line - 1].trim()
    const isComparison = /qual|match|^[=!<>]+$/u.test(operator ?? '')
    const said =
      generatedMessage && statement !== '' && (isComparison || operator === undefined)
        ? statement
        : error.message
    return {
      kind: 'assertion',
      message: `AssertionError: ${said.slice(0, MOST_MESSAGE)}${line === undefined ? '' : ` (line ${line} of the tests)`}`,
      input,
      ...(isComparison && { expected: shown(expected), actual: shown(actual) }),
    }
  }

  /** What the program threw. */
  #raised(error, input, depth = 0) {
    const { stack } = this.#link.facts.get(error)
    const place = error instanceof SyntaxError ? this.#syntax(stack) : undefined
    const isModule = error.code === 'ERR_MODULE_NOT_FOUND'
    const { cause } = error
    return {
      kind: place !== undefined ? 'syntax' : isModule ? 'import' : 'exception',
      message: messageOf(error),
      input,
      frames: this.#frames(stack),
      ...(place !== undefined && { syntax: place }),
      ...(depth < 3 &&
        this.#link.facts.has(cause) &&
        cause instanceof Error && { cause: this.#raised(cause, undefined, depth + 1) }),
    }
  }

  #frames(stack) {
    const frames = String(stack)
      .split('\n')
      .flatMap((text) => {
        const [, name, file, line] = CALL.exec(text) ?? []
        const path = file === undefined ? undefined : this.#own(file)
        if (path === undefined) return []
        const source = this.#sources[path].split(/\r\n|\r|\n/u)[line - 1] ?? ''
        return [[path, Number(line), name ?? '<module>', source.trim()]]
      })
    return frames.slice(0, MOST_FRAMES).reverse()
  }

  /** The path of one of the program's files. */
  #own(file) {
    let path
    try {
      path = relative(
        this.#workdir,
        file.startsWith('file:') ? fileURLToPath(file.replace(/\?.*$/u, '')) : file,
      )
    } catch {
      return undefined
    }
    return Object.hasOwn(this.#sources, path) ? path : undefined
  }

  /** Where one of the program's files does not parse; undefined for an error that its code made. */
  #syntax(stack) {
    if (this.#frames(stack).length > 0) return undefined
    for (const [path, text] of Object.entries(this.#sources)) {
      const [, kind] = /\.([cm]?)js$/u.exec(path) ?? []
      const line = kind === undefined ? undefined : faultyLine(text, kind === 'c' ? 'commonjs' : 'module')
      if (line !== undefined) return [path, line, 0]
    }
    return undefined
  }

  #lineOf(error) {
    const found = new RegExp(`${TESTS}:(\\d+)`, 'u').exec(String(error?.stack ?? ''))
    return found === null ? undefined : Number(found[1])
  }
}

function messageOf(error) {
  if (!(error instanceof Error)) return `thrown: ${shown(error)}`.slice(0, MOST_MESSAGE)
  const name = String(error.name)
  return `${name}: ${String(error.message)}`.slice(0, MOST_MESSAGE)
}
