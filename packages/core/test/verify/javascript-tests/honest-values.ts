// Right programs that answer with data, change their arguments, throw and wait.
import type { Program } from './judged.js'

/** Name, program, what the tests import, and the tests. */
export type HonestProgram = readonly [string, Program, string, string]

/** What crosses between two processes as data. */
export const HONEST_VALUES: readonly HonestProgram[] = [
  [
    'answers with plain data',
    'export const add = (a, b) => a + b',
    '{ add }',
    'assert.strictEqual(add(1, 2), 3)',
  ],
  [
    'is a default export',
    'export default function f(x) { return [x] }',
    'f',
    'assert.deepStrictEqual(f(1), [1])',
  ],
  [
    'is used as a namespace',
    'export const a = 1, f = () => 2',
    '* as all',
    'assert.equal(all.a + all.f(), 3)',
  ],
  [
    'answers with every kind of plain data',
    `export const all = () => ({ u: undefined, n: null, nan: NaN, zero: -0, big: 12345678901234567890n, inf: -Infinity,
  at: new Date(5), re: /a+/giu, map: new Map([[{ a: 1 }, new Set([1, 'x'])]]), bytes: new Uint8Array([1, 255]),
  floats: new Float64Array([0.1, -0, NaN]), buffer: Buffer.from('hé'), sym: Symbol.for('k'), iter: Symbol.iterator, holes: [1, , 3],
  text: '\\ud800 \\u{1f600}', bare: Object.assign(Object.create(null), { x: 1 }), box: Object('s'), ['__proto__']: 7,
  long: Object.assign([], { length: 4e9 }), match: 'abc'.match(/b/) })`,
    '{ all }',
    `const holes = [1, , 3]
assert.deepStrictEqual(all(), { u: undefined, n: null, nan: NaN, zero: -0, big: 12345678901234567890n, inf: -Infinity,
  at: new Date(5), re: /a+/giu, map: new Map([[{ a: 1 }, new Set([1, 'x'])]]), bytes: new Uint8Array([1, 255]),
  floats: new Float64Array([0.1, -0, NaN]), buffer: Buffer.from('hé'), sym: Symbol.for('k'), iter: Symbol.iterator, holes,
  text: '\\ud800 \\u{1f600}', bare: Object.assign(Object.create(null), { x: 1 }), box: Object('s'), ['__proto__']: 7,
  long: Object.assign([], { length: 4e9 }), match: 'abc'.match(/b/) })
assert.ok(!(1 in all().holes))
assert.ok(Object.is(all().zero, -0))`,
  ],
  [
    'has cycles and the same object twice',
    'export const make = () => { const a = { n: 1 }; a.self = a; return [a, a] }',
    '{ make }',
    'const [a, b] = make()\nassert.strictEqual(a, b)\nassert.strictEqual(a.self, a)',
  ],
  [
    'changes its arguments in place',
    `export const sort = (xs) => { xs.sort((a, b) => a - b) }
export const put = (map, set, bytes, object) => { map.set('k', 1); set.add(2); bytes[0] = 9; delete object.gone; object.inner.push(3) }
export const same = (xs) => xs`,
    '{ sort, put, same }',
    `const xs = [3, 1, 2]
assert.strictEqual(sort(xs), undefined)
assert.deepStrictEqual(xs, [1, 2, 3])
const [map, set, bytes, object] = [new Map(), new Set(), new Uint8Array(1), { gone: 1, inner: [] }]
const { inner } = object
put(map, set, bytes, object)
assert.deepStrictEqual([map, set, bytes, object], [new Map([['k', 1]]), new Set([2]), new Uint8Array([9]), { inner: [3] }])
assert.strictEqual(object.inner, inner)
assert.strictEqual(same(xs), xs)`,
  ],
  [
    'keeps an argument and changes it later',
    'export class Stack { constructor(xs) { this.xs = xs } push(x) { this.xs.push(x); return this } }',
    '{ Stack }',
    'const xs = []\nconst stack = new Stack(xs)\nassert.strictEqual(stack.push(1).push(2), stack)\nassert.deepEqual(xs, [1, 2])',
  ],
  [
    'respects what is frozen',
    "export const tryIt = (o) => { try { 'use strict'; o.a = 2 } catch (e) { return e.name } }",
    '{ tryIt }',
    'assert.equal(tryIt(Object.freeze({ a: 1 })), "TypeError")',
  ],
  [
    'throws',
    `export class Odd extends Error { constructor(n) { super('odd: ' + n); this.name = 'Odd'; this.n = n } }
class Even extends RangeError {}
export const f = (n) => { if (n === 0) throw new TypeError('zero'); if (n === 1) throw new Odd(n); if (n === 2) throw new Even('even', { cause: new Error('why') }); throw 'text' }`,
    '{ f, Odd }',
    `assert.throws(() => f(0), TypeError)
assert.throws(() => f(0), { name: 'TypeError', message: 'zero' })
assert.throws(() => f(0), /zero/)
assert.throws(() => f(1), Odd)
assert.throws(() => f(1), (error) => error instanceof Odd && error instanceof Error && error.n === 1 && error.name === 'Odd')
assert.throws(() => f(2), RangeError)
assert.throws(() => f(2), (error) => error.cause.message === 'why' && error.constructor.name === 'Even')
try { f(3); assert.fail('no') } catch (error) { assert.equal(error, 'text') }
assert.doesNotThrow(() => new Odd(3))`,
  ],
  [
    'is asynchronous',
    `export const later = (x) => new Promise((resolve) => setTimeout(resolve, 20, x))
export const bad = async () => { await later(); throw new RangeError('bad') }
export async function all(xs) { return Promise.all(xs.map(later)) }`,
    '{ later, bad, all }',
    `assert.strictEqual(await later(5), 5)
assert.ok(later(1) instanceof Promise)
await assert.rejects(bad(), RangeError)
await assert.rejects(() => bad(), { message: 'bad' })
assert.deepStrictEqual(await all([1, 2]), [1, 2])
assert.deepStrictEqual(await Promise.all([later(1), later(2)]), [1, 2])
assert.equal(await Promise.race([later('x'), new Promise((r) => setTimeout(r, 900, 'slow'))]), 'x')`,
  ],
]
