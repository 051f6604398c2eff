// Cells of a Node session: what they keep, what they print, what they say of a mistake, how they end.
import { describe, expect, test } from 'vitest'
import { lastOf, sessionOf } from '../../helpers/open-session.js'

const text = (result: { value?: { data: Readonly<Record<string, string>> } }) =>
  result.value?.data['text/plain']

describe('values and variables', () => {
  test('const, let, functions and classes survive, and may be declared again', async () => {
    const { session } = await sessionOf('javascript')
    const cells = [
      'const x = 4; let y = 1; class A {}; function f() { return x }',
      'const x = 5; y = new A() && f(); y',
    ]
    expect(text(await lastOf(session, ...cells))).toBe('5')
  })

  test.each([
    ['6 * 7', '42'],
    ['({ a: [1, { b: 2n }] })', '{ a: [ 1, { b: 2n } ] }'],
    ['const q = await Promise.resolve(3); q + 1', '4'],
    ['async function main() { await null; return "late" }\nmain()', "'late'"],
    ['-0', '-0'],
    ['Symbol("s")', 'Symbol(s)'],
    ['null', 'null'],
    ['12n', '12n'],
  ])('the value of %j is shown', async (code, shown) => {
    const { session } = await sessionOf('javascript')
    expect(text(await session.run(code))).toBe(shown)
  })

  test('a value that is very large costs neither the session nor much memory', async () => {
    const { session } = await sessionOf('javascript', { limits: { memoryBytes: 512 * 1024 * 1024 } })
    await session.run('const kept = 1; const line = "line of text\\n"; const big = line.repeat(48 * 80_000)')
    const cells = [
      'big',
      '[big, big]',
      'new Map(Array.from({ length: 90 }, (_, n) => [n, Array(90).fill(big)]))',
      'Buffer.alloc(60_000_000)',
      '({ big, list: Array(1e7).fill(1) })',
      'Promise.resolve(big)',
    ]
    for (const cell of cells) {
      const { value, lost } = await session.run(cell)
      expect([cell, lost]).toEqual([cell, undefined])
      expect(value?.data['text/plain']?.length).toBeLessThan(70_000)
    }
    const { error } = await session.run('throw [big]')
    expect(error?.message.length).toBeLessThan(20_000)
    expect(text(await session.run('kept'))).toBe('1')
  })

  test('imports of every form work, and lines keep their numbers', async () => {
    const { session, sandbox } = await sessionOf('javascript')
    await sandbox.files.write({
      'own.mjs': 'export default 1\nexport const two = 2\n',
      'old.cjs': 'module.exports = { three: 3 }',
    })
    const { error } = await session.run(
      [
        'import fs, {',
        '  readFileSync as read,',
        '} from "node:fs"',
        'import * as path from \'path\'; import "node:os"',
        'import one, { two } from "./own.mjs"',
        'const text = `import x from "y" $' + '{typeof import("fs")} // import`',
        'const { three } = require("./old.cjs")',
        '// import nothing from "nowhere"',
        'throw new Error([fs.readFileSync === read, path.sep, one, two, three, /import x from "y"/.source, text].join())',
      ].join('\n'),
    )
    expect(error?.message).toBe('true,/,1,2,3,import x from "y",import x from "y" object // import')
    expect(error?.frames[0]?.line).toBe(9)
  })

  test('a module of the workspace is read again once its file has changed', async () => {
    const { session, sandbox } = await sessionOf('javascript')
    for (const [round, value] of ['1', '22'].entries()) {
      await sandbox.files.write({ 'own.mjs': `export const v = ${value}`, 'old.cjs': `exports.w = ${value}` })
      const result = await session.run('import { v } from "./own.mjs"; v + require("./old.cjs").w')
      expect([round, text(result)]).toEqual([round, String(Number(value) * 2)])
    }
  })

  test('display() shows values and known forms; pictures are told by their bytes', async () => {
    const { session } = await sessionOf('javascript')
    const { displays, value } = await session.run(
      'display(1, { [Symbol.for("Jupyter.display")]: () => ({ "text/html": "<b>", "application/json": { a: 1 } }) })\ndisplay.mime({ "image/svg+xml": "<svg/>" })\nBuffer.from("89504e470d0a1a0a", "hex")',
    )
    expect(displays.map(({ data }) => data)).toEqual([
      { 'text/plain': '1' },
      { 'text/plain': expect.any(String), 'text/html': '<b>', 'application/json': '{"a":1}' },
      { 'text/plain': '<image/svg+xml>', 'image/svg+xml': '<svg/>' },
    ])
    expect(value?.data['image/png']).toBe('iVBORw0KGgo=')
  })
})

