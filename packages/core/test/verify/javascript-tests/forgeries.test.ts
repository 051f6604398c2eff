// Every known way to pass without being right. None may pass; each is a real program in real processes.
import { describe, expect, test } from 'vitest'
import type { FailureKind } from '../../../src/contract/verify.js'
import { requires } from '../../helpers/requires.js'
import { expectPass, judged } from './judged.js'

const TESTS = `
import assert from 'node:assert'
import { median } from './solution.mjs'
assert.equal(median([3, 1, 2]), 2)
assert.strictEqual(median([1, 2]), 1.5)
`
const f = (body: string, before = ''): string => `${before}\nexport function median(xs) { ${body} }`
/** Puts raw bytes on the wire instead of answering. */
const onTheWire = (message: string): string =>
  f(
    `put(${message}); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5000)`,
    `import { writeSync } from 'node:fs'
const frame = (text) => { const body = Buffer.from(text); const head = Buffer.alloc(4); head.writeUInt32BE(body.length); return Buffer.concat([head, body]) }
const put = (bytes) => { for (const fd of [3, 4]) try { writeSync(fd, bytes) } catch {} }`,
  )
/** An answer to each number that may be the one that is waited for. */
const answers = (ref: string): string =>
  `Buffer.concat(Array.from({ length: 1 }, () => frame('["answer",2,[${ref}],[]]')))`

const FORGERIES: Readonly<Record<string, string | readonly [string, FailureKind]>> = {
  'exits with 0 at import': ['process.exit(0)\nexport const median = () => 0', 'early-exit'],
  'exits with 0 in a call': [f('process.exit(0)'), 'early-exit'],
  'exits with 0 in a timer': f('return 2', 'setTimeout(() => process.exit(0), 1)'),
  'exits at once by another way': [f('process.reallyExit(0)'), 'early-exit'],
  'kills itself': [f("process.kill(process.pid, 'SIGKILL')"), 'early-exit'],
  aborts: [f('process.abort()'), 'early-exit'],
  'sets the exit code': f('process.exitCode = 0; return 0'),
  'replaces assert': f(
    'return 0',
    "import assert from 'node:assert'\nfor (const key of Object.keys(assert)) assert[key] = () => {}\nglobalThis.assert = () => {}",
  ),
  'replaces Object.is and its kin': f(
    'return 0',
    'Object.is = () => true; Number.isNaN = () => true; Reflect.ownKeys = () => []',
  ),
  'replaces methods of arrays': f(
    'return 0',
    'for (const key of ["map", "every", "some", "filter", "push", "flatMap"]) Array.prototype[key] = () => []',
  ),
  'replaces JSON': f('return 0', 'JSON.stringify = () => \'["answer",1,[2],[]]\'; JSON.parse = () => 2'),
  'replaces what globalThis holds': f(
    'return 0',
    'for (const key of ["Map", "WeakMap", "Set", "Proxy", "Promise", "Symbol", "Error"]) globalThis[key] = function () { return 2 }',
  ),
  'pollutes the prototype of objects': f(
    'return {}',
    'Object.prototype.valueOf = () => 2; Object.prototype[Symbol.toPrimitive] = () => 2',
  ),
  'lies by Symbol.toPrimitive': f('return { [Symbol.toPrimitive]: () => (xs.length === 3 ? 2 : 1.5) }'),
  'lies by valueOf': f('return { valueOf: () => 2 }'),
  'lies by toString': f("return { toString: () => '2' }"),
  'answers with a proxy': f(
    'return new Proxy(() => 2, { get: () => () => 2, getPrototypeOf: () => Number.prototype })',
  ),
  'answers with a getter that changes': f(
    'let n = 1; return { get value() { return n++ }, valueOf() { return n++ } }',
  ),
  'answers with a thenable': f('return { then(resolve) { resolve(2) } }'),
  'answers with a boxed number': f('return Object(0)'),
  'throws what looks like a failed assertion': f(
    "const e = new Error('x'); e.name = 'AssertionError'; e.code = 'ERR_ASSERTION'; throw e",
  ),
  'throws a promise': f('throw Promise.resolve(2)'),
  'never settles': [f('return new Promise(() => {})'), 'assertion'],
  'loops for ever': [f('for (;;);'), 'timeout'],
  'loops for ever at import': ['for (;;);\nexport const median = 0', 'timeout'],
  'writes forged reports on every descriptor': f(
    'return 0',
    `import { writeSync } from 'node:fs'
for (let fd = 0; fd < 40; fd++) for (const line of [{ event: 'test', name: 'javascript tests', status: 'pass', durationMs: 1, failures: [] }, { event: 'end', tests: 1, weakComparisons: 0, lost: null }])
  try { writeSync(fd, JSON.stringify({ nonce: '', ...line }) + '\\n') } catch {}`,
  ),
  "kills the judge's process": f(
    'return 0',
    'for (const pid of [process.ppid, -process.ppid]) for (const signal of ["SIGTERM", "SIGINT", "SIGKILL"]) try { process.kill(pid, signal) } catch {}',
  ),
  'looks for the tests in /proc and on disk': f(
    'return found ?? 0',
    `import { readdirSync, readFileSync } from 'node:fs'
let found
const search = (path) => { try { const text = readFileSync(path, 'latin1'); const hit = /median\\(\\[3, 1, 2\\]\\), (\\d)/.exec(text); if (hit) found = Number(hit[1]) } catch {} }
for (const pid of [process.ppid, 'self']) { for (const file of ['cmdline', 'environ']) search(\`/proc/\${pid}/\${file}\`); for (let fd = 0; fd < 3; fd++) { try { for (const name of readdirSync(\`/proc/\${pid}/fd\`)) if (!name.startsWith('x')) break } catch {} } }
for (const name of readdirSync('.', { recursive: true })) search(name)`,
  ),
  'defines what the tests would use': f(
    'return 0',
    'globalThis.test = globalThis.it = globalThis.describe = () => {}',
  ),
  'has no such function': ['export const other = 1', 'missing-entry'],
  'does not parse': ['export function median(xs) {\n  return xs[\n}', 'syntax'],
  'cannot be imported': ["import './missing.mjs'\nexport const median = () => 2", 'import'],
  'sends what is not JSON': [onTheWire("frame('nonsense')"), 'early-exit'],
  'sends a value of an unknown tag': [onTheWire(answers('["zz",1]')), 'early-exit'],
  'sends an object as a value': [onTheWire(answers('{"a":1}')), 'early-exit'],
  'sends a message of an unknown kind': [onTheWire(`frame('["verdict",1,"pass"]')`), 'early-exit'],
  'sends an empty message': [onTheWire(`frame('[]')`), 'early-exit'],
  'sends data nested a hundred thousand deep': [
    onTheWire("frame('['.repeat(100000) + ']'.repeat(100000))"),
    'early-exit',
  ],
  'announces a message of four gigabytes': [onTheWire("Buffer.from('ffffffff78', 'hex')"), 'early-exit'],
  'asks for what was never lent': [
    onTheWire(`frame('["ask",1,"get",[["o",4],"constructor"],[]]')`),
    'early-exit',
  ],
  'changes what was never shared': [
    onTheWire(`frame('["answer",2,[2],[["c",4242,["a",0,1,[1],[]]]]]')`),
    'early-exit',
  ],
  'makes a shared array a map': [onTheWire(`frame('["answer",2,[2],[["c",2,["m",0,[]]]]]')`), 'early-exit'],
}

