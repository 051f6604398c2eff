// The kit inside test frameworks: vitest runs it for the subprocess sandbox; here are the ways of the others.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { allCases } from '../../../src/testing/conformance/all-cases.js'
import { sandboxConformance } from '../../../src/testing/conformance/sandbox-conformance.js'
import { memorySandbox } from '../../../src/testing/memory-sandbox.js'

const KEPT = 'gives back every byte that was written, and text as UTF-8'
const UNCLAIMED = 'brings back a kept state of the workspace'
const BROKEN = 'runs a program and tells its exit code, and success for 0 alone'

type Test = (this: unknown, ...args: unknown[]) => Promise<void>

/** What the kit defines, by name. */
function defined(): Map<string, Test> {
  const tests = new Map<string, Test>()
  sandboxConformance(
    { describe: (_, define) => define(), it: (name, run) => void tests.set(name, run) },
    memorySandbox(),
  )
  return tests
}

test('one test is defined for each promise', () => {
  expect([...defined().keys()]).toEqual(allCases.map(({ name }) => name))
})

test('what makes a provider is refused in its place, before a test is defined', () => {
  const framework = { describe: () => expect.unreachable(), it: () => undefined }
  expect(() => sandboxConformance(framework, memorySandbox as never)).toThrow('call it, as in subprocess()')
})

test('a promise that is kept passes, one that is broken throws its name and the reason', async () => {
  const tests = defined()
  await tests.get(KEPT)?.call(undefined)
  await expect(tests.get(BROKEN)?.call(undefined)).rejects.toThrow(`the sandbox does not keep "${BROKEN}"`)
})

test('mocha is asked for time and told of a skip by `this`', async () => {
  const told: unknown[] = []
  const self = { timeout: (ms: number) => told.push(ms > 30_000), skip: () => told.push('skipped') }
  await defined().get(UNCLAIMED)?.call(self)
  expect(told).toEqual([true, 'skipped'])
})

test('a framework that cannot skip while it runs fails the test rather than passing it', async () => {
  await expect(defined().get(UNCLAIMED)?.call(undefined)).rejects.toThrow('runSandboxConformance')
})

test('node:test shows what is skipped and why', async () => {
  const fixture = fileURLToPath(new URL('../../fixtures/conformance-node-test.ts', import.meta.url))
  const environment = { ...process.env }
  // Set by whoever runs tests with node:test; it would make the child report to a parent.
  delete environment['NODE_TEST_CONTEXT']
  const argv = ['--conditions=@mendloop/source', '--import', 'tsx', '--test-reporter=tap', fixture]
  const run = promisify(execFile)(process.execPath, argv, { env: environment, maxBuffer: 16 * 1024 * 1024 })
  // It fails: the sandbox runs no programs.
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  expect(stdout).toMatch(new RegExp(`^ *ok \\d+ - ${KEPT}$`, 'm'))
  expect(stdout).toMatch(
    new RegExp(`^ *ok \\d+ - ${UNCLAIMED} # SKIP the sandbox has no snapshot\\(\\)$`, 'm'),
  )
  expect(stdout).toMatch(new RegExp(`^ *not ok \\d+ - ${BROKEN}$`, 'm'))
}, 60_000)
