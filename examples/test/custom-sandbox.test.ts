// The sandbox of the example is a good one.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { sandboxConformance } from '@mendloop/core/testing'
import { describe, expect, test } from 'vitest'
import { discreet } from '../custom-sandbox.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const file = fileURLToPath(new URL('../custom-sandbox.ts', import.meta.url))

sandboxConformance({ describe, it: test }, discreet(), {
  // The machine may be busy with other tests.
  overrunMs: 4_000,
  floodBytes: 64 * 1024 * 1024,
})

test('the promises can be run by node:test', () => {
  const example = fileURLToPath(new URL('../sandbox-promises.ts', import.meta.url))
  const argv = ['--conditions=@mendloop/source', '--import', 'tsx', '--test-reporter=tap']
  const { status, stdout } = spawnSync(
    process.execPath,
    [...argv, '--test-name-pattern=/^gives back every byte/', example],
    { cwd: root, encoding: 'utf8', timeout: 60_000 },
  )
  expect(stdout).toMatch(/^ *ok \d+ - gives back every byte that was written, and text as UTF-8$/m)
  expect(status).toBe(0)
}, 70_000)

test('a sandbox of one’s own takes less than sixty lines', () => {
  expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeLessThan(60)
})

test('the example runs a program and shows what it promises', () => {
  const argv = ['--conditions=@mendloop/source', '--import', 'tsx', file]
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^-rw-------\n\d+ promises kept, 0 broken, \d+ not claimed\n/)
  expect(stdout).toContain('|  | discreet |')
}, 70_000)
