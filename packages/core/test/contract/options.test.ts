import { expect, test } from 'vitest'
import { z } from 'zod'
import { budgetSchema } from '../../src/contract/budget.js'
import { MendloopError } from '../../src/contract/errors.js'
import { runOptionsSchema } from '../../src/contract/loop.js'
import { parseOptions } from '../../src/contract/options.js'
import {
  execOptionsSchema,
  networkPolicySchema,
  sandboxOptionsSchema,
} from '../../src/contract/sandbox-schemas.js'

const refusal = (run: () => unknown): MendloopError<'INVALID_OPTION'> => {
  try {
    run()
  } catch (error) {
    if (MendloopError.is(error, 'INVALID_OPTION')) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test('a misspelt key is refused with the key and the nearest valid one', () => {
  const error = refusal(() => parseOptions(sandboxOptionsSchema, { limit: { wallMs: 1 } }, 'create()'))
  expect(error.message).toBe('create(): unknown option "limit"; did you mean "limits"?')
  expect(error.details).toEqual({ option: 'limit', expected: 'limits', received: 'limit' })
})

test('a misspelt key inside a nested object is named by its whole path', () => {
  const error = refusal(() => parseOptions(sandboxOptionsSchema, { limits: { wallMS: 1 } }, 'create()'))
  expect(error.message).toBe('create(): unknown option "limits.wallMS"; did you mean "limits.wallMs"?')
  expect(error.details.expected).toBe('limits.wallMs')
})

test('an option that is one level further down is named where it is', () => {
  const error = refusal(() => parseOptions(execOptionsSchema, { wallMs: 1 }, 'exec()'))
  expect(error.message).toBe('exec(): unknown option "wallMs"; did you mean "limits.wallMs"?')
})

test.each(['timeout', 'timeoutMs', 'timeout_seconds', 'deadline'])(
  'the limit of time is named to whoever looks for it as "%s"',
  (key) => {
    const error = refusal(() => parseOptions(execOptionsSchema, { [key]: 1 }, 'exec()'))
    expect(error.message).toContain('did you mean "limits.wallMs"?')
  },
)

test.each(['cwd', 'env', 'stdin'])('"%s" among the options of exec is sent to the command', (key) => {
  const error = refusal(() => parseOptions(execOptionsSchema, { [key]: 'x' }, 'exec()'))
  expect(error.message).toBe(
    `exec(): unknown option "${key}"; it belongs to the command, as in { argv: ['python3', 'main.py'], ${key} }`,
  )
})

test('a key of three letters is no near miss of any other', () => {
  const schema = z.strictObject({ cwd: z.string().optional(), env: z.string().optional() })
  expect(refusal(() => parseOptions(schema, { cmd: 1 }, 'x')).message).toContain('known options: cwd, env')
  expect(refusal(() => parseOptions(schema, { code: 1 }, 'x')).message).toContain('known options: cwd, env')
  expect(refusal(() => parseOptions(schema, { environment: 1 }, 'x')).message).toContain(
    'did you mean "env"?',
  )
})

test('a key that resembles nothing is answered with the known keys', () => {
  const error = refusal(() => parseOptions(runOptionsSchema, { banana: 1 }, 'run options'))
  expect(error.message).toBe('run options: unknown option "banana"; known options: signal, budget')
})

test('a value of the wrong type is named with what was expected and what came', () => {
  const error = refusal(() => parseOptions(budgetSchema, { attempts: 2.5 }, 'budget'))
  expect(error.message).toBe('budget: option "attempts": must be a whole number (received 2.5)')
})

test('a long string never gets into a message', () => {
  const secret = 'k'.repeat(500)
  const error = refusal(() => parseOptions(budgetSchema, { attempts: secret }, 'budget'))
  expect(error.message).not.toContain(secret)
  expect(error.message).toContain('a string of 500 characters')
})

test('a misspelt value of a few is refused with the nearest of them', () => {
  const schema = z.strictObject({ language: z.enum(['python', 'javascript']) })
  const error = refusal(() => parseOptions(schema, { language: 'Pyhton' }, 'x'))
  expect(error.message).toBe(
    'x: option "language": must be one of "python", "javascript" (received "Pyhton"); did you mean "python"?',
  )
  expect(error.details).toEqual({
    option: 'language',
    expected: 'must be one of "python", "javascript"',
    received: '"Pyhton"',
  })
  // The beginning of a value may be another one: Java is not JavaScript.
  expect(refusal(() => parseOptions(schema, { language: 'java' }, 'x')).message).not.toContain('did you mean')
})

test('a misspelt kind of object is refused with the kinds there are', () => {
  const error = refusal(() => parseOptions(networkPolicySchema, { mode: 'nome' }, 'network'))
  expect(error.message).toBe(
    'network: option "mode": must be one of "none", "all", "allow" (received "nome"); did you mean "none"?',
  )
  expect(refusal(() => parseOptions(networkPolicySchema, 'none', 'network')).message).toBe(
    `network: must be an object such as { mode: 'none' } (received "none")`,
  )
})

test.each<[string, unknown, string]>([
  [
    'the words of a command',
    ['-l'],
    "must be an object; the words of a command are one list, as in ['ls', '-l']",
  ],
  ['a number', 5000, 'options must be an object (received 5000)'],
  ['null', null, 'options must be an object (received null)'],
])('%s in the place of the options of exec is told apart from the command', (_, given, words) => {
  expect(refusal(() => parseOptions(execOptionsSchema, given, 'exec()')).message).toContain(words)
})

test('a value that is no object at all is refused in words', () => {
  expect(refusal(() => parseOptions(budgetSchema, 'many', 'budget')).message).toBe(
    'budget: must be an object (received "many")',
  )
})

test('defaults of a schema are filled in', () => {
  const schema: z.ZodType<{ size: number }> = z.strictObject({ size: z.number().default(3) })
  expect(parseOptions(schema, {}, 'x')).toEqual({ size: 3 })
})

test('an error is known by its brand, so that two copies of the package agree', () => {
  const copy = {
    [Symbol.for('@mendloop/core/MendloopError')]: true,
    code: 'ABORTED',
    details: { during: 'model' },
  }
  expect(MendloopError.is(copy)).toBe(true)
  expect(MendloopError.is(copy, 'ABORTED')).toBe(true)
  expect(MendloopError.is(copy, 'INVALID_OPTION')).toBe(false)
  expect(MendloopError.is(new Error('ABORTED'))).toBe(false)
})

test('an error keeps its cause', () => {
  const cause = new Error('underneath')
  const error = new MendloopError('ABORTED', 'Stopped.', { details: { during: 'model' }, cause })
  expect(error.cause).toBe(cause)
  expect(error).toBeInstanceOf(Error)
  expect(error.retryable).toBe(false)
})

test('a value under a wrong name is not told, since it may be a secret', () => {
  const schema = z.strictObject({ env: z.record(z.string().regex(/^[A-Z]+$/, 'capitals only'), z.string()) })
  const error = refusal(() => parseOptions(schema, { env: { 'MY KEY=': 'sk-secret' } }, 'create()'))
  expect(error.message).toContain('option "env.MY KEY=": has a name that is not accepted (capitals only)')
  expect(JSON.stringify([error.message, error.details])).not.toContain('sk-secret')
})
