import { expect, test } from 'vitest'
import { type SubprocessOptions, subprocess } from '../src/index.js'

test('misspelt and wrong options are refused by name, before anything is opened', () => {
  const make = (options: unknown) => () => subprocess(options as SubprocessOptions)
  expect(make({ minimun: 'process' })).toThrow(/"minimun".*did you mean "minimum"/)
  expect(make({ isolation: 'docker' })).toThrow(/isolation/)
  expect(make({ limits: { wallMS: 5 } })).toThrow(/wallMS.*did you mean "limits\.wallMs"/)
  expect(make({ limits: { wallMs: 0 } })).toThrow(/limits\.wallMs/)
  expect(make({ killGraceMs: -1 })).toThrow(/killGraceMs/)
  expect(make({ env: { 'not-a-name': 'x' } })).toThrow(/not-a-name/)
  expect(make({ python: 'python3' })).toThrow(/absolute path/)
})

test('variables may be those of this process, without what is undefined', async () => {
  process.env['MENDLOOP_TEST_WORD'] = 'passed on'
  const options = { isolation: 'process', minimum: 'process', env: process.env } as const
  const sandbox = await subprocess(options).create({ env: { GIVEN: 'yes', LEFT_OUT: undefined } })
  try {
    const { stdout } = await sandbox.exec('echo "$MENDLOOP_TEST_WORD $GIVEN"; printenv LEFT_OUT')
    expect(stdout.text).toBe('passed on yes\n')
  } finally {
    delete process.env['MENDLOOP_TEST_WORD']
    await sandbox.close()
  }
})

test('the process tier is not had without accepting it by name', async () => {
  await expect(subprocess({ isolation: 'process' }).create()).rejects.toMatchObject({
    code: 'ISOLATION_UNAVAILABLE',
    message: expect.stringContaining("subprocess({ isolation: 'process', minimum: 'process' })"),
  })
  const sandbox = await subprocess({ isolation: 'process', minimum: 'process' }).create()
  expect(sandbox.guarantees.isolation).toBe('process')
  await sandbox.close()
})

test('an aborted signal opens nothing', async () => {
  const reason = new Error('no longer wanted')
  const signal = AbortSignal.abort(reason)
  await expect(
    subprocess({ isolation: 'process', minimum: 'process' }).create({ signal }),
  ).rejects.toMatchObject({ code: 'ABORTED', cause: reason })
})
