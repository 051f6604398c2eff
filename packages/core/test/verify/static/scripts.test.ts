// JavaScript and TypeScript programs checked by the TypeScript and the esbuild of this repository, and the tools of a sandbox.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadEsbuild } from '../../../src/language/esbuild.js'
import type { CheckedProgram, Texts } from '../../../src/verify/static/checked-program.js'
import type { ToolResult } from '../../../src/verify/static/finding.js'
import { syntaxByEsbuild, syntaxByNode } from '../../../src/verify/static/script-syntax.js'
import { staticChecks } from '../../../src/verify/static/static-checks.js'
import { tscInSandbox } from '../../../src/verify/static/tsc.js'
import { requires } from '../../helpers/requires.js'
import { sandboxWith, short, TSC_FOLDER, turns } from './tools.js'

const checks = staticChecks()

const script = (path: string, text: string) => ({ entry: path, files: { [path]: text } })
const asked = (files: Texts): CheckedProgram => ({ files, known: {}, timeoutMs: 20_000, asked: [] })
const places = ({ findings }: ToolResult): string[] =>
  findings.map(({ rule, path, line, column }) => `${rule} ${path}:${line}:${column}`)

const SHOP = {
  'shop.ts': `import { readFileSync } from 'node:fs'
import pad from 'left-pad'
import { total } from './total.ts'

const label = (id: number): string => id
total(1)
console.log(readFileSync('a', 'utf8').lenght, process.argv, pad('a').anything)
missing()
`,
  'total.ts': 'export const total = (a: number, b: number): number => a + b\n',
}
const SHOP_FINDINGS = [
  'TS2304 shop.ts:8:1',
  'TS2322 shop.ts:5:39',
  'TS2554 shop.ts:6:1',
  'TS2551 shop.ts:7:39',
]

describe('TypeScript in this process', () => {
  test('finds names, arity and types across files, and asks for no package that is not here', {
    timeout: 60_000,
  }, async () => {
    const report = await checks.check({ candidate: { entry: 'shop.ts', files: SHOP } })
    expect(turns(report)).toEqual(['typescript host ran'])
    expect(short(report.gating)).toEqual(SHOP_FINDINGS)
    expect(report.advisory).toEqual([])
    expect(report.failures.map(({ kind }) => kind)).toEqual(['lint', 'type', 'type', 'type'])
    expect(report.failures[2]).toMatchObject({
      message: 'Expected 2 arguments, but got 1. (typescript TS2554)',
      excerpt: expect.stringContaining('> 6 | total(1)'),
    })
  })

  test('sees the files of the task, and tells nothing of them', async () => {
    const { 'total.ts': total, ...files } = SHOP
    const task = { 'total.ts': `${total}missing()\n`, 'data.bin': new Uint8Array([255]) }
    const report = await checks.check({ candidate: { entry: 'shop.ts', files }, files: task })
    expect(short(report.gating)).toEqual(SHOP_FINDINGS)
  })

  test('tells only what is new', async () => {
    const previous = { entry: 'shop.ts', files: SHOP }
    const files = { ...SHOP, 'shop.ts': `// Moved.\n${SHOP['shop.ts']}total('a', 2)\n` }
    const report = await checks.check({ candidate: { entry: 'shop.ts', files }, previous })
    expect(short(report.findings)).toEqual(['TS2345 shop.ts:10:7'])
  })

  test('leaves types alone when they are not asked for', async () => {
    const report = await staticChecks({ types: false }).check({
      candidate: { entry: 'shop.ts', files: SHOP },
    })
    expect(short(report.findings)).toEqual(['TS2304 shop.ts:8:1'])
  })

  test('is as strict as the caller wants it, and strictness is told without gating', async () => {
    const candidate = script('a.ts', 'export const f = (x) => x\nexport const g = (s?: string) => s.length\n')
    expect((await checks.check({ candidate })).findings).toEqual([])
    const report = await staticChecks({ compilerOptions: { strict: true } }).check({ candidate })
    expect(report.gating).toEqual([])
    expect(short(report.advisory)).toEqual(['TS7006 a.ts:1:19', 'TS18048 a.ts:2:34'])
  })

  test('reads no file of this machine that the program names', async () => {
    const text = `import data from '${import.meta.dirname.replace(/packages.*/u, '')}package.json'\nimport x from '../../etc/passwd'\nexport const n: number = data.name\nexport { x }\n`
    expect((await checks.check({ candidate: script('a.ts', text) })).findings).toEqual([])
  })

  test('a text that does not parse is of syntax, and nothing else is told of it', async () => {
    const report = await checks.check({ candidate: script('a.ts', 'const x: = 1\nmissing()\n') })
    expect(report.failures.map(({ kind, location }) => [kind, location?.line])).toEqual([['syntax', 1]])
  })

  test('a text that overflows it goes to esbuild', async () => {
    const report = await checks.check({ candidate: script('a.ts', `let x = ${'- '.repeat(30_000)}1\n`) })
    expect(turns(report)).toEqual(['esbuild host ran', 'typescript host not-run'])
    expect(report.gating).toEqual([])
  })

  test('a signal that aborts it and a time limit both end it', async () => {
    const candidate = script('a.ts', 'export class A {}\n'.repeat(3))
    await expect(checks.check({ candidate, signal: AbortSignal.abort() })).rejects.toThrow(/aborted/u)
    const many = Array.from(
      { length: 4000 },
      (_, n) => `export function f${n}(a: number) { return a + ${n} }`,
    ).join('\n')
    const report = await staticChecks({ timeoutMs: 1 }).check({ candidate: script('b.ts', many) })
    expect(report.tools.at(-1)).toMatchObject({
      status: 'not-run',
      reason: expect.stringContaining('after 1 ms'),
    })
    expect(report.gating).toEqual([])
  })
})

