// nodeTests: what it says of honest programs and of wrong ones, and no known way to fake a pass.
import { describe, expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import { nodeTests } from '../../src/verify/node-tests.js'
import { requires } from '../helpers/requires.js'
import { sharedVerdict } from '../helpers/shared-verdict.js'

const TESTS = `import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { median } from './solution.mjs'

test('odd', () => {
  assert.equal(median([3, 1, 2]), 2)
})
describe('even', () => {
  it('takes the middle', async () => {
    assert.equal(await median([1, 2]), 1.5)
  })
})
`
const RIGHT = `export function median(xs) {
  const s = [...xs].sort((a, b) => a - b)
  return (s[(s.length - 1) >> 1] + s[s.length >> 1]) / 2
}
`
const WRONG = 'export function median() {\n  return 7\n}\n'
const check = nodeTests({ 'median.test.mjs': TESTS })
const TIMEOUT = { timeout: 60_000 }

const verdictOf = (solution: string | Record<string, string>, verifier = check) =>
  sharedVerdict(verifier, typeof solution === 'string' ? { 'solution.mjs': solution } : solution, {
    language: 'javascript',
  })

const FORGED =
  '<testsuites><testsuite><testcase name="odd"/><testcase name="even.takes the middle"/></testsuite></testsuites>'

const forgeries: Readonly<Record<string, string | Record<string, string>>> = {
  'exits with 0 at import': `process.exit(0)\n${WRONG}`,
  'exits hard with 0 at import': `process.reallyExit(0)\n${WRONG}`,
  'exits with 0 in the call': 'export const median = () => process.exit(0)\n',
  'exits hard with 0 in the call': 'export const median = () => process.reallyExit(0)\n',
  'kills itself': "export const median = () => process.kill(process.pid, 'SIGKILL')\n",
  'never answers': 'export const median = () => new Promise(() => {})\n',
  'says 0 whatever happens': `process.on('exit', () => { process.exitCode = 0; process.reallyExit(0) })\n${WRONG}`,
  'catches what nobody catches': `process.on('uncaughtException', () => {})\nprocess.on('unhandledRejection', () => {})\n${WRONG}`,
  'prints passes': `console.log('TAP version 13\\nok 1 - odd\\nok 2 - even\\n1..2\\n# pass 2')\n${WRONG}`,
  'prints passes and exits': `process.stdout.write('ok 1 - odd\\nok 2 - even\\n1..2\\n')\nprocess.reallyExit(0)\n${WRONG}`,
  'patches assert': `import assert from 'node:assert'
import { syncBuiltinESMExports } from 'node:module'
assert.equal = assert.strictEqual = assert.strict.equal = () => {}
syncBuiltinESMExports()
${WRONG}`,
  'patches assert where nothing complains': {
    'solution.mjs': `import './patch.cjs'\n${WRONG}`,
    'patch.cjs': `const assert = require('node:assert')
assert.equal = assert.strictEqual = assert.strict.equal = () => {}
require('node:module').syncBuiltinESMExports()
`,
  },
  'patches the functions of the runner': {
    'solution.mjs': `import './patch.cjs'\n${WRONG}`,
    'patch.cjs': `const runner = require('node:test')
const original = runner.test
runner.test = runner.it = (name) => original(name, () => {})
require('node:module').syncBuiltinESMExports()
`,
  },
  'patches how a test is run': `import { AsyncResource } from 'node:async_hooks'
try { AsyncResource.prototype.runInAsyncScope = () => {} } catch {}
${WRONG}`,
  'patches how events are told': `import { Readable } from 'node:stream'
const push = Readable.prototype.push
Readable.prototype.push = function (one) {
  if (one?.type === 'test:fail') one = { type: 'test:pass', data: { ...one.data, details: {} } }
  return push.call(this, one)
}
${WRONG}`,
  'writes the report when the process ends': `import { globSync, readdirSync, writeFileSync } from 'node:fs'
process.on('exit', () => {
  for (const name of readdirSync('.').filter((one) => one.startsWith('.mendloop')))
    writeFileSync(name + '/report.xml', '${FORGED}')
})
${WRONG}`.replace('globSync, ', ''),
  'edits the tests': `import { chmodSync, writeFileSync } from 'node:fs'
chmodSync('median.test.mjs', 0o644)
writeFileSync('median.test.mjs', "import { test } from 'node:test'\\ntest('odd', () => {})\\ntest('even', () => {})\\n")
${WRONG}`,
  'deletes the tests': `import { rmSync } from 'node:fs'\nrmSync('median.test.mjs')\n${WRONG}`,
  'leaves configuration': {
    'solution.mjs': WRONG,
    'package.json':
      '{"type":"module","scripts":{"test":"exit 0"},"imports":{"node:test":"./fake.mjs","#x":"./fake.mjs"}}',
    '.npmrc': 'node-options=--import=./fake.mjs\n',
    'node.config.json': '{"nodeOptions":{"import":["./fake.mjs"]}}',
    'fake.mjs': 'process.exit(0)\n',
    'node_modules/node:test/index.js': 'module.exports = () => {}\n',
  },
}

describe.runIf(requires('node'))('nodeTests', () => {
  test('passes a right program, with each test by name', TIMEOUT, async () => {
    const verdict = await verdictOf(RIGHT, nodeTests({ 'median.test.mjs': TESTS }, { expectedTests: 2 }))

    expect(verdict).toMatchObject({
      status: 'pass',
      integrity: 'shared',
      failures: [],
      score: 1,
      name: 'node:test',
    })
    expect(verdict.tests?.map(({ name }) => name)).toEqual(['odd', 'even.takes the middle'])
  })

  test('says what is wrong with a wrong one', TIMEOUT, async () => {
    const verdict = await verdictOf(WRONG)

    expect(verdict.status).toBe('fail')
    expect(verdict.failures.map(({ kind, test: name }) => [kind, name])).toEqual([
      ['assertion', 'odd'],
      ['assertion', 'even.takes the middle'],
    ])
    expect(verdict.failures[0]?.message).toContain('7 !== 2')
  })

  test('points into the program that throws', TIMEOUT, async () => {
    const [failure] = (await verdictOf('export function median(xs) {\n  return xs.nothing.length\n}\n'))
      .failures

    expect(failure).toMatchObject({ kind: 'exception', location: { path: 'solution.mjs', line: 2 } })
  })

  test('says that a program cannot be loaded', TIMEOUT, async () => {
    const verdict = await verdictOf(`throw new RangeError('too large')\n${WRONG}`)

    expect(verdict.failures[0]?.message).toContain('RangeError: too large')
  })

  test('passes an honest program that uses files, its folder, workers and prints', TIMEOUT, async () => {
    const program = `import { mkdirSync, writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { execFileSync } from 'node:child_process'
mkdirSync('data', { recursive: true })
process.chdir('data')
writeFileSync('notes.txt', 'x')
console.log('loading')
console.error('not ok 1 - loading')
process.on('exit', () => console.log('bye'))
if (execFileSync(process.execPath, ['-p', '1+1']).toString().trim() !== '2') throw new Error('no child')
${RIGHT.replace('(xs) {', '(xs) {\n  console.log(xs)\n  new Worker("1", { eval: true })')}`

    expect(await verdictOf(program)).toMatchObject({ status: 'pass', failures: [] })
  })

  test('skips and todo did not run, and alone they are no pass', TIMEOUT, async () => {
    const skips =
      "import { test } from 'node:test'\ntest.skip('a', () => {})\ntest('b', { todo: 'soon' }, () => {})\n"
    const verdict = await verdictOf(RIGHT, nodeTests({ 'a.test.mjs': skips }))

    expect(verdict).toMatchObject({
      status: 'not-run',
      tests: [{ status: 'not-run' }, { status: 'not-run', reason: 'soon' }],
    })
  })

  test('reads several files, and wants tests of each', TIMEOUT, async () => {
    const files = { 'a.test.mjs': TESTS, 'test/b.test.mjs': 'console.log("nothing")\n' }
    const verdict = await verdictOf(RIGHT, nodeTests(files))

    expect(verdict).toMatchObject({
      status: 'fail',
      failures: [{ kind: 'early-exit', message: expect.stringContaining('test/b.test.mjs') }],
    })
    expect(verdict.tests?.[0]?.name).toBe('a.test.mjs::odd')
  })

  test('takes tests that a helper registers for those of the file that runs', TIMEOUT, async () => {
    const files = {
      'a.test.mjs': "import { register } from './helper.mjs'\nregister([1, 2], 1.5)\n",
      'b.test.mjs': "import { register } from './helper.mjs'\nregister([3, 1, 2], 2)\n",
      'helper.mjs': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { median } from './solution.mjs'
export const register = (numbers, expected) => test('median', () => assert.equal(median(numbers), expected))
`,
    }

    const right = await verdictOf(RIGHT, nodeTests(files))
    expect(right).toMatchObject({ status: 'pass', failures: [] })
    expect(right.tests?.map(({ name }) => name)).toEqual(['a.test.mjs::median', 'b.test.mjs::median'])
    const ends = await verdictOf('export const median = () => new Promise(() => {})\n', nodeTests(files))
    expect(ends).toMatchObject({ status: 'fail' })
  })

  test('of scripts that are not named like tests some may only help', TIMEOUT, async () => {
    const files = { 'checks.mjs': TESTS, 'helper.mjs': 'export const one = 1\n' }

    expect(await verdictOf(RIGHT, nodeTests(files))).toMatchObject({ status: 'pass' })
  })

  test('wants the tests that were told', TIMEOUT, async () => {
    const named = await verdictOf(
      RIGHT,
      nodeTests({ 'median.test.mjs': TESTS }, { expectedTests: ['odd', 'none'] }),
    )
    const counted = await verdictOf(RIGHT, nodeTests({ 'median.test.mjs': TESTS }, { expectedTests: 1 }))

    expect(named.failures[0]?.message).toBe('Tests that should have run did not: none.')
    expect(counted.failures[0]?.message).toBe('1 tests should have run, and 2 did.')
  })

  test.for(Object.entries(forgeries))('does not pass a program that %s', TIMEOUT, async ([, program]) => {
    const verdict = await verdictOf(program)

    expect(verdict.status, JSON.stringify(verdict)).not.toBe('pass')
    expect(verdict.failures.length).toBeGreaterThan(0)
    expect(verdict.lost).toBeUndefined()
  })
})

test('nodeTests refuses what it cannot use', () => {
  expect(() => nodeTests({ 'notes.txt': '' })).toThrow(MendloopError)
})
