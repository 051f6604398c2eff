// Cells of a Python session: what they keep, what they print, what they say of a mistake.
import { describe, expect, test } from 'vitest'
import { lastOf, sessionOf } from '../../helpers/open-session.js'
import { requires } from '../../helpers/requires.js'

const describePython = describe.skipIf(!requires('python3'))

describePython('values and variables', () => {
  test('variables, imports and functions survive from cell to cell', async () => {
    const { session } = await sessionOf('python')
    const { stdout, ok, epoch } = await lastOf(
      session,
      'import math\nx = 4',
      'def f(y): return x * y',
      'print(math.sqrt(f(4)))',
    )
    expect([stdout.text, ok, epoch]).toEqual(['4.0\n', true, 1])
  })

  test.each([
    ['6 * 7', '42'],
    ['x = 1\n(x,\n 2)', '(1, 2)'],
    ['"é☃😀"', "'é☃😀'"],
    ['1; 2; 3  # the last', '3'],
    ['await __import__("asyncio").sleep(0.01, "slept")', "'slept'"],
  ])('the last expression of %j is the value', async (code, text) => {
    const { session } = await sessionOf('python')
    expect((await session.run(code)).value?.data['text/plain']).toBe(text)
  })

  test.each(['6 * 7;', '(6 *\n 7) ; # quiet', 'x = 3', 'None', 'print(1)', ''])(
    'nothing is the value of %j',
    async (code) => {
      const { session } = await sessionOf('python')
      const result = await session.run(code)
      expect([result.ok, result.value]).toEqual([true, undefined])
    },
  )

  test('the value before is _ and does not touch a variable of that name', async () => {
    const { session } = await sessionOf('python')
    expect((await lastOf(session, '6', '_ * 7')).value?.data['text/plain']).toBe('42')
    expect((await lastOf(session, '_ = "mine"', '1', '_')).value?.data['text/plain']).toBe("'mine'")
  })

  test('a future import holds for later cells and a mistake at the end leaves nothing half done', async () => {
    const { session } = await sessionOf('python')
    const annotated = await lastOf(
      session,
      'from __future__ import annotations',
      'def f(a: nowhere): pass\nf.__annotations__',
    )
    expect(annotated.value?.data['text/plain']).toBe("{'a': 'nowhere'}")
    const broken = await lastOf(session, 'y = 1', 'y = 2\nreturn y')
    expect(broken.error?.name).toBe('SyntaxError')
    expect((await session.run('y')).value?.data['text/plain']).toBe('1')
  })

  test('modules of the workspace are imported, and read again once their file has changed', async () => {
    const { session, sandbox } = await sessionOf('python')
    await sandbox.files.write({ 'inner.py': 'N = 1\n', 'outer.py': 'from inner import N\n' })
    expect((await session.run('import outer; outer.N')).value?.data['text/plain']).toBe('1')
    await sandbox.files.write({ 'inner.py': 'N = 22\n' })
    expect((await session.run('import outer; outer.N')).value?.data['text/plain']).toBe('22')
    expect((await session.run('import json; json.dumps({})')).ok).toBe(true)
  })
})

describePython('output', () => {
  test('print, the descriptor, C, child processes and threads all end up in stdout, in order', async () => {
    const { session } = await sessionOf('python')
    const { stdout, stderr } = await session.run(
      [
        'import ctypes, os, subprocess, sys, threading',
        'print("print", end=" ")',
        'os.write(1, b"os ")',
        'subprocess.run(["sh", "-c", "printf child\\\\ ; printf oops >&2"])',
        't = threading.Thread(target=lambda: print("thread", end=" ")); t.start(); t.join()',
        'ctypes.CDLL(None).printf(b"c")',
      ].join('\n'),
    )
    expect([stdout.text, stderr.text]).toEqual(['print os child thread c', 'oops'])
  })

  test('output streams while the cell runs', async () => {
    const { session } = await sessionOf('python')
    let release: () => void = () => undefined
    const seen = new Promise<void>((resolve) => {
      release = resolve
    })
    const running = session.run(
      'import os, time\nprint("first ✓", end="")\nwhile not os.path.exists("go"): time.sleep(0.01)',
      {
        onOutput: ({ text }) => text === 'first ✓' && release(),
      },
    )
    await seen
    await session.run('1', { signal: AbortSignal.abort() })
    session.interrupt()
    expect((await running).stdout.text).toBe('first ✓')
  })

  test('a flood is cut to head and tail, and counted whole', async () => {
    const { session } = await sessionOf('python', { limits: { outputBytes: 10_000 } })
    const { stdout } = await session.run('print("a" * 3_000_000 + "end")')
    expect(stdout).toMatchObject({ bytes: 3_000_004, truncated: true })
    expect(stdout.text.endsWith('end\n')).toBe(true)
    expect(stdout.text.length).toBeLessThanOrEqual(10_000)
  })

  test('what is written between two cells comes with the next', async () => {
    const { session, sandbox } = await sessionOf('python')
    await session.run(
      'import os, threading, time\ndef late():\n    while not os.path.exists("asked"): time.sleep(0.005)\n    print("late")\n    open("told", "w").close()\nthreading.Thread(target=late).start()',
    )
    // Asked from outside, so that the first cell is over by then.
    await sandbox.files.write({ asked: '' })
    const { stdout } = await session.run('while not os.path.exists("told"): time.sleep(0.005)\nprint("now")')
    expect(stdout.text).toBe('late\nnow\n')
  })

  test('a stream that a cell closes or replaces is back in the next', async () => {
    const { session } = await sessionOf('python')
    await session.run('import io, os, sys\nsys.stdout.close()\nos.close(2)\nsys.stderr = io.StringIO()')
    const { stdout, stderr } = await session.run('print("back")\nprint("too", file=sys.stderr)')
    expect([stdout.text, stderr.text]).toEqual(['back\n', 'too\n'])
  })

  test('input ends at once', async () => {
    const { session } = await sessionOf('python')
    expect((await session.run('input()')).error?.name).toBe('EOFError')
    expect((await session.run('import sys; sys.stdin.read()')).value?.data['text/plain']).toBe("''")
  })
})

