import { expect, test } from 'vitest'
import { type SubprocessOptions, subprocess } from '../src/index.js'
import { openSandbox } from './helpers/open-sandbox.js'

test.each<SubprocessOptions>([
  {},
  { isolation: 'process' },
  { minimum: 'landlock' },
  { minimum: 'namespaces' },
  { isolation: 'namespaces', minimum: 'process' },
])(
  'subprocess(%j) refuses to open with less isolation than that, and says how to ask for it',
  async (options) => {
    await expect(subprocess(options).create()).rejects.toMatchObject({
      code: 'ISOLATION_UNAVAILABLE',
      message: expect.stringContaining("subprocess({ minimum: 'process' })"),
      details: { available: 'process' },
    })
  },
)

test.each([{}, { isolation: 'auto' }, { isolation: 'process' }] as const)(
  'with the minimum named, %j opens',
  async (options) => {
    const sandbox = await openSandbox(options)
    expect(sandbox.guarantees.isolation).toBe('process')
  },
)

test('misspelt and wrong options are refused by name, before anything is opened', () => {
  const make = (options: unknown) => () => subprocess(options as SubprocessOptions)
  expect(make({ minimun: 'process' })).toThrow(/"minimun".*did you mean "minimum"/)
  expect(make({ limits: { wallMS: 5 } })).toThrow(/wallMS.*did you mean "wallMs"/)
  expect(make({ limits: { wallMs: 0 } })).toThrow(/limits\.wallMs/)
  expect(make({ killGraceMs: -1 })).toThrow(/killGraceMs/)
  expect(make({ env: { 'not-a-name': 'x' } })).toThrow(/not-a-name/)
  expect(make({ python: 'python3' })).toThrow(/absolute path/)
})

test('an aborted signal opens nothing', async () => {
  const reason = new Error('no longer wanted')
  const signal = AbortSignal.abort(reason)
  await expect(subprocess({ minimum: 'process' }).create({ signal })).rejects.toMatchObject({
    code: 'ABORTED',
    cause: reason,
  })
})
