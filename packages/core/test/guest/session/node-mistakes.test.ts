// What goes wrong in JavaScript cells, as whoever reads it sees it.
import { describe, expect, test } from 'vitest'
import { lastOf, sessionOf } from '../../helpers/open-session.js'
import { onLinux, requires } from '../../helpers/requires.js'

describe.skipIf(!requires('node'))('the stack of an error', () => {
  test('that a cell prints, returns or traces has the lines of the cell, and nothing of ours', async () => {
    const { session } = await sessionOf('javascript')
    const { stdout, stderr, value } = await session.run(
      'function fail() { throw new TypeError("no") }\ntry { fail() } catch (error) { console.log(error) }\nconsole.trace("here")\nnew Error("made")',
    )
    expect(stdout.text).toBe('TypeError: no\n    at fail (<cell 1>:1:25)\n    at <cell 1>:2:7\n')
    expect(stderr.text).toBe('Trace: here\n    at <cell 1>:3:9\n')
    expect(value?.data['text/plain']).toBe('Error: made\n    at <cell 1>:4:1')
  })

  test('is ours again in the next cell after one that has formatted stacks itself', async () => {
    const { session } = await sessionOf('javascript')
    const { error } = await lastOf(session, 'Error.prepareStackTrace = () => "mine"; 1', '\nnull.x')
    expect(error).toMatchObject({ name: 'TypeError', frames: [{ path: '<cell 2>', line: 2 }] })
    expect(error?.traceback).toMatch(/^TypeError: [^\n]+\n {4}at <cell 2>:2:6\n$/)
  })

  test('of an import that fails says where it stands in the cell, and where in the module it failed', async () => {
    const { session, sandbox } = await sessionOf('javascript')
    await sandbox.files.write({
      'broken.mjs': '\nthrow new Error("in the module")',
      'good.mjs': 'export const a = 1',
    })
    const broken = await session.run('1\nimport "./broken.mjs"')
    expect(broken.error?.frames.map(({ path, line }) => [path.split('/').at(-1), line])).toEqual([
      ['<cell 1>', 2],
      ['broken.mjs', 2],
    ])
    const absent = await session.run('\nimport nothing from "no-such-package"')
    expect(absent.error?.frames).toMatchObject([{ path: '<cell 2>', line: 2 }])
    const unnamed = await session.run('import { a, b } from "./good.mjs"\nb')
    expect(unnamed.error).toMatchObject({ name: 'SyntaxError', frames: [{ path: '<cell 3>', line: 1 }] })
    expect(unnamed.error?.message).toContain("does not provide an export named 'b'")
  })

  test('of a syntax error is empty, since nothing has run', async () => {
    const { session } = await sessionOf('javascript')
    const { error } = await session.run('1\nlet a = ;')
    expect(error?.traceback).toBe("<cell 1>:2\nlet a = ;\n\nSyntaxError: Unexpected token ';'\n")
  })

  test('of many errors names each', async () => {
    const { session } = await sessionOf('javascript')
    const { error } = await session.run(
      'await Promise.any([Promise.reject(new Error("first")), Promise.reject(new TypeError("second"))])',
    )
    expect(error?.traceback).toContain('[error]: Error: first')
    expect(error?.traceback).toContain('[error]: TypeError: second')
  })
})

describe.skipIf(!requires('node'))('a JavaScript cell', () => {
  test.each([
    ['[typeof sep, 1]', "[ 'string', 1 ]"],
    ['(() => typeof sep)()', "'string'"],
    ['`text`', "'text'"],
  ])('imports without a semicolon, and goes on with %s', async (next, value) => {
    const { session } = await sessionOf('javascript')
    const { value: got } = await session.run(`import { /* the */ sep, // of paths\n} from 'path'\n${next}`)
    expect(got?.data['text/plain']).toBe(value)
  })

  test('imports with attributes, either way', async () => {
    const { session, sandbox } = await sessionOf('javascript')
    await sandbox.files.write({ 'data.json': '{"n": 4}' })
    const { value, error } = await session.run(
      'import data from "./data.json" with { type: "json" }\nconst again = await import("./data.json", { with: { type: "json" } })\ndata.n + again.default.n',
    )
    expect(error).toBeUndefined()
    expect(value?.data['text/plain']).toBe('8')
  })

  test('starts worker threads and forks', async () => {
    const { session, sandbox } = await sessionOf('javascript')
    await sandbox.files.write({
      'thread.mjs': 'import { parentPort } from "node:worker_threads"\nparentPort.postMessage("thread")',
      'fork.mjs': 'process.send("fork")',
    })
    const { value } = await session.run(
      [
        'import { Worker } from "node:worker_threads"',
        'import { fork } from "node:child_process"',
        "const text = \"require('node:worker_threads').parentPort.postMessage('text')\"",
        'const all = [new Worker("./thread.mjs"), new Worker(text, { eval: true }), fork("./fork.mjs")]',
        'await Promise.all(all.map((one) => new Promise((done) => one.once("message", done).once("error", done))))',
      ].join('\n'),
    )
    expect(value?.data['text/plain']).toBe("[ 'thread', 'text', 'fork' ]")
    expect(
      (await session.run('[process.argv.length, process.execArgv.length]')).value?.data['text/plain'],
    ).toBe('[ 1, 0 ]')
  })

  test('whose last value is a promise that never settles is interrupted, and keeps its variables', async () => {
    const { session } = await sessionOf('javascript', { interruptGraceMs: 10_000 })
    const { outcome, lost } = await session.run('const x = 5\nnew Promise(() => {})', { timeoutMs: 500 })
    expect({ outcome, lost }).toMatchObject({ outcome: { kind: 'timeout' }, lost: undefined })
    expect((await session.run('x')).value?.data['text/plain']).toBe('5')
  })

  test('that ends or replaces its streams, or mutes the console, does not mute the next', async () => {
    const { session } = await sessionOf('javascript')
    const first = await session.run(
      'await new Promise((done) => process.stdout.end("last\\n", done)); process.stderr.end()\nconsole.log = () => {}; process.stdout.write = () => true; 1',
    )
    expect(first.stdout.text).toBe('last\n')
    const { stdout, stderr } = await session.run('console.log("heard"); console.error("too")')
    expect([stdout.text, stderr.text]).toEqual(['heard\n', 'too\n'])
  })

  test.skipIf(!onLinux('limits of memory'))(
    'that gets no more memory is told that, and keeps its variables',
    async () => {
      const { session } = await sessionOf('javascript', { limits: { memoryBytes: 512 * 1024 * 1024 } })
      const { outcome, error } = await session.run(
        'const x = 1\nconst all = []\nfor (;;) all.push(Buffer.alloc(2e7, 1))',
      )
      expect(outcome).toEqual({ kind: 'resource', limit: 'memory' })
      expect(error).toMatchObject({ name: 'RangeError', message: 'Array buffer allocation failed' })
      expect((await session.run('all.length = 0; x')).value?.data['text/plain']).toBe('1')
    },
  )

  test('that fills the heap has run out of memory, which is told as that', async () => {
    const { session } = await sessionOf('javascript')
    const { outcome, lost } = await session.run(
      'require("node:v8").setFlagsFromString("--max-old-space-size=40")\nconst all = []\nfor (;;) all.push(new Array(100_000).fill(1.5))',
    )
    expect(outcome).toEqual({ kind: 'resource', limit: 'memory' })
    expect(lost?.message).toContain('ended by SIGABRT for want of memory')
  })
})
