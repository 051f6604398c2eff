// Code in a session asks the application: allowed, typed, bounded, and logged.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { HostCallEvent } from '../../../src/guest/session/host-desk.js'
import {
  createHostFunctions,
  HostCallError,
  type HostFunctions,
  hostFunction,
} from '../../../src/guest/session/host-function.js'
import type { OpenSessionOptions } from '../../../src/guest/session/session-options.js'
import { sessionOf } from '../../helpers/open-session.js'
import { requires } from '../../helpers/requires.js'

const never = new Promise<never>(() => undefined)
const one = (handler: (input: unknown) => unknown, more: object = {}) =>
  hostFunction({ description: 'a test', input: z.unknown(), handler, ...more })

/** The functions of every test here. */
function functions(): HostFunctions {
  return createHostFunctions({
    add: hostFunction({
      description: 'Adds two numbers.',
      input: z.strictObject({ a: z.number(), b: z.number() }),
      output: z.number(),
      handler: ({ a, b }) => a + b,
    }),
    echo: one((input) => input),
    save: hostFunction({
      description: 'Writes a file.',
      input: z.string(),
      handler: async (path, { files }) => {
        await files.write({ [path]: new Uint8Array([0, 255]) })
        return path
      },
    }),
    hangs: one(() => never, { timeoutMs: 100 }),
    ponders: one(() => 1, { input: z.unknown().refine(() => never), timeoutMs: 100 }),
    throws: one(() => {
      throw new Error('the password is 1234')
    }),
    refuses: one(() => {
      throw new HostCallError('ask for less')
    }),
    lies: one(() => 'text', { output: z.number() }),
    function: one(() => () => 1),
    large: one(() => 'x'.repeat(2000), { maxOutputBytes: 1000 }),
    small: one(() => 1, { maxInputBytes: 100 }),
    twice: one(() => 1, { maxCalls: 2 }),
    slowly: one(() => 1, { maxCallsPerSecond: 3 }),
  })
}

/** Calls that are refused: name, arguments, what the cell reads. */
const REFUSED: readonly (readonly [name: string, args: string, message: RegExp])[] = [
  ['nowhere', '1', /^unknown-function: there is no function "nowhere"; known: add, echo/],
  ['__proto__', '1', /^unknown-function/],
  ['add', '{"a": "1", "b": 2}', /^invalid-input: add does not take this: .*expected number/],
  ['hangs', '1', /^timed-out: hangs did not answer within 100 ms/],
  ['ponders', '1', /^timed-out: ponders did not answer within 100 ms/],
  ['throws', '1', /^failed: throws failed in the application\n$/],
  ['refuses', '1', /^failed: refuses: ask for less/],
  ['lies', '1', /^invalid-output/],
  ['function', '1', /^invalid-output/],
  ['large', '1', /^too-large: the answer of large is \d+ bytes long/],
  ['small', '"x" + "y".repeat(200)', /^too-large: small takes at most 100 bytes/],
]

/** A cell in each language that makes one call and prints `code: message` of what it throws. */
const CALL = {
  python: (name: string, args: string) =>
    `try: print(host.call(${JSON.stringify(name)}, ${args}))\nexcept HostError as e: print(e.code + ": " + str(e))`,
  javascript: (name: string, args: string) =>
    `try { console.log(await host.call(${JSON.stringify(name)}, ${args})) }\ncatch (e) { console.log(e.code + ": " + e.message) }`,
}

async function withHost(language: OpenSessionOptions['language']) {
  const events: HostCallEvent[] = []
  const opened = await sessionOf(language, { host: functions(), onHostCall: (event) => events.push(event) })
  return { ...opened, events }
}