describePython('mistakes', () => {
  test('line numbers are those of the code as written, in the tenth cell too', async () => {
    const { session } = await sessionOf('python')
    for (let cell = 1; cell < 10; cell++) await session.run('pass')
    const { error, outcome, ok } = await session.run(
      '\n\n@staticmethod\ndef top():\n    return missing_name\n\n\ntop()',
    )
    expect([outcome, ok]).toEqual([{ kind: 'exit', code: 1 }, false])
    expect(error).toMatchObject({
      name: 'NameError',
      frames: [
        { path: '<cell 10>', line: 8, function: '<module>', source: 'top()' },
        { path: '<cell 10>', line: 5, function: 'top', source: 'return missing_name' },
      ],
    })
    expect(error?.traceback).toContain('File "<cell 10>", line 5, in top')
    expect(error?.traceback).not.toMatch(/mendloop|ast\.py/)
  })

  test('a syntax error has its line and no frame of anybody else', async () => {
    const { session } = await sessionOf('python')
    const { error } = await session.run('x = 1\ny = (2\nprint(x)', { name: 'solution.py' })
    expect(error?.frames).toEqual([{ path: 'solution.py', line: 2, function: '', source: 'y = (2' }])
    expect(error?.traceback).not.toMatch(/mendloop|ast\.py|Traceback/)
  })

  test('a cause is told with its own frames, and locals on request', async () => {
    const { session } = await sessionOf('python', { locals: true })
    const { error } = await session.run(
      'def f(key, table):\n    try:\n        return table[key]\n    except KeyError as e:\n        raise ValueError("no " + key) from e\nunused = 1\nf("b", {"a": list(range(1000))})',
    )
    expect(error).toMatchObject({ message: 'no b', cause: { name: 'KeyError', frames: [{ line: 3 }] } })
    const locals = error?.frames.at(-1)?.locals
    expect(locals?.['key']).toBe("'b'")
    expect(locals?.['table']?.length).toBeLessThan(200)
    expect(Object.keys(error?.frames[0]?.locals ?? {})).toEqual(['f'])
  })

  test('an exception that cannot be shown, deep recursion and an exception group are told all the same', async () => {
    const { session } = await sessionOf('python', { locals: true })
    const odd = await session.run(
      'class Odd(Exception):\n    def __str__(self): raise TypeError("no")\nraise Odd()',
    )
    expect(odd.error?.name).toBe('Odd')
    const mute = await session.run(
      'class Mute(Exception):\n    @property\n    def __cause__(self): raise OSError()\nraise Mute()',
    )
    expect([mute.ok, mute.lost]).toEqual([false, undefined])
    const deep = await session.run('def f(): f()\nf()')
    expect(deep.error?.name).toBe('RecursionError')
    expect(deep.error?.frames.length).toBeLessThanOrEqual(40)
    expect((await session.run('2 + 2')).value?.data['text/plain']).toBe('4')
  })

  test.each([
    ['import sys; sys.exit()', 0, ''],
    ['exit(3)', 3, ''],
    ['raise SystemExit("stopped")', 1, 'stopped\n'],
  ])('%j ends the cell, and not the session', async (code, exit, said) => {
    const { session } = await sessionOf('python')
    await session.run('kept = 1')
    const result = await session.run(code)
    expect([result.outcome, result.ok, result.stderr.text]).toEqual([
      { kind: 'exit', code: exit },
      exit === 0,
      said,
    ])
    expect((await session.run('kept')).value?.data['text/plain']).toBe('1')
  })
})
