// Mistakes of Python cells that must cost no more than the cell they are in.
import { describe, expect, test, vi } from 'vitest'
import { sessionOf } from '../../helpers/open-session.js'
import { requires } from '../../helpers/requires.js'

describe.skipIf(!requires('python3'))('a Python cell', () => {
  test.each([
    ['an exception', 'class Odd(Exception):\n    def __str__(self): raise SystemExit(5)\nraise Odd()', 'Odd'],
    [
      'the cause of an exception',
      'class Odd(Exception):\n    @property\n    def __cause__(self): raise GeneratorExit()\nraise Odd()',
      'GeneratorExit',
    ],
  ])('is not ended by what %s raises when it is asked what it says', async (_, code, name) => {
    const { session } = await sessionOf('python')
    await session.run('x = 1')
    const { outcome, error, lost } = await session.run(code)
    expect({ outcome, lost, name: error?.name }).toEqual({
      outcome: { kind: 'exit', code: 1 },
      lost: undefined,
      name,
    })
    expect((await session.run('x')).value?.data['text/plain']).toBe('1')
  })

  test.each([
    ['itself', 'x = 1\nasync def spin():\n    while True: pass\nawait spin()'],
    [
      'a task of its own',
      'import asyncio\nx = 1\nasync def spin():\n    while True: pass\nasync def main():\n    asyncio.ensure_future(spin())\n    await asyncio.sleep(60)\nawait main()',
    ],
  ])('that awaits is interrupted while %s runs, and keeps its variables', async (_, code) => {
    const { session } = await sessionOf('python', { interruptGraceMs: 10_000 })
    const { outcome, error, lost } = await session.run(code, { timeoutMs: 1000 })
    expect(outcome.kind).toBe('timeout')
    expect(lost).toBeUndefined()
    expect(error?.name).toBe('KeyboardInterrupt')
    expect((await session.run('import asyncio\nawait asyncio.sleep(0)\nx')).value?.data['text/plain']).toBe(
      '1',
    )
  })

  test('tells its exception although a variable does not come to show itself', async () => {
    const { session } = await sessionOf('python', { locals: true, interruptGraceMs: 10_000 })
    const slow = 'class Slow:\n    def __repr__(self):\n        while True: pass\nslow = Slow()\nslow.missing'
    const { outcome, error } = await session.run(slow, { timeoutMs: 1000 })
    expect(outcome.kind).toBe('timeout')
    expect(error).toMatchObject({ name: 'AttributeError', frames: [{ line: 5, source: 'slow.missing' }] })
  })

  test.each([
    ['x = 1\nreturn x', 2, 'return x'],
    ['def f():\n    nonlocal y', 2, 'nonlocal y'],
    ['for n in []: pass\nbreak', 2, 'break'],
  ])('with the syntax error of %j says the line that it is in', async (code, line, source) => {
    const { session } = await sessionOf('python')
    const { error } = await session.run(code)
    expect(error).toMatchObject({ name: 'SyntaxError', frames: [{ line, source }] })
    expect(error?.traceback).toContain(`    ${source}\n`)
  })

  test.each([
    'sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8")',
    'sys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding="utf-8")',
    'sys.stdout.reconfigure(encoding="latin-1", newline="\\r\\n")',
    'sys.stdout.write = lambda text: len(text)',
    'sys.stdin.detach()',
  ])('does not cost the next cell its streams with %j', async (code) => {
    const { session } = await sessionOf('python')
    const first = await session.run(
      `import io, logging, sys\nlogging.basicConfig(format="%(message)s")\nx = 1\n${code};`,
    )
    expect(first.ok).toBe(true)
    const { stdout, stderr, value, lost } = await session.run(
      'print("é")\nlogging.warning("heard")\nx + len(sys.stdin.read())',
    )
    expect(lost).toBeUndefined()
    expect([stdout.text, stderr.text, value?.data['text/plain']]).toEqual(['é\n', 'heard\n', '1'])
  })

  test('may leave a timer behind whose handler raises between two cells', async () => {
    const { session, sandbox } = await sessionOf('python')
    const { ok } = await session.run(
      [
        'import signal, threading, time',
        'def ring(*_): raise TimeoutError("late")',
        'signal.signal(signal.SIGALRM, ring)',
        'signal.setitimer(signal.ITIMER_REAL, 0.3)',
        'def tell():',
        '    while signal.getitimer(signal.ITIMER_REAL)[0] > 0: time.sleep(0.01)',
        '    time.sleep(0.2)',
        '    open("rung", "w").close()',
        'threading.Thread(target=tell).start()',
      ].join('\n'),
    )
    expect(ok).toBe(true)
    await vi.waitFor(() => sandbox.files.read('rung'), { timeout: 20_000, interval: 50 })
    const { value, stderr, lost } = await session.run('ring.__name__')
    expect(lost).toBeUndefined()
    expect(value?.data['text/plain']).toBe("'ring'")
    expect(stderr.text).toMatch(/^Between two cells:\nTraceback [\s\S]*TimeoutError: late\n$/)
  })

  test('may begin with a byte order mark, as a file may', async () => {
    const { session } = await sessionOf('python')
    expect((await session.run('\ufeffx = 1\nx')).value?.data['text/plain']).toBe('1')
  })

  test('can pickle a HostError, as pools of processes do', async () => {
    const { session } = await sessionOf('python', { host: {} })
    const { value } = await session.run(
      'import pickle\nerror = pickle.loads(pickle.dumps(HostError("failed", "why")))\n(type(error) is HostError, error.code, str(error))',
    )
    expect(value?.data['text/plain']).toBe("(True, 'failed', 'why')")
  })
})
