// The judge: starts the candidate behind walls, only then reads the tests, runs them and reports on an output of its own.
import { spawn } from 'node:child_process'
import { Console } from 'node:console'
import { realpathSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { SILENT } from './endings.mjs'
import { Failures } from './failures.mjs'
import { Link } from './link.mjs'
import { Modules } from './modules.mjs'
import { Runner } from './running.mjs'
import { faultyLine } from './syntax.mjs'
import { Testing } from './testing.mjs'
import { ANSWERS, pack, REQUESTS, readExactly, writeAll } from './wire.mjs'

const MOST_REPORT_CHARS = 4_000_000
const MOST_MESSAGE = 300
const ENDING_MS = 500
const CANDIDATES = ['wire', 'primitives', 'shapes', 'sharing', 'codec', 'operations', 'peer', 'candidate']
const { exit } = process

/** Lines of JSON, each with the secret of this run, on a descriptor that the candidate never had. */
class Report {
  tests = 0
  #nonce
  #left = MOST_REPORT_CHARS

  constructor(nonce) {
    this.#nonce = nonce
  }

  line(event, facts = {}) {
    const text = `${JSON.stringify({ nonce: this.#nonce, event, ...facts })}\n`
    this.#left -= text.length
    writeAll(1, Buffer.from(text))
  }

  start(name) {
    if (this.#left > 0) this.line('start', { name })
  }

  test(name, status, milliseconds = 0, failures = [], reason = undefined) {
    const brief = ({ kind, message }) => ({ kind, message: message.slice(0, MOST_MESSAGE) })
    this.tests++
    this.line('test', {
      name,
      status,
      durationMs: Math.round(milliseconds * 1000) / 1000,
      failures: this.#left > 0 ? failures : failures.map(brief),
      ...(reason !== undefined && { reason }),
    })
  }
}

export async function main({ options, programs }) {
  const { child, isPrivate } = start(options, programs)
  // The candidate is a process of its own and runs none of the program's code yet: now the tests may be read.
  const secret = JSON.parse(readExactly(0, readExactly(0, 4).readUInt32BE()).toString('utf8'))
  const report = new Report(secret.nonce)
  if (child === undefined) {
    report.line('refused', { reason: 'this system has no pipes between processes' })
    exit(0)
  }
  const ended = new Promise((resolve) =>
    child.once('exit', (code, signal) => resolve(statusOf(code, signal))),
  )
  const link = new Link({
    requests: descriptor(child, REQUESTS),
    answers: descriptor(child, ANSWERS),
    bell: child.stdio[REQUESTS],
  })
  link.onSlow = () => report.line('slow', { call: link.lastCall ?? null })
  surround()
  report.line('ready', { private: isPrivate })
  try {
    if (!(await judge({ options, secret, link, report }))) exit(0)
  } catch (error) {
    writeSync(2, `the judge failed: ${error?.stack}\n`)
    exit(70)
  }
  link.closing = true
  const status = link.lost === undefined ? null : await Promise.race([ended, pause()])
  child.kill('SIGKILL')
  const lost =
    link.lost === undefined ? null : { how: link.lost, problem: link.problem.slice(0, MOST_MESSAGE), status }
  report.line('end', { tests: report.tests, weakComparisons: link.weakComparisons, lost })
  exit(0)
}

/** Runs all tests; false when they cannot be run. */
async function judge({ options: { sources, built }, secret: { tests, name }, link, report }) {
  const failures = new Failures({ link, sources, tests, workdir: realpathSync(process.cwd()) })
  const testing = new Testing({
    run: (one, work) => runner.one(one, work),
    skip: (one, reason) => runner.skip(one, reason),
  })
  const modules = new Modules({ link, sources, built, testing })
  const runner = new Runner({ link, modules, report, failures, name })
  let module
  try {
    module = await modules.tests(tests)
  } catch (error) {
    report.line('refused', {
      reason: `the tests do not parse: ${error?.message}, line ${faultyLine(tests)}`,
      misuse: true,
    })
    return false
  }
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error) => runner.stray(error))
  const { test, it, describe } = testing.exports()
  Object.assign(globalThis, { test, it, describe })
  link.builtIns.set(process, ['process', 'default']).set(console, ['console', 'default'])
  await runner.run(module, testing)
  return true
}

/** Starts the candidate's process; walls come first where there is Python to put them up. */
function start({ entry, flags, bootstrap, walls }, programs) {
  const argv = [process.execPath, ...flags, '-e', bootstrap, String(ANSWERS)]
  const setup = { programs: { runner: programs.walls, ...walls.programs }, setup: { argv } }
  const walled =
    process.platform === 'linux' ? launch(['python3', '-I', '-B', '-c', walls.bootstrap]) : undefined
  const child = walled ?? launch(argv)
  if (child?.pid === undefined || !(descriptor(child, ANSWERS) > 0))
    return { child: undefined, isPrivate: false }
  child.unref()
  for (const stream of child.stdio) stream?.unref()
  // Read by its number alone.
  child.stdio[ANSWERS]._handle.readStop()
  let isPrivate = process.platform === 'darwin'
  if (walled !== undefined) {
    writeAll(descriptor(child, 0), pack(setup))
    isPrivate = readExactly(descriptor(child, ANSWERS), 1).toString() === 'P'
  }
  child.stdin.end()
  const own = Object.fromEntries(CANDIDATES.map((name) => [name, programs[name]]))
  writeAll(descriptor(child, ANSWERS), pack({ programs: own, options: { entry }, entry: 'candidate' }))
  return { child, isPrivate }
}

function launch([file, ...args]) {
  const child = spawn(file, args, { stdio: ['pipe', 2, 2, 'pipe', 'pipe'] })
  child.on('error', () => undefined)
  for (const stream of child.stdio) stream?.on('error', () => undefined)
  return child.pid === undefined ? undefined : child
}

const descriptor = (child, number) => child.stdio[number]?._handle?.fd ?? -1

/** What the tests print goes where it is not taken for the report, and their exit is the end of a test. */
function surround() {
  globalThis.console = new Console(process.stderr, process.stderr)
  process.exit = (code = process.exitCode ?? 0) => {
    const error = new Error(`the tests ended themselves with exit code ${code}`)
    throw Number(code) === 0 ? Object.assign(error, { [SILENT]: true }) : error
  }
}

/** As of waitpid(2): the low seven bits are the signal, the next byte the exit code. */
const statusOf = (code, signal) => (signal === null ? code << 8 : constants.signals[signal])

const pause = () => new Promise((resolve) => setTimeout(resolve, ENDING_MS, null))
