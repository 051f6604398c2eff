// Values of variables with the exceptions of a Node session.
import { describe, expect, test } from 'vitest'
import { lastOf, sessionOf } from '../../helpers/open-session.js'

const open = () => sessionOf('javascript', { locals: true })

describe('values where an exception was thrown', () => {
  test('of every function on the way, in short', async () => {
    const { session } = await open()
    const { error, stderr } = await session.run(
      [
        'class Row { constructor(price) { this.price = price } }',
        'function total(rows, name) {',
        '  let sum = 0',
        '  for (const row of rows) sum += row.price',
        '  return sum',
        '}',
        'function shop() {',
        '  const rows = [new Row(2), null]',
        '  const table = new Map([["a", 1]]), when = new Date(0), big = 10n, text = "é".repeat(500), none = undefined',
        '  return total(rows, "x")',
        '}',
        'shop()',
      ].join('\n'),
      { name: 'shop.mjs' },
    )
    expect(error?.message).toBe("Cannot read properties of null (reading 'price')")
    expect(error?.frames.at(-1)).toMatchObject({
      path: 'shop.mjs',
      line: 4,
      locals: { row: 'null', sum: '2', name: '"x"', rows: '[Row, null]' },
    })
    const outer = error?.frames.at(-2)?.locals ?? {}
    expect(outer).toMatchObject({ table: 'Map(1) { "a" => 1 }', big: '10n', none: 'undefined' })
    expect(outer['when']).toContain('1970')
    expect(outer['text']?.length).toBeLessThanOrEqual(120)
    expect(stderr.text).toBe('')
  })

  test('of asynchronous functions, modules of the workspace, and causes', async () => {
    const { session, sandbox } = await open()
    const late = await lastOf(
      session,
      'async function late(x) {\n  await null\n  const y = x * 2\n  throw new Error("late")\n}',
      'await late(3)',
    )
    expect(late.error?.frames.at(-1)?.locals).toEqual({ x: '3', y: '6' })
    await sandbox.files.write({ 'half.mjs': 'export function half(value) {\n  return value.x.y\n}\n' })
    const inModule = await session.run('import { half } from "./half.mjs"\nhalf({})')
    expect(inModule.error?.frames.at(-1)?.locals).toEqual({ value: '{  }' })
    const caused = await session.run(
      'function inner(key) {\n  throw new Error("one")\n}\nfunction outer(at) {\n  try { inner("k") } catch (cause) {\n    throw new Error("two", { cause })\n  }\n}\nouter(7)',
    )
    expect(caused.error?.frames.at(-1)?.locals).toMatchObject({ at: '7' })
    expect(caused.error?.cause?.frames.at(-1)?.locals).toEqual({ key: '"k"' })
  })

  test('thousands of exceptions that a cell catches cost no more than a moment, and the next cell is looked at again', async () => {
    const { session } = await open()
    const { error } = await session.run(
      'function last(n) {\n  throw new Error("end")\n}\nfor (let i = 0; i < 20_000; i++) try { JSON.parse("{") } catch {}\nlast(1)',
    )
    expect(error?.message).toBe('end')
    const again = await session.run('try { last(1) } catch {}\nlast(2)')
    expect(again.error?.frames.at(-1)?.locals).toEqual({ n: '2' })
  })

  test('a debugger statement, an interrupt and an end of the process are as without', async () => {
    const { session } = await open()
    expect((await session.run('debugger; 1 + 1')).value?.data['text/plain']).toBe('2')
    const stopped = await session.run('while (true) try { throw 1 } catch {}', { timeoutMs: 500 })
    expect(stopped.outcome.kind).toBe('timeout')
    expect((await session.run('3')).value?.data['text/plain']).toBe('3')
    expect((await session.run('process.exit(4)')).outcome).toEqual({ kind: 'exit', code: 4 })
    const { outcome } = await session.run('process.kill(process.pid, "SIGTERM"); await new Promise(() => {})')
    expect(outcome).toEqual({ kind: 'signal', signal: 'SIGTERM' })
  })

  test('without being asked for there are none', async () => {
    const { session } = await sessionOf('javascript')
    const { error } = await session.run('function f(x) {\n  throw new Error("x")\n}\nf(1)')
    expect(error?.frames.at(-1)?.locals).toBeUndefined()
  })
})