describe('output and mistakes', () => {
  test('everything that was written belongs to the cell, a flood too', async () => {
    const { session } = await sessionOf('javascript')
    const { stdout, stderr } = await session.run(
      'console.log("é")\nrequire("fs").writeSync(1, "raw\\n")\nrequire("child_process").execSync("echo child", { stdio: "inherit" })\nconsole.error("oops")',
    )
    expect([stdout.text, stderr.text]).toEqual(['é\nraw\nchild\n', 'oops\n'])
    const flood = await session.run(
      'for (let n = 0; n < 100_000; n++) console.log("0123456789")\nrequire("fs").writeSync(1, "end")',
    )
    expect(flood.stdout).toMatchObject({ bytes: 1_100_003, truncated: true })
    expect(flood.stdout.text.endsWith('end')).toBe(true)
  })

  test('frames are those of the code as written, with the cause, and none of ours', async () => {
    const { session } = await sessionOf('javascript')
    await session.run('function top() {\n  throw new Error("a", { cause: new TypeError("b") })\n}')
    const { error, ok } = await session.run('\n\ntop()')
    expect(ok).toBe(false)
    expect(error).toMatchObject({
      name: 'Error',
      message: 'a',
      frames: [
        { path: '<cell 2>', line: 3, function: '<module>', source: 'top()' },
        { path: '<cell 1>', line: 2, function: 'top' },
      ],
      cause: { name: 'TypeError', message: 'b' },
    })
    expect(error?.traceback).toContain('at top (<cell 1>:2:')
    expect(error?.traceback).not.toMatch(/inspector|data:|base64|vm:/)
  })

  test('a syntax error says its line, and nothing of the cell has run', async () => {
    const { session } = await sessionOf('javascript')
    const { error } = await session.run('globalThis.ran = 1\nlet b = 2 2\n', { name: 'solution.js' })
    expect([error?.name, error?.frames[0]?.path, error?.frames[0]?.line]).toEqual([
      'SyntaxError',
      'solution.js',
      2,
    ])
    expect(text(await session.run('typeof ran'))).toBe("'undefined'")
  })

  test('what is thrown need be no error, and what is thrown later ends nothing', async () => {
    const { session } = await sessionOf('javascript')
    expect((await session.run('throw { code: 1 }')).error).toMatchObject({
      name: 'Uncaught',
      message: '{ code: 1 }',
    })
    const later = await session.run(
      'setTimeout(() => { throw new Error("later") }, 1)\nvoid Promise.reject(new Error("alone"))\nawait new Promise((done) => setTimeout(done, 100))\n"fine"',
    )
    expect([text(later), later.stderr.text]).toEqual([
      "'fine'",
      expect.stringMatching(/Uncaught Error: alone[\s\S]*Uncaught Error: later/),
    ])
  })
})

describe('ends', () => {
  test.each([
    ['a loop', 'for (;;) {}'],
    ['waiting', 'await new Promise(() => {})'],
  ])('%s is interrupted at its limit, and variables survive', async (_, code) => {
    const { session } = await sessionOf('javascript')
    await session.run('const x = 1')
    const { outcome, stdout, lost } = await session.run(`console.log("so far"); ${code}`, { timeoutMs: 400 })
    expect([outcome.kind, stdout.text, lost]).toEqual(['timeout', 'so far\n', undefined])
    expect(text(await session.run('x'))).toBe('1')
  })

  test('what cannot be interrupted is replaced, and says which variables are gone', async () => {
    const { session } = await sessionOf('javascript', { interruptGraceMs: 200 })
    await session.run('const x = 1; var y = 2')
    const { outcome, lost } = await session.run('await 1; for (;;) {}', { timeoutMs: 300 })
    expect([outcome.kind, lost?.reason, lost?.variables]).toEqual(['timeout', 'unresponsive', ['x', 'y']])
    const next = await session.run('typeof x')
    expect([text(next), next.epoch, next.restarted?.reason]).toEqual(["'undefined'", 2, 'unresponsive'])
  })

  test('process.exit() ends the cell, and not the session; a death is told as it was', async () => {
    const { session } = await sessionOf('javascript')
    const left = await lastOf(session, 'const x = 1', 'process.exit(3)')
    expect([left.outcome, left.lost]).toEqual([{ kind: 'exit', code: 3 }, undefined])
    expect((await session.run('process.exit()')).ok).toBe(true)
    const died = await session.run('console.log("last"); process.kill(process.pid, "SIGKILL"); for (;;) {}')
    expect([died.outcome, died.stdout.text]).toEqual([{ kind: 'signal', signal: 'SIGKILL' }, 'last\n'])
    expect(died.lost).toMatchObject({ reason: 'signal', variables: ['x'] })
    expect((await session.run('1')).ok).toBe(true)
  })
})
