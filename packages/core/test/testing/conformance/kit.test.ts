// The kit itself: what it reports, what it refuses, and that nothing makes it hang.
import { expect, test } from 'vitest'
import { MendloopError } from '../../../src/contract/errors.js'
import type { SandboxProvider } from '../../../src/contract/sandbox.js'
import { allCases } from '../../../src/testing/conformance/all-cases.js'
import { runSandboxConformance } from '../../../src/testing/conformance/run-sandbox-conformance.js'
import { memorySandbox } from '../../../src/testing/memory-sandbox.js'
import { honestProvider, plainly, wrapProvider } from '../../helpers/liars.js'

const RUNS = 'runs a program and tells its exit code, and success for 0 alone'
const EMPTY = 'begins with an empty workspace of its own'

test('every promise has a name of its own, and a group', () => {
  expect(new Set(allCases.map(({ name }) => name)).size).toBe(allCases.length)
  for (const { name, group } of allCases) {
    expect(name).toMatch(/^[a-z].*[^.]$/)
    expect(group).not.toBe(name)
  }
})

test('a sandbox that runs nothing fails the first promise, and the others are skipped with the reason', async () => {
  const report = await runSandboxConformance(memorySandbox(), { only: ['programs', 'deadlines', 'spawn'] })
  const [first, ...rest] = report.results
  expect(first).toMatchObject({ name: RUNS, status: 'failed' })
  expect(rest.every(({ status }) => status === 'skipped')).toBe(true)
  expect(rest[0]?.reason).toContain('the sandbox does not run /bin/sh')
  expect(report).toMatchObject({ provider: 'memory', passed: 0, failed: 1 })
})

test('files in memory keep the promises about files, but for those about memory', async () => {
  const only = allCases.filter(({ group, name }) => group === 'files' && !name.includes('piece by piece'))
  const { results } = await runSandboxConformance(memorySandbox(), { only: only.map(({ name }) => name) })
  expect(results.filter(({ status }) => status === 'failed')).toEqual([])
  expect(results.filter(({ status }) => status === 'passed').length).toBeGreaterThan(8)
  expect(results.find(({ name }) => name.startsWith('brings back'))).toMatchObject({
    status: 'skipped',
    reason: 'the sandbox has no snapshot()',
  })
})

test('a provider that cannot open is told once for each case, as a sentence', async () => {
  const broken: SandboxProvider = wrapProvider(async () => {
    throw new Error('the cable is out')
  })
  const { results, failed, ...report } = await runSandboxConformance(broken, { only: ['files'] })
  expect(failed).toBe(results.length)
  expect(results[0]?.reason).toContain('the cable is out')
  expect(report).not.toHaveProperty('guarantees')
})

test('a sandbox that bounds no files, and refuses to be asked, keeps the promises about them', async () => {
  const unbounded = wrapProvider(async (options) => {
    if (options?.limits?.fileBytes !== undefined)
      throw new MendloopError('SANDBOX_UNSUPPORTED', 'Files are not bounded here.', {
        details: { requested: 'limits.fileBytes', remedy: 'leave it out' },
      })
    const sandbox = await honestProvider.create({ ...options, limits: { fileBytes: 2 ** 33 } })
    return { ...plainly(sandbox), guarantees: { ...sandbox.guarantees, disk: 'none' } }
  })
  const large = [
    'looks no longer through what a program left when its signal is aborted, and says what it has not seen',
    'writes and reads a file of 100 MB piece by piece without holding it',
  ]
  const { results } = await runSandboxConformance(unbounded, { only: large })
  expect(results.filter(({ status }) => status === 'failed')).toEqual([])
  expect(results[0]?.status).toBe('passed')
}, 60_000)

test('a case that hangs is told at its deadline, and the next one is probed', async () => {
  const hangs = wrapProvider(async (options) => {
    const sandbox = plainly(await honestProvider.create(options))
    return { ...sandbox, files: { ...sandbox.files, list: () => new Promise<never>(() => undefined) } }
  })
  const only = [EMPTY, 'writes over a file that is there, shorter or longer']
  const { results } = await runSandboxConformance(hangs, { only, deadlineMs: 500 })
  expect(results.map(({ status, reason }) => [status, reason])).toEqual([
    ['failed', 'the case did not settle within 500 ms'],
    ['passed', undefined],
  ])
})

test('a close that hangs is a broken promise too', async () => {
  let opened = 0
  const hangs = wrapProvider(async (options) => {
    const sandbox = await honestProvider.create(options)
    // The first is the one by which the kit gets to know the provider.
    return opened++ === 0
      ? sandbox
      : { ...plainly(sandbox), close: () => sandbox.close().then(() => new Promise<never>(() => undefined)) }
  })
  const only = ['gives back every byte that was written, and text as UTF-8']
  const { results } = await runSandboxConformance(hangs, { only, deadlineMs: 2_000 })
  expect(results).toMatchObject([{ status: 'failed', reason: 'close() did not settle within 2000 ms' }])
}, 30_000)

test('what is aborted is skipped by name, and each result is told as it comes', async () => {
  const controller = new AbortController()
  const told: string[] = []
  const { results } = await runSandboxConformance(memorySandbox(), {
    only: ['files'],
    signal: controller.signal,
    onResult({ status }) {
      told.push(status)
      controller.abort()
    },
  })
  expect(told).toEqual(['passed', ...Array(results.length - 1).fill('skipped')])
  expect(results[1]).toMatchObject({ reason: 'the run was aborted' })
})

test('what makes a provider, or is opened by one, is refused in its place', async () => {
  const run = (given: unknown) => runSandboxConformance(given as SandboxProvider)
  await expect(run(memorySandbox)).rejects.toThrow('a function was given; call it, as in subprocess()')
  await expect(run(await memorySandbox().create())).rejects.toThrow('give the provider that opened it')
  await expect(run(undefined)).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: 'runSandboxConformance(): option "provider": must be a sandbox provider (received undefined)',
  })
})

test('a name that no case has, and an unknown option, are refused', async () => {
  const refusal = { code: 'INVALID_OPTION' }
  await expect(runSandboxConformance(memorySandbox(), { only: ['nonsense'] })).rejects.toMatchObject(refusal)
  await expect(runSandboxConformance(memorySandbox(), { deadline: 1 } as object)).rejects.toMatchObject(
    refusal,
  )
})
