// The sandbox from scratch that the guide shows keeps every promise that it makes.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runSandboxConformance } from '@mendloop/core/testing'
import { expect, test } from 'vitest'
import { plain } from '../plain-sandbox.js'

test.runIf(process.platform === 'linux')(
  'the sandbox from scratch breaks no promise of the kit, and claims no walls',
  async () => {
    // The machine may be busy with other tests.
    const options = { overrunMs: 4_000, floodBytes: 64 * 1024 * 1024 }
    const { results, passed, guarantees } = await runSandboxConformance(plain(), options)
    expect(results.filter(({ status }) => status === 'failed')).toEqual([])
    expect(passed).toBeGreaterThan(70)
    expect(guarantees).toMatchObject({ isolation: 'process', network: 'host', memory: 'none', pids: 'none' })
  },
  300_000,
)

test('a sandbox from scratch, without its files and its process, takes less than eighty lines', () => {
  const file = fileURLToPath(new URL('../plain-sandbox.ts', import.meta.url))
  expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeLessThan(80)
})
