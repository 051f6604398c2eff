// The report of a run as JUnit XML under a seal, and what must not change while tests run. The program is in other processes.
import { createHmac } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import process from 'node:process'

const LONGEST = 20000

// Taken before anything of the program's could run in this process, and called without looking anything up again.
const { bind, call } = Function.prototype
const uncurried = bind.bind(call)
const [join, push] = [Array.prototype.join, Array.prototype.push].map((one) => uncurried(one))
const [charCodeAt, slice] = [String.prototype.charCodeAt, String.prototype.slice].map((one) => uncurried(one))
const hmac = Object.getPrototypeOf(createHmac('sha256', ''))
const [update, digest] = [hmac.update, hmac.digest].map((one) => uncurried(one))
const [sign, makeFolder, writeFile, text] = [createHmac, mkdirSync, writeFileSync, String]
const bytesOf = Buffer.from
const end = bind.call(process.reallyExit, process)

/** The orders of the host, from standard input. */
export const readOrders = () => JSON.parse(readFileSync(0, 'utf8'))

function escaped(value) {
  const whole = text(value ?? '')
  const cut =
    whole.length > LONGEST
      ? `${slice(whole, 0, LONGEST / 2)}\n[...]\n${slice(whole, whole.length - LONGEST / 2)}`
      : whole
  let safe = ''
  for (let at = 0; at < cut.length; at++) safe += escapedAt(cut, at)
  return safe
}

/** One unit of the text, as XML may hold it. */
function escapedAt(all, at) {
  const code = charCodeAt(all, at)
  const isPlain =
    code >= 0x20 && code < 0xd800 && code !== 0x22 && code !== 0x26 && code !== 0x3c && code !== 0x3e
  if (isPlain || (code >= 0xe000 && code <= 0xfffd)) return all[at]
  if (code < 0xd800) return code >= 0x20 || code === 9 || code === 10 || code === 13 ? `&#${code};` : '\ufffd'
  const isPair = code < 0xdc00 ? isLow(all, at + 1) : isLow(all, at) && isHigh(all, at - 1)
  return isPair ? all[at] : '\ufffd'
}

const isHigh = (all, at) => at >= 0 && charCodeAt(all, at) >= 0xd800 && charCodeAt(all, at) < 0xdc00
const isLow = (all, at) => at < all.length && charCodeAt(all, at) >= 0xdc00 && charCodeAt(all, at) < 0xe000

/** Collects what became of each test; `finish` writes it and ends the process. */
export class Report {
  #cases = []
  #path
  #folder
  #key

  constructor({ report, key }) {
    this.#path = resolve(report)
    this.#folder = dirname(this.#path)
    this.#key = bytesOf(key, 'hex')
  }

  test(name, status, { ms = 0, type = '', message = '', details = '' } = {}, suite = '') {
    const tag = status === 'fail' ? 'failure' : status === 'not-run' ? 'skipped' : undefined
    const told =
      tag && `<${tag} type="${escaped(type)}" message="${escaped(message)}">${escaped(details)}</${tag}>`
    const head = `classname="${escaped(suite)}" name="${escaped(name)}" time="${ms / 1000}"`
    push(this.#cases, `<testcase ${head}>${told ?? ''}</testcase>`)
  }

  /** Something is wrong with the whole run. */
  problem(type, message) {
    this.test('run', 'fail', { type, message }, 'mendloop')
  }

  /** At once, so that nothing of the program's runs after the report. */
  finish(status = 0) {
    const body = `<testsuites><testsuite>${join(this.#cases, '')}</testsuite></testsuites>`
    const seal = digest(update(sign('sha256', this.#key), body), 'hex')
    makeFolder(this.#folder, { recursive: true })
    writeFile(this.#path, `${body}<!--${seal}-->`)
    end(status)
  }
}

/** Makes the files read-only and remembers their state. @returns tells the first that has changed since */
export function watchFiles(paths) {
  const stateOf = (path) => {
    const { ino, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? {}
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
  }
  for (const path of paths) chmodSync(path, 0o444)
  const states = new Map(paths.map((path) => [path, stateOf(path)]))
  return (report) => {
    for (const [path, state] of states)
      if (stateOf(path) !== state)
        report.problem('denied', `The program changed ${path}, which belongs to the tests.`)
  }
}

/** Names of tests that surely stand in a file: calls at the start of a line with a plain text. */
export function namesIn(path) {
  const source = readFileSync(resolve(path), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  const calls = source.matchAll(/^(?:await )?(?:test|it)\(\s*(['"`])((?:(?!\1)[^\\\n$])+)\1/gm)
  return [...calls].map((call) => call[2])
}

/** What of an error a report tells. */
export function toldError(error) {
  const cause = error?.cause instanceof Error ? error.cause : error
  const stack = typeof cause?.stack === 'string' ? cause.stack : String(cause)
  const name = cause?.name ?? ''
  const said = String(cause?.message ?? cause)
  return {
    type: error?.failureType === 'testTimeoutFailure' ? 'testTimeoutFailure' : name,
    message: name === '' || name === 'AssertionError' ? said : `${name}: ${said}`,
    details: stack,
  }
}
