// Right programs made of what stays with them: generators, classes, callbacks, files and threads.
import type { HonestProgram } from './honest-values.js'

/** What is used through stand-ins, and how programs live. */
export const HONEST_OBJECTS: readonly HonestProgram[] = [
  [
    'generates',
    `export function* count(n) { for (let i = 0; i < n; i++) { const sent = yield i; if (sent) i += sent } }
export async function* slowly(n) { for (let i = 0; i < n; i++) { await new Promise((r) => setTimeout(r, 1)); yield { i } } }
export const range = { *[Symbol.iterator]() { yield 1; yield 2 } }`,
    '{ count, slowly, range }',
    `assert.deepStrictEqual([...count(3)], [0, 1, 2])
const it = count(9)
assert.deepStrictEqual(it.next(), { value: 0, done: false })
assert.equal(it.next(4).value, 5)
assert.deepStrictEqual(it.return(7), { value: 7, done: true })
const seen = []
for await (const { i } of slowly(3)) seen.push(i)
assert.deepStrictEqual(seen, [0, 1, 2])
assert.equal(Math.max(...range), 2)
const [first] = count(1e9)
assert.equal(first, 0)`,
  ],
  [
    'is made of classes',
    `export class Animal { static count = 0; static make(n) { return new this(n) } #secret = 1
  constructor(name) { this.name = name; Animal.count++ } get shout() { return this.name.toUpperCase() } set nick(n) { this.name = n }
  speak() { return this.name + ' speaks' } toString() { return 'Animal(' + this.name + ')' } }
export class Dog extends Animal { speak() { return super.speak() + ': woof' } }
export const isDog = (x) => x instanceof Dog`,
    '{ Animal, Dog, isDog }',
    `const rex = new Dog('Rex')
assert.equal(rex.speak(), 'Rex speaks: woof')
assert.equal(rex.shout, 'REX')
rex.nick = 'Max'
assert.equal(rex.name, 'Max')
assert.ok(rex instanceof Dog)
assert.ok(rex instanceof Animal)
assert.ok(rex instanceof Object)
assert.ok(!(new Animal('x') instanceof Dog))
assert.equal(Animal.count, 2)
assert.ok(Animal.make('y') instanceof Animal)
assert.equal(String(rex), 'Animal(Max)')
assert.equal(\`\${rex}\`, 'Animal(Max)')
assert.ok(isDog(rex))
assert.equal(rex.constructor, Dog)
assert.equal(rex.constructor.name, 'Dog')
assert.equal(Object.getPrototypeOf(Dog), Animal)
assert.deepEqual(Object.keys(rex), ['name'])
assert.ok('name' in rex)
assert.equal(typeof Dog, 'function')
assert.throws(() => Dog('x'), TypeError)
assert.deepEqual(JSON.parse(JSON.stringify(rex)), { name: 'Max' })
assert.deepStrictEqual(new Dog('a'), new Dog('a'))
assert.notDeepStrictEqual(new Dog('a'), new Dog('b'))`,
  ],
  [
    'calls back',
    `export const map = (xs, f) => { const out = []; for (const x of xs) out.push(f(x)); return out }
export const compose = (...fs) => (x) => fs.reduceRight((y, f) => f(y), x)
export const attempt = (f) => { try { return f() } catch (error) { return error } }
export const wait = async (f) => (await f()) + 1
export function memo(f) { const seen = new Map(); return (x) => { if (!seen.has(x)) seen.set(x, f(x)); return seen.get(x) } }
export const debounce = (f, ms) => { let t; return (...xs) => { clearTimeout(t); t = setTimeout(() => f(...xs), ms) } }
export const bound = (f) => f.call({ a: 5 }, 1)`,
    '{ map, compose, attempt, wait, memo, debounce, bound }',
    `assert.deepStrictEqual(map([1, 2], (x) => ({ x })), [{ x: 1 }, { x: 2 }])
assert.deepStrictEqual(map(['1', '2'], Number), [1, 2])
assert.equal(compose((x) => x + 1, (x) => x * 2)(5), 11)
const own = new TypeError('mine')
assert.strictEqual(attempt(() => { throw own }), own)
assert.equal(await wait(async () => 4), 5)
let calls = 0
const once = memo((x) => { calls++; return x * 2 })
assert.deepStrictEqual([once(2), once(2), calls], [4, 4, 1])
const got = await new Promise((resolve) => { const d = debounce((...xs) => resolve(xs), 400); d(1); d(2, 3) })
assert.deepStrictEqual(got, [2, 3])
assert.equal(bound(function (x) { return this.a + x }), 6)
assert.deepStrictEqual(map([3], (x) => map([x], (y) => y + 1)), [[4]])`,
  ],
  [
    'works on objects of the tests',
    `export const reverse = (head) => { let previous = null; while (head) { const next = head.next; head.next = previous; previous = head; head = next } return previous }
export const total = (shapes) => shapes.reduce((sum, shape) => sum + shape.area(), 0)
export const log = (logger) => { logger.log('a'); logger.count += 1; return Object.keys(logger) }
export const kind = (x) => [typeof x, x.constructor.name, 'next' in x, x.missing, String(x)]`,
    '{ reverse, total, log, kind }',
    `class Node { constructor(value, next = null) { this.value = value; this.next = next } toString() { return 'N' + this.value } }
class Square { constructor(n) { this.n = n } area() { return this.n ** 2 } }
const last = new Node(2)
const head = new Node(1, last)
assert.strictEqual(reverse(head), last)
assert.strictEqual(last.next, head)
assert.strictEqual(head.next, null)
assert.equal(total([new Square(2), new Square(3)]), 13)
const lines = []
const logger = { count: 0, log(line) { lines.push(line) } }
assert.deepEqual(log(logger), ['count', 'log'])
assert.deepEqual([lines, logger.count], [['a'], 1])
assert.deepEqual(kind(head), ['object', 'Node', true, undefined, 'N1'])`,
  ],
  [
    'returns closures and objects with methods',
    `export const counter = () => { let n = 0; return { up: () => ++n, get now() { return n } } }
export const account = () => ({ balance: 0, put(x) { this.balance += x; return this } })`,
    '{ counter, account }',
    `const c = counter()
c.up()
const { up } = c
assert.equal(up(), 2)
assert.equal(c.now, 2)
const a = account()
assert.equal(a.put(3).put(4).balance, 7)
a.balance = 1
assert.equal(a.put(1).balance, 2)`,
  ],
  [
    'uses files, threads, processes, time and its output',
    `import { readFileSync, writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { execFileSync } from 'node:child_process'
export const file = () => { writeFileSync('own.txt', 'x'); return readFileSync('own.txt', 'utf8') + readFileSync(new URL('./data.txt', import.meta.url), 'utf8') }
export const thread = () => new Promise((resolve) => new Worker("require('worker_threads').parentPort.postMessage(7)", { eval: true }).on('message', resolve))
export const run = () => execFileSync(process.execPath, ['-p', '1+1'], { encoding: 'utf8' }).trim()
export const print = () => { console.log('{"event":"end"}'); process.stdout.write('x'); return 1 }
console.log('loaded', process.argv.length)
await new Promise((resolve) => setTimeout(resolve, 300))`,
    '{ file, thread, run, print }',
    `assert.equal(file(), 'xd')
assert.equal(await thread(), 7)
assert.equal(run(), '2')
assert.equal(print(), 1)
console.log('tests may print')`,
  ],
  [
    'has several files and CommonJS',
    {
      'solution.mjs':
        "import { twice } from './lib/twice.mjs'\nimport old from './old.cjs'\nexport const f = (x) => twice(x) + old.one",
      'lib/twice.mjs': 'export const twice = (x) => 2 * x',
      'old.cjs': 'module.exports = { one: 1 }',
    },
    '{ f }',
    "import { twice } from './lib/twice.mjs'\nassert.equal(f(2), 5)\nassert.equal(twice(2), 4)\nconst old = await import('./old.cjs')\nassert.equal(old.default.one, 1)",
  ],
  [
    'is tested without waiting',
    'export const f = async () => 1',
    '{ f }',
    '(async () => { assert.equal(await f(), 1) })()\nf().then((x) => assert.equal(x, 1))\nsetTimeout(() => f().then((x) => assert.equal(x, 1)), 20)',
  ],
  [
    'exports as CommonJS does',
    {
      'solution.mjs': 'export const f = 1',
      'old.cjs': 'const make = () => ({ twice: (x) => 2 * x, two: [2] })\nmodule.exports = make()',
    },
    '{ f }',
    "const { twice, two, default: all } = await import('./old.cjs')\nassert.deepEqual([f, twice(2), two, all.twice(3)], [1, 4, [2], 6])",
  ],
  [
    'is handed what Node itself has',
    'export const f = (fs, join, log) => { log.log("x"); return [typeof fs.readFileSync, join("a", "b"), join.name] }',
    '{ f }',
    `import fs from 'node:fs'
import { join } from 'node:path'
assert.deepStrictEqual(f(fs, join, console), ['function', 'a/b', 'join'])`,
  ],
  [
    'makes a promise that nobody waits for',
    'export const f = () => 1\nexport const never = () => new Promise(() => {})',
    '{ f, never }',
    'never()\nassert.equal(f(), 1)',
  ],
  [
    'is asked often',
    'export const f = (xs) => xs.length',
    '{ f }',
    'for (let n = 0; n < 1000; n++) assert.equal(f(Array.from({ length: n % 50 }, (_, i) => ({ i }))), n % 50)',
  ],
  [
    'is given much data',
    'export const sum = (xs) => xs.reduce((a, b) => a + b, 0)\nexport const deep = (n) => { let l = null; for (let i = 0; i < n; i++) l = { l }; return l }',
    '{ sum, deep }',
    'assert.equal(sum(Array.from({ length: 300000 }, () => 1)), 300000)\nlet n = 0\nfor (let l = deep(20000); l; l = l.l) n++\nassert.equal(n, 20000)',
  ],
]
