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
const stand = new Map(
  orders.tests.map((path) => [resolve(path), { path, names: namesIn(path), seen: [], pending: new Map() }]),
)

const preload = readFileSync(new URL('node_preload.mjs', import.meta.url), 'utf8')
process.env.MENDLOOP_NODE_OPTIONS = process.env.NODE_OPTIONS ?? ''
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=data:text/javascript,${encodeURIComponent(preload)}`

const stack = []
const isWhole = ({ name, nesting }) => nesting === 0 && stand.has(resolve(name))
const keyOf = ({ name, nesting, line, column }) => JSON.stringify([name, nesting, line, column])

function began(data) {
  stack.length = data.nesting
  stack[data.nesting] = data.name
}

function waiting(data, by) {
  const pending = stand.get(data.file ?? '')?.pending
  if (pending === undefined || isWhole(data)) return
  pending.set(keyOf(data), { name: data.name, count: (pending.get(keyOf(data))?.count ?? 0) + by })
}

function ended(status, data) {
  const { name, nesting, file, details = {}, skip, todo } = data
  if (isWhole(data)) return endedWhole(status, data)
  waiting(data, -1)
  const place = stand.get(file ?? '')
  place?.seen.push(name)
  const isSuite = details.type === 'suite'
  const reason = skip ?? todo
  const isPartly = details.error?.failureType === 'subtestsFailed'
  if (isSuite && (status === 'pass' || isPartly) && reason === undefined) return
  const full = [...stack.slice(0, nesting), name].join('.')
  const shown = many && place ? `${place.path}::${full}` : full
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
function endedWhole(status, { name, details }) {
  const place = stand.get(resolve(name))
  if (status === 'fail') {
    const { exitCode, signal } = details?.error ?? {}
    const how =
      exitCode === 97
        ? 'the program replaced what belongs to the runner'
        : signal
          ? `signal ${signal}`
          : `exit code ${exitCode}`
    place.failed = `The process of ${place.path} ended badly (${how}).`
  }
}

const stream = run({ files: [...stand.keys()], concurrency: 1 })
stream.on('test:start', began)
stream.on('test:enqueue', (data) => waiting(data, 1))
stream.on('test:pass', (data) => ended('pass', data))
stream.on('test:fail', (data) => ended('fail', data))
let errors = ''
stream.on('test:stderr', ({ message }) => {
  errors = (errors + message).slice(-4000)
})
stream.on('error', (error) => report.problem('early-exit', String(error)))
stream.on('end', () => {
  tellChanges(report)
  for (const { path, names, seen, pending, failed } of stand.values()) {
    if (failed !== undefined && seen.length === 0)
      report.test(path, 'fail', { message: lastError() ?? failed, details: errors })
    else if (failed !== undefined) report.problem('early-exit', failed)
    else if (seen.length === 0)
      report.problem('early-exit', `No test of ${path} ran, and its process ended with exit code 0.`)
    for (const { name, count } of pending.values())
      if (count > 0) report.problem('early-exit', `The test ${name} did not run to its end.`)
    for (const name of names)
      if (!seen.includes(name) && failed === undefined)
        report.problem('early-exit', `The test ${name} did not run.`)
  }
  report.finish()
})
stream.resume()

/** The line of an uncaught error that says what it was. */
function lastError() {
  return errors.split('\n').find((line) => /^\w*(?:Error|Exception)\b/.test(line))
}
