import { MendloopError } from '@mendloop/core'
import { expect, test } from 'vitest'
import { docker } from '../src/index.js'

test('create() refuses with a sentence that names what to use instead', async () => {
  const provider = docker()
  expect(provider).toMatchObject({ id: 'docker', specVersion: 'sandbox-v1' })
  const error = await provider.create().catch((thrown: unknown) => thrown)
  expect(MendloopError.is(error, 'SANDBOX_UNAVAILABLE')).toBe(true)
  expect(String(error)).toContain('@mendloop/sandbox-subprocess')
})

test('an option is refused rather than ignored', () => {
  const options = { image: 'python:3' } as never
  expect(() => docker(options)).toThrowError(/unknown option "image"/)
})
