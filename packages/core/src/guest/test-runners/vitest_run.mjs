// Runs test files under vitest, whose workers are processes of their own, and keeps what they tell in a sealed report.
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { namesIn, Report, readOrders, watchFiles } from './node_report.mjs'

const orders = readOrders()
const report = new Report(orders)
const tellChanges = watchFiles(orders.files)
const many = orders.tests.length > 1

const { startVitest } = await import(pathToFileURL(vitestEntry()).href)
const found = []
const reporter = { onTestModuleEnd: (module) => found.push(module) }
// The configuration that was handed in, or none: never what happens to lie in the workspace.
const config = orders.config === null ? false : resolve(orders.config)
// Without a word on it, Vite loads the style configuration of the workspace into this process.
const styles = orders.files.some((path) => /^(?:\.postcssrc|postcss\.config)\b/.test(path))
const overrides = styles ? {} : { css: { postcss: { plugins: [] } } }
const vitest = await startVitest(
  'test',
  orders.tests.map((path) => resolve(path)),
  {
    config,
    root: process.cwd(),
    dir: process.cwd(),
    // These and no others, whatever they are called.
    include: orders.tests.map((path) => path.replace(/[\\()[\]{}!*+?@|]/g, '\\$&')),
    exclude: [],
    watch: false,
    reporters: [reporter],
    pool: 'forks',
    passWithNoTests: true,
    cache: false,
  },
  overrides,
).catch((error) => {
  report.problem('early-exit', `vitest did not run the tests: ${error?.message ?? error}`)
})
for (const path of orders.tests) tell(path)
for (const error of vitest?.state.getUnhandledErrors?.() ?? [])
  report.problem('exception', `An error that no test caught: ${error?.message ?? error}`)
tellChanges(report)
report.finish()

function vitestEntry() {
  try {
    return createRequire(`${orders.installedAt ?? process.cwd()}/`).resolve('vitest/node')
  } catch (error) {
    report.problem('absent', `vitest is not installed in the sandbox (${error.code})`)
    return report.finish()
  }
}

function tell(path) {
  const module = found.find(({ moduleId }) => moduleId === resolve(path))
  const tests = [...(module?.children.allTests() ?? [])]
  for (const test of tests) tellTest(test, many ? `${path}::` : '')
  for (const error of module?.errors() ?? []) report.test(path, 'fail', told(error))
  const stand = namesIn(path)
  if (tests.length === 0 && (module?.errors().length ?? 0) === 0 && (orders.named || stand.length > 0))
    report.problem('early-exit', `No test of ${path} ran.`)
  const names = new Set(tests.map(({ name }) => name))
  for (const name of stand)
    if (!names.has(name) && tests.length > 0) report.problem('early-exit', `The test ${name} did not run.`)
}

function tellTest(test, start) {
  const name = start + test.fullName.replaceAll(' > ', '.')
  const { state, errors = [], note = '' } = test.result()
  const ms = test.diagnostic()?.duration ?? 0
  if (state === 'passed') report.test(name, 'pass', { ms })
  else if (state === 'failed') report.test(name, 'fail', { ms, ...told(errors[0]) })
  else if (state === 'skipped') report.test(name, 'not-run', { ms, type: 'skipped', message: note })
  else report.problem('early-exit', `The test ${name} did not run to its end.`)
}

function told({ name = 'Error', message = '', stack = '' } = {}) {
  const said = String(message)
  return {
    type: name,
    message: name === 'AssertionError' ? said : `${name}: ${said}`,
    details: String(stack),
  }
}
