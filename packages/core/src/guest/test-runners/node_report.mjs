// The report of a run as JUnit XML under a seal, and what must not change while tests run. The program is in other processes.
import { createHmac } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import process from 'node:process'

const LONGEST = 20000

/** The orders of the host, from standard input. */
export const readOrders = () => JSON.parse(readFileSync(0, 'utf8'))

const escaped = (value) => {
  const text = String(value ?? '')
  const cut =
    text.length > LONGEST ? `${text.slice(0, LONGEST / 2)}\n[...]\n${text.slice(-LONGEST / 2)}` : text
  return cut
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"\t\n\r]/g, (one) => `&#${one.charCodeAt(0)};`)
}

/** Collects what became of each test; `finish` writes it and ends the process. */
export class Report {
  #cases = []
  #path
  #key

  constructor({ report, key }) {
    this.#path = report
    this.#key = Buffer.from(key, 'hex')
  }

  test(name, status, { ms = 0, type = '', message = '', details = '' } = {}, suite = '') {
    const tag = { fail: 'failure', 'not-run': 'skipped' }[status]
    const told =
      tag && `<${tag} type="${escaped(type)}" message="${escaped(message)}">${escaped(details)}</${tag}>`
    const head = `classname="${escaped(suite)}" name="${escaped(name)}" time="${ms / 1000}"`
    this.#cases.push(`<testcase ${head}>${told ?? ''}</testcase>`)
  }

  /** Something is wrong with the whole run. */
  problem(type, message) {
    this.test('run', 'fail', { type, message }, 'mendloop')
  }

  finish(status = 0) {
    const body = `<testsuites><testsuite>${this.#cases.join('')}</testsuite></testsuites>`
    const seal = createHmac('sha256', this.#key).update(body).digest('hex')
    mkdirSync(dirname(this.#path), { recursive: true })
    writeFileSync(this.#path, `${body}<!--${seal}-->`)
    process.exit(status)
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