describe.skipIf(!requires('python3')).each(['python', 'javascript'] as const)(
  'host calls from %s',
  (language) => {
    test('an answer comes back as a value, and the call is logged', async () => {
      const { session, events } = await withHost(language)
      const { stdout } = await session.run(CALL[language]('add', '{"a": 1.5, "b": 2}'))
      expect(stdout.text).toBe('3.5\n')
      expect(events).toEqual([
        { name: 'add', inputBytes: expect.any(Number), outputBytes: 13, durationMs: expect.any(Number) },
      ])
    })

    test('texts, bytes, keys with a dollar and files come back as they went', async () => {
      const { session, sandbox } = await withHost(language)
      const code = {
        python:
          'v = {"$bytes": "x", "é😀": [None, True, b"\\x00\\xff"], "d": {"$plain": 1}}\nassert host.call("echo", v) == v\nassert open(host.call("save", "f.bin"), "rb").read() == b"\\x00\\xff"',
        javascript:
          'const v = { $bytes: "x", "é😀": [null, true, new Uint8Array([0, 255])], d: { $plain: 1 } }\nrequire("assert").deepStrictEqual(await host.call("echo", v), v)\nrequire("assert").deepStrictEqual([...require("fs").readFileSync(await host.call("save", "f.bin"))], [0, 255])',
      }[language]
      const { error, ok } = await session.run(code)
      expect([ok, error]).toEqual([true, undefined])
      expect(await sandbox.files.read('f.bin')).toEqual(new Uint8Array([0, 255]))
    })

    test('what is not allowed is refused with a clear error, and the next call is right', async () => {
      const { session, events } = await withHost(language)
      for (const [name, args, message] of REFUSED) {
        const given = language === 'python' ? args.replace('.repeat(200)', ' * 200') : args
        const { stdout, ok } = await session.run(CALL[language](name, given))
        expect([name, ok, stdout.text]).toEqual([name, true, expect.stringMatching(message)])
        expect(events.at(-1)?.error?.code).toBe(/^[a-z-]+/.exec(stdout.text)?.[0])
        expect((await session.run(CALL[language]('add', '{"a": 1, "b": 2}'))).stdout.text).toBe('3\n')
      }
      const thrown = events.find(({ name }) => name === 'throws')
      expect(thrown?.error?.cause).toEqual(new Error('the password is 1234'))
    })

    test('too many calls, and too many in a second, are refused', async () => {
      const { session } = await withHost(language)
      const calls = async (name: string, count: number): Promise<string[]> => {
        const cell = Array(count).fill(CALL[language](name, '1')).join('\n')
        return (await session.run(cell)).stdout.text.trim().split('\n')
      }
      expect((await calls('twice', 3)).at(-1)).toMatch(/^too-many-calls/)
      expect((await calls('slowly', 4)).at(-1)).toMatch(/^rate-limited/)
    })

    test('many calls at the same time wait for one another', async () => {
      const { session } = await withHost(language)
      const code = {
        python:
          'from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(8) as pool: r = list(pool.map(lambda n: host.call("echo", n), range(60)))\nr == list(range(60))',
        javascript:
          'const r = await Promise.all(Array.from({ length: 60 }, (_, n) => host.call("echo", n)))\nr.every((v, n) => v === n)',
      }[language]
      const { value } = await session.run(code)
      expect(value?.data['text/plain']?.toLowerCase()).toBe('true')
    })

    test('what would arrive as something else is refused', async () => {
      const { session, events } = await withHost(language)
      const odd = {
        python: ['2**53', '{1}', 'loop'],
        javascript: ['10n', 'new Map([[1, 2]])', 'loop'],
      }[language]
      await session.run(
        language === 'python' ? 'loop = []\nloop.append(loop)' : 'const loop = []; loop.push(loop)',
      )
      for (const args of odd)
        expect((await session.run(CALL[language]('echo', args))).stdout.text).toMatch(/^invalid-input: /)
      expect(events).toEqual([])
    })

    test('calls that are made while the next cell is on its way are answered, too', async () => {
      const { session } = await sessionOf(language, {
        host: createHostFunctions({ echo: one((x) => x, { maxCalls: 1e6, maxCallsPerSecond: 1e6 }) }),
      })
      await session.run(
        language === 'python'
          ? 'import threading, time\ncount = 0\ndef calls():\n    global count\n    while True: count += host.call("echo", 1)\nthreading.Thread(target=calls, daemon=True).start()\ndef works():\n    while True: sum(range(1000))\nthreading.Thread(target=works, daemon=True).start()'
          : 'let count = 0\nconst calls = async () => { for (;;) count += await host.call("echo", 1) }\nvoid calls()',
      )
      for (let cell = 0; cell < 40; cell++) await session.run('1')
      const { value } = await session.run(
        language === 'python'
          ? 'before, until = count, time.monotonic() + 10\nwhile count == before and time.monotonic() < until: time.sleep(0.01)\ncount > before'
          : 'const before = count; for (let n = 0; n < 1000 && count === before; n++) await new Promise((go) => setTimeout(go, 10))\ncount > before',
      )
      expect(value?.data['text/plain']?.toLowerCase()).toBe('true')
    })

    test('a refusal says where in the cell the call stands', async () => {
      const { session } = await withHost(language)
      const { error } = await session.run(
        language === 'python' ? '\n\nhost.call("throws")' : '\n\nawait host.call("throws")',
      )
      expect(error?.frames.map(({ path, line }) => [path, line])).toEqual([['<cell 1>', 3]])
    })

    test('nothing can be called where nothing was given', async () => {
      const { session } = await sessionOf(language)
      expect((await session.run('host')).error?.name).toMatch(/NameError|ReferenceError/)
    })

    test('a call that is interrupted leaves the next one right', async () => {
      const { session } = await sessionOf(language, {
        host: createHostFunctions({
          slow: one(() => new Promise((resolve) => setTimeout(resolve, 700, 'old'))),
          echo: one((x) => x),
        }),
      })
      const slow = await session.run(
        language === 'python' ? 'host.call("slow")' : 'await host.call("slow")',
        { timeoutMs: 200 },
      )
      expect([slow.outcome.kind, slow.lost]).toEqual(['timeout', undefined])
      expect((await session.run(CALL[language]('echo', '"new"'))).stdout.text).toBe('new\n')
    })
  },
)
