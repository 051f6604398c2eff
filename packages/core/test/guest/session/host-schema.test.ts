// Host functions take the schemas of the application: of another copy of zod, of an older one, of another library.
import { createRequire } from 'node:module'
import { runInNewContext } from 'node:vm'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import * as zod3 from 'zod/v3'
import { type HostFunctionDefinition, hostFunction } from '../../../src/guest/session/host-function.js'
import type { HostSchema } from '../../../src/guest/session/host-schema.js'

// Its classes are others than those of the ESM build.
const copy: typeof z = createRequire(import.meta.url)('zod').z

const context = { signal: new AbortController().signal, files: {} as never }

/** Of no library: all that the standard asks for, and no more. */
const handWritten: HostSchema<{ n: number }> = {
  '~standard': {
    version: 1,
    vendor: 'by hand',
    validate: async (value) =>
      typeof Object(value).n === 'number'
        ? { value: { n: Object(value).n } }
        : { issues: [{ message: 'no number', path: [{ key: 'n' }] }] },
  },
}

/** Of a library without a `_zod`, which tells its JSON Schema by itself. */
const tellsItself = Object.assign(() => undefined, {
  '~standard': {
    ...handWritten['~standard'],
    jsonSchema: { input: ({ target }: { target: string }) => ({ $comment: target }) },
  },
})

/** Its objects are instances of no class of ours. */
const ofAnotherRealm: HostSchema<{ n: number }> = runInNewContext('Object.assign({}, schema)', {
  schema: handWritten,
})

const JSON_SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }

test.each<[string, HostSchema<{ n: number }>, unknown]>([
  ['our copy of zod', z.object({ n: z.number() }), expect.objectContaining(JSON_SCHEMA)],
  ['another copy of zod', copy.object({ n: copy.number() }), expect.objectContaining(JSON_SCHEMA)],
  ['zod/mini', mini.object({ n: mini.number() }), expect.objectContaining(JSON_SCHEMA)],
  ['zod 3', zod3.object({ n: zod3.number() }), {}],
  ['a schema written by hand', handWritten, {}],
  ['a schema of another realm', ofAnotherRealm, {}],
  ['a function with a schema in it', tellsItself, { $comment: 'draft-2020-12' }],
])('%s checks what goes in and what comes out', async (_, schema, inputSchema) => {
  const answers: unknown[] = [{ n: 2 }, { n: 'x' }]
  const made = hostFunction({
    description: 'a test',
    input: schema,
    output: schema,
    handler: () => answers.shift() as { n: number },
  })
  expect(made.inputSchema).toEqual(inputSchema)
  expect(await made.check({ n: 1 })).toEqual({ value: { n: 1 } })
  expect(await made.check({ n: 'x' })).toEqual({ problem: expect.stringMatching(/number[\s\S]*→ at n$/) })
  expect(await made.call({ n: 1 }, context)).toEqual({ value: { n: 2 } })
  expect(await made.call({ n: 1 }, context)).toEqual({ problem: expect.stringMatching(/number/) })
})

test('the handler is given what the schema says, whichever library it is of', () => {
  hostFunction({
    description: 'a test',
    input: copy.object({ a: copy.string().transform(Number) }),
    handler: (input) => expectTypeOf(input).toEqualTypeOf<{ a: number }>(),
  })
  hostFunction({
    description: 'a test',
    input: mini.object({ a: mini.optional(mini.string()) }),
    handler: (input) => expectTypeOf(input).toEqualTypeOf<{ a?: string | undefined }>(),
  })
  hostFunction({
    description: 'a test',
    input: zod3.object({ a: zod3.string().default('') }),
    handler: (input) => expectTypeOf(input).toEqualTypeOf<{ a: string }>(),
  })
})

test('a check that takes its time is waited for', async () => {
  const late = z.string().refine(async (text) => text === 'right', 'is not the right one')
  const made = hostFunction({ description: 'a test', input: late, handler: () => 1 })
  expect(await made.check('right')).toEqual({ value: 'right' })
  expect(await made.check('wrong')).toEqual({ problem: '✖ is not the right one' })
})

test.each([
  ['a JSON Schema', { type: 'object' }],
  ['a zod that is too old', { _def: {}, safeParse: () => undefined }],
  ['nothing', undefined],
  ['null', null],
])('%s for a schema is refused with what is wanted', (_, input) => {
  const definition = { description: 'a test', input, handler: () => 1 } as unknown
  expect(() => hostFunction(definition as HostFunctionDefinition<unknown, unknown>)).toThrow(
    /option "input": must be a zod 4 schema, or one of a library with Standard Schema/,
  )
})