describe('JavaScript', () => {
  test.each([
    ['an undefined name', 'a.mjs', 'export const f = () => mising(1)\n', 'TS2304 a.mjs:1:24'],
    ['a constant that is assigned', 'a.cjs', 'const x = 1\nx = 2\n', 'TS2588 a.cjs:2:1'],
    ['await where none can be', 'a.js', 'function f() { await g() }\nfunction g() {}\n', 'TS1308 a.js:1:16'],
    ['a name declared twice', 'a.mjs', 'let a = 1\nlet a = 2\nexport { a }\n', 'TS2451 a.mjs:1:5'],
  ])('gates: %s', async (_name, path, text, first) => {
    const { gating } = await checks.check({ candidate: script(path, text) })
    expect(short(gating)[0]).toBe(first)
  })

  test.each([
    [
      'types and arity, which it does not have',
      'a.mjs',
      'const f = (a) => a.b.c\nf(1, 2)\nf().x = "a" * 2\n',
    ],
    [
      'what Node has',
      'a.cjs',
      'const fs = require("node:fs")\nmodule.exports = [fs, __dirname, Buffer, process, fetch]\n',
    ],
    ['a sloppy program that makes a name', 'a.js', 'total = 1\nconsole.log(total)\n'],
    ['a name that is asked about first', 'a.mjs', 'if (typeof widget !== "undefined") widget()\n'],
    ['a name on the global object', 'a.mjs', 'globalThis.tool = () => 1\ntool()\n'],
    ['a return at top level of CommonJS', 'a.cjs', 'if (process.argv.length > 9) return\n'],
  ])('does not gate: %s', async (_name, path, text) => {
    expect((await checks.check({ candidate: script(path, text) })).gating).toEqual([])
  })
})

test('no text makes it throw', { timeout: 60_000 }, async () => {
  const word = fc.constantFrom(
    'const x',
    '= (',
    '{',
    '}',
    '`${',
    '/',
    'import ',
    "'",
    '<T>',
    '\ud800',
    '\0',
    'class ',
    '// @ts-nocheck\n',
    'é',
  )
  const text = fc.array(word).map((words) => words.join(''))
  await fc.assert(
    fc.asyncProperty(text, fc.constantFrom('a.ts', 'a.mjs', 'a.tsx'), async (program, path) => {
      await checks.check({ candidate: script(path, program) })
    }),
    { numRuns: 10 },
  )
})

describe('Without TypeScript here', () => {
  test("the sandbox's tsc says the same, by a configuration of ours", { timeout: 60_000 }, async () => {
    await using sandbox = await sandboxWith({ folder: TSC_FOLDER })
    await sandbox.files.write({ 'tsconfig.json': '{ "compilerOptions": { "nothing": true } }' })
    const program = { ...asked(SHOP), timeoutMs: 60_000, sandbox }
    const result = await tscInSandbox(program, { types: true, compilerOptions: {} })
    expect(result).toMatchObject({ tool: 'tsc', status: 'ran' })
    // There are no types of Node in that sandbox, so nothing is known of what readFileSync gives.
    expect(places(result).sort()).toEqual(SHOP_FINDINGS.filter((one) => !one.startsWith('TS2551')).sort())
    expect(await sandbox.files.list()).toHaveLength(1)
  })

  test('a sandbox without tsc is told as not available', async () => {
    await using sandbox = await sandboxWith()
    const result = await tscInSandbox({ ...asked(SHOP), sandbox }, { types: true, compilerOptions: {} })
    expect(result).toMatchObject({
      status: 'not-available',
      reason: expect.stringContaining('npm install typescript'),
    })
  })

  test('esbuild tells errors of syntax with their place', async () => {
    const esbuild = await loadEsbuild()
    if (esbuild === undefined) throw new Error('esbuild is a dependency of these tests')
    const result = await syntaxByEsbuild(
      esbuild,
      asked({ 'a.ts': 'const é: = 1\n', 'b.jsx': 'const x = <a/>\n' }),
    )
    expect(places(result)).toEqual(['syntax a.ts:1:10'])
  })

  test.runIf(requires('node'))('node --check tells them too, and runs nothing', async () => {
    await using sandbox = await sandboxWith()
    const effect = "require('fs').writeFileSync('ran', '')\n"
    const files = { 'good.cjs': effect, 'bad.cjs': `${effect}const x = (\n)\n` }
    const result = await syntaxByNode({ ...asked(files), sandbox })
    expect(result).toMatchObject({ tool: 'node', status: 'ran' })
    expect(result.findings).toMatchObject([{ kind: 'syntax', path: 'bad.cjs', line: 3 }])
    const good = await syntaxByNode({ ...asked({ 'good.cjs': effect }), sandbox })
    expect(good).toMatchObject({ status: 'ran', findings: [] })
    expect(await sandbox.files.list()).toEqual([])
  })
})
