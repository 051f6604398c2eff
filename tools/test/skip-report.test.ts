// What is said of skipped tests, from real runs of vitest.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const fixtures = fileURLToPath(new URL('fixtures/skips', import.meta.url))
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))

/** Runs fixtures as a run of its own, and gives what it said and how it ended. */
function run(requireAll: '0' | '1', ...args: readonly string[]): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, 'run', '--configLoader', 'native', '--root', fixtures, ...args],
    {
      encoding: 'utf8',
      env: { ...process.env, MENDLOOP_REQUIRE_ALL: requireAll },
    },
  )
  return { status, said: stdout + stderr }
}

test('each reason is told once with the number of tests that it stands for, and nothing fails', {
  timeout: 60_000,
}, () => {
  const { status, said } = run('0')
  expect(said).toBe(`
Tests that were skipped:
  2 for something that is missing here:
    tests that need a lathe cannot run here: install it
  1 since they need another machine or user:
    tests of tides need a moon
  1 since they do not apply, as they found:
    nothing to drill
  1 without a reason: pass it through packages/core/test/helpers/skips.ts:
    silent.skips.ts: is forgotten
`)
  expect(status).toBe(0)
})

test('where everything must run, what is missing and what is skipped without a reason fail', {
  timeout: 60_000,
}, () => {
  expect(run('1', 'reasons')).toMatchObject({ status: 1 })
  const silent = run('1', 'silent')
  expect(silent.said).toContain('silent.skips.ts: is forgotten')
  expect(silent.status).toBe(1)
  expect(run('1', 'other-machine')).toMatchObject({ status: 0 })
})

test('tests that nobody asked for are not told', { timeout: 60_000 }, () => {
  expect(run('1', '-t', 'rises', 'silent')).toEqual({ status: 0, said: '' })
})
