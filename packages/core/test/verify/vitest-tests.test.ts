// vitestTests, with the vitest of this repository. Its folder is outside of the sandbox, so only the weakest tier sees it.
import { fileURLToPath } from 'node:url'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { describe, expect, test } from 'vitest'
import { verifyOnce } from '../../src/repair/verify-once.js'
import { vitestTests } from '../../src/verify/vitest-tests.js'
import { requires } from '../helpers/requires.js'
import { sharedVerdict } from '../helpers/shared-verdict.js'

const TESTS = `import { describe, expect, test } from 'vitest'
import { double } from './solution'
test('doubles', () => {
  expect(double(2)).toBe(4)
})
describe('text', () => {
  test('too', () => { expect(double('a')).toBe('aa') })
  test.skip('later', () => {})
})
`
const RIGHT = 'export const double = (one: any): any => one + one\n'
const WRONG = 'export const double = (one: any): any => {\n  return one.nothing.at(1)\n}\n'
const installedAt = fileURLToPath(new URL('../../../..', import.meta.url))
const sandbox = subprocess({
  isolation: 'process',
  minimum: 'process',
  // Vite reserves much address space.
  limits: { wallMs: 60_000, memoryBytes: 4 * 1024 ** 3, openFiles: 4096 },
})
const TIMEOUT = { timeout: 120_000 }

async function verdictOf(
  solution: string,
  more: Readonly<Record<string, string>> = {},
  tests: Readonly<Record<string, string>> = { 'double.test.ts': TESTS },
) {
  const { verdicts } = await verifyOnce({
    candidate: { files: { 'solution.ts': solution, ...more }, entry: 'solution.ts' },
    language: 'typescript',
    sandbox,
    verify: [vitestTests(tests, { installedAt, expectedTests: 2 })],
  })
  return verdicts[0]
}

describe.runIf(requires('node'))('vitestTests', TIMEOUT, () => {
  test('passes a right program, with each test by name', async () => {
    const verdict = await verdictOf(RIGHT)

    expect(verdict).toMatchObject({ status: 'pass', integrity: 'shared', failures: [] })
    expect(verdict?.tests?.map(({ name, status }) => [name, status])).toEqual([
      ['doubles', 'pass'],
      ['text.too', 'pass'],
      ['text.later', 'not-run'],
    ])
  })

  test('says what is wrong with a wrong one, and where', async () => {
    const verdict = await verdictOf(WRONG)

    expect(verdict).toMatchObject({ status: 'fail', failures: [{ kind: 'exception', test: 'doubles' }, {}] })
    expect(verdict?.failures[0]).toMatchObject({ location: { path: 'solution.ts', line: 2 } })
  })

  test.for([
    ['exits with 0 at import', 'process.exit(0)\n', {}],
    ['exits hard with 0 at import', '(process as any).reallyExit(0)\n', {}],
    ['exits hard with 0 in the call', 'export const double = () => (process as any).reallyExit(0)\n', {}],
    ['prints passes', "console.log('Tests  2 passed (2)')\n", {}],
    [
      'leaves configuration',
      '',
      {
        'vitest.config.ts':
          "export default { test: { include: [], testNamePattern: 'none', passWithNoTests: true } }\n",
        'vite.config.ts': 'process.exit(0)\n',
        'package.json': '{"type":"module","scripts":{"test":"true"}}',
      },
    ],
  ] as const)('does not pass a program that %s', async ([, start, more]) => {
    const verdict = await verdictOf(start.includes('export') ? start : start + WRONG, more)

    expect(verdict?.status, JSON.stringify(verdict)).toBe('fail')
    expect(verdict?.failures.length).toBeGreaterThan(0)
  })

  test('never loads the style configuration that a program leaves', async () => {
    const verdict = await verdictOf(RIGHT, {
      'postcss.config.cjs': 'process.reallyExit(3)\n',
      '.postcssrc.cjs': 'process.reallyExit(3)\n',
      'package.json': '{"postcss":{"plugins":{"./evil.cjs":{}}}}',
      'evil.cjs': 'process.reallyExit(3)\n',
    })

    expect(verdict).toMatchObject({ status: 'pass', failures: [] })
  })

  test('runs files of any name, and no others', async () => {
    const files = { 'tests/[a] checks.ts': TESTS.replace('./solution', '../solution') }
    const verdict = await verdictOf(RIGHT, { 'other.test.ts': 'throw new Error("other")\n' }, files)

    expect(verdict).toMatchObject({ status: 'pass', failures: [] })
    expect(verdict?.tests).toHaveLength(3)
  })

  test('did not run where vitest is missing', async () => {
    const check = vitestTests({ 'double.test.mjs': TESTS })
    const verdict = await sharedVerdict(
      check,
      { 'solution.mjs': 'export const double = 1\n' },
      { language: 'javascript' },
    )

    expect(verdict).toMatchObject({
      status: 'not-run',
      failures: [{ message: expect.stringContaining('vitest is not installed') }],
    })
  })

  test('refuses a folder that is not absolute', () => {
    expect(() => vitestTests({ 'a.test.ts': '' }, { installedAt: 'x' })).toThrow('must be an absolute path')
  })
})
