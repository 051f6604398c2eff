// What javascriptTests says: statuses, tests by name, and failures that a model can act on.
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MendloopError } from '../../../src/contract/errors.js'
import type { Sandbox } from '../../../src/contract/sandbox.js'
import { javascriptTests } from '../../../src/verify/javascript-tests.js'
import { localSandbox } from '../../helpers/local-sandbox.js'
import { requires } from '../../helpers/requires.js'
import { expectPass, judged } from './judged.js'

const F = "import assert from 'node:assert'\nimport { f } from './solution.mjs'\n"
const SAME = 'export const f = (x) => x'
const THROWS =
  'export const f = (x) => {\n  if (x > 2)\n    throw new RangeError("too big: " + x)\n  return x\n}\n'

describe.runIf(requires('node'))('Tests', () => {
  test('are reported by name', async () => {
    const tests = `${F}import { test, describe, it, beforeEach } from 'node:test'
test('one', () => assert.equal(f(1), 1))
test('two', async () => assert.equal(await f(1), 2))
describe('suite', () => {
  let n
  beforeEach(() => { n = 3 })
  it('three', () => assert.equal(f(n), 3))
  it.skip('four', () => assert.fail())
  describe('inner', () => { it('five', (_, done) => setTimeout(done, 5)) })
})
test('six', async (t) => { await t.test('seven', () => assert.deepEqual(f([1]), [2])) })
`
    const verdict = await judged(SAME, tests, { expectedTests: ['three', 'suite > inner > five'] })

    expect(verdict.tests?.map(({ name, status }) => [name, status])).toEqual([
      ['one', 'pass'],
      ['two', 'fail'],
      ['suite > three', 'pass'],
      ['suite > four', 'not-run'],
      ['suite > inner > five', 'pass'],
      ['six > seven', 'fail'],
      ['six', 'pass'],
    ])
    expect(verdict.failures.map(({ test: name, expected, actual }) => [name, expected, actual])).toEqual([
      ['two', '2', '1'],
      ['six > seven', '[ 2 ]', '[ 1 ]'],
    ])
  })

  test('say what was called, what should have come, and where they stand', async () => {
    const verdict = await judged(SAME, `${F}assert.deepStrictEqual(f([1, 'a']), [2, 'a'])\n`)

    expect(verdict.failures).toMatchObject([
      {
        kind: 'assertion',
        message: "AssertionError: assert.deepStrictEqual(f([1, 'a']), [2, 'a']) (line 3 of the tests)",
        input: "f([ 1, 'a' ])",
        expected: "[ 2, 'a' ]",
        actual: "[ 1, 'a' ]",
      },
    ])
  })

  test('tell where in the program an exception was thrown', async () => {
    const verdict = await judged(THROWS, `${F}assert.equal(f(1), 1)\nf(7)\n`)

    expect(verdict.failures).toMatchObject([
      {
        kind: 'exception',
        message: 'RangeError: too big: 7',
        location: { path: 'solution.mjs', line: 3 },
        input: 'f(7)',
        excerpt: expect.stringContaining('> 3 |     throw new RangeError'),
      },
    ])
  })

  test('tell lines of TypeScript as it was written', async () => {
    const files = {
      'solution.ts':
        'interface P {\n  x: number\n}\nexport const f = (p: P): number => {\n  throw new Error("no " + p.x)\n}\n',
    }
    const tests = "import { f } from './solution.ts'\nf({ x: 1 })\n"
    const verdict = await judged(files, tests, { language: 'typescript' })

    expect(verdict.failures).toMatchObject([
      { message: 'Error: no 1', location: { path: 'solution.ts', line: 5 } },
    ])
  })

  test('judge TypeScript that imports its own files and is named as its compiler has it', async () => {
    const files = {
      'solution.ts':
        "import { twice } from './lib.js'\nexport const f = <T extends number>(x: T): number => twice(x)",
      'lib.ts': 'export const twice = (x: number): number => 2 * x',
    }
    await expectPass(files, F.replace('.mjs', '.js').concat('assert.equal(f(2), 4)'), {
      language: 'typescript',
    })
  })

  test.for([
    ['export const f = (p: P): number => {\n  return p.x + }\n', 'solution.ts', 'typescript', 2],
    ['export const f = (x) => {\n  return x\n', 'solution.mjs', 'javascript', undefined],
    ['let a = 1\nlet a = 2\nexport const f = 1\n', 'solution.mjs', 'javascript', 2],
  ] as const)('tell where %j does not parse', async ([program, path, language, line]) => {
    const verdict = await judged({ [path]: program }, `import { f } from './${path}'\nf(1)`, { language })

    expect(verdict).toMatchObject({ status: 'fail', failures: [{ kind: 'syntax' }] })
    if (line !== undefined) expect(verdict.failures[0]?.location).toMatchObject({ path, line })
  })

  test.for([
    ['export const g = 1', 'missing-entry', 'solution.mjs exports no "f"'],
    ['export const f = 5', 'missing-entry', 'f is not a function'],
    ["import './gone.mjs'\nexport const f = 1", 'import', 'gone.mjs'],
    ['export const f = (x) => { process.exit(3) }', 'early-exit', 'exit code 3'],
    ["export const f = () => { throw 'text' }", 'exception', "thrown: 'text'"],
    [
      'export const f = () => ({ valueOf: () => 3 })',
      'assertion',
      "is an object of the program's and no plain value",
    ],
    ['export const f = (x) => { try { x() } catch {} return 3 }', 'missing-entry', 'is not a function'],
  ] as const)('blame %j', async ([program, kind, message]) => {
    const verdict = await judged(program, `${F}assert.equal(f(3), 3)\nf(3)()`)

    expect(verdict.status).toBe('fail')
    expect(verdict.failures[0]).toMatchObject({ kind, message: expect.stringContaining(message) })
  })

  test('fail for an assertion that the program swallows in a callback', async () => {
    const verdict = await judged(
      'export const f = (g) => { try { g(1) } catch {} }',
      `${F}f((x) => assert.equal(x, 2))\nassert.ok(true)`,
    )

    expect(verdict).toMatchObject({
      status: 'fail',
      failures: [{ kind: 'assertion', expected: '2', actual: '1' }],
    })
  })

  test('name the call that never returned', async () => {
    const verdict = await judged('export const f = (x) => { for (;;); }', `${F}f('endless')`, {
      limits: { wallMs: 8000 },
    })

    expect(verdict.failures).toMatchObject([{ kind: 'timeout', input: "f('endless')" }])
  })

  test('count comparisons that the program has a hand in', async () => {
    const program = 'export class P { constructor(x) { this.x = x } }\nexport const f = (x) => new P(x)'
    const verdict = await judged(program, `${F}assert.deepStrictEqual(f(1), f(1))`)

    expect(verdict).toMatchObject({ status: 'pass', weakComparisons: 1 })
  })

  test('that are expected and missing fail the check', async () => {
    const tests = `${F}test('one', () => assert.equal(f(1), 1))`
    const verdict = await judged(SAME, tests, { expectedTests: ['one', 'two'] })

    expect(verdict.status).toBe('fail')
    expect(verdict.failures[0]?.message).toBe('Tests that should have run did not: two.')
  })

  test.for([
    ['function testAll() { assert.equal(f(1), 2) }', 'No test was found', false],
    ["test.skip('x', () => {})", 'all were skipped', false],
    ['assert.equal(f(1) === 1', 'the tests do not parse', true],
    ["import _ from 'lodash'\nassert.equal(f(1), 1)", 'lodash, which is not installed', false],
    ['class Mine extends f {}\nnew Mine()', 'derive Mine from a class of the program', true],
  ] as const)('such as %j are no pass, and nobody is blamed', async ([tests, message, isMisuse]) => {
    const verdict = await judged('export const f = class F {}', `${F}${tests}`)

    expect(verdict.status).toBe('not-run')
    expect(verdict.failures[0]?.message).toContain(message)
    expect(verdict.misuse !== undefined).toBe(isMisuse)
  })

  test('say shared where nothing can shut the program off from the judge', async () => {
    const sandbox = async (): Promise<Sandbox> => {
      const local = await localSandbox()
      await mkdir(join(local.workdir, 'bin'))
      await symlink(process.execPath, join(local.workdir, 'bin/node'))
      const env = { PATH: join(local.workdir, 'bin') }
      return {
        ...local,
        exec: (command, given) => {
          const argv = typeof command === 'string' ? ['/bin/sh', '-c', command] : command
          return local.exec('argv' in argv ? { ...argv, env } : { argv, env }, given)
        },
      }
    }
    const integrity = process.platform === 'darwin' ? 'separate' : 'shared'
    for (const [program, status] of [
      [SAME, 'pass'],
      ['export const f = async () => 1', 'fail'],
      ['export const f = () => process.exit(0)', 'fail'],
    ] as const)
      expect(await judged(program, `${F}assert.equal(f(1), 1)`, { sandbox })).toMatchObject({
        status,
        integrity,
      })
  })

  test('judge no program of another language', async () => {
    const verdict = await judged({ 'solution.py': 'f = 1' }, F, { language: 'python' })

    expect(verdict).toMatchObject({
      status: 'not-run',
      failures: [{ message: expect.stringContaining('not one in python') }],
    })
  })
})

test.for([
  ['', {}],
  ['assert(1)', { nmae: 'x' }],
  ['assert(1)', { name: '' }],
  ['assert(1)', { visibility: 'secret' }],
] as const)('javascriptTests(%j, %j) is refused', ([source, options]) => {
  expect(() => javascriptTests(source, options as never)).toThrow(MendloopError)
})