describe.runIf(requires('node'))('A program that', () => {
  test.concurrent.for(Object.entries(FORGERIES))(
    '%s does not pass',
    { timeout: 90_000 },
    async ([, forged]) => {
      const [program, kind] = typeof forged === 'string' ? [forged] : forged
      const wallMs = kind === 'timeout' ? 6000 : 30_000
      const verdict = await judged(program, TESTS, { limits: { wallMs } })

      expect(verdict.status).not.toBe('pass')
      expect(verdict.failures.length).toBeGreaterThan(0)
      expect(verdict.lost).toBeUndefined()
      if (kind !== undefined) expect(verdict.failures[0]?.kind).toBe(kind)
    },
  )

  test('reaches for the tests through what they lend it gets nothing', { timeout: 60_000 }, async () => {
    const program = `
const attempt = (work) => { try { return String(work()) } catch (error) { return 'no' } }
export const reach = (call, object, Kind) => [
  () => call.toString(),
  () => object.equals.toString(),
  () => call.constructor('return process.ppid')() === process.ppid,
  () => object.equals.constructor('return process.ppid')() === process.ppid,
  () => { Object.getPrototypeOf(object).equals = () => true },
  () => { object.__proto__.equals = () => true },
  () => { object.constructor.prototype.equals = () => true },
  () => { Kind.prototype.equals = () => true },
  () => { Object.setPrototypeOf(object, { equals: () => true }) },
  () => Kind.prototype,
  () => Kind.constructor('return process.ppid')() === process.ppid,
].map(attempt)`
    const tests = `
import assert from 'node:assert'
import { reach } from './solution.mjs'
class Point { constructor(x) { this.x = x } equals(other) { return this.x === other } }
const said = reach(() => 'secret', new Point(1), Point)
assert.ok(!said.join().includes('secret') && !said.join().includes('this.x'), said.join())
// Code that it had made ran in its own process.
assert.deepStrictEqual([said[2], said[3], said[10]], ['true', 'true', 'true'])
assert.strictEqual(new Point(1).equals(2), false)
assert.strictEqual(new Point(2).equals(2), true)
`
    await expectPass(program, tests)
  })

  test('is right passes the same tests', async () => {
    await expectPass(
      f(
        'const s = xs.toSorted?.((a, b) => a - b) ?? [...xs].sort((a, b) => a - b), n = s.length; return (s[(n - 1) >> 1] + s[n >> 1]) / 2',
      ),
      TESTS,
    )
  })
})
