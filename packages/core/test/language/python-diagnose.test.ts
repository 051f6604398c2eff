// Failures of programs that were really run.
import { describe, expect, test } from 'vitest'
import { failureOf, failuresOf, hasGroups, hasPython, lines, pythonVersion } from './run-python.js'

describe.skipIf(!hasPython)(`python3 ${pythonVersion?.join('.') ?? 'is not installed'}`, () => {
  test('an exception is told with its line, its calls and the lines round it', async () => {
    const failure = await failureOf(lines('def top():', '    return missing_name', '', '', 'top()'))
    expect(failure).toMatchObject({
      kind: 'exception',
      message: "NameError: name 'missing_name' is not defined",
      location: { path: 'solution.py', line: 2 },
      frames: [
        { path: 'solution.py', line: 5, function: '<module>', source: 'top()' },
        { path: 'solution.py', line: 2, function: 'top', source: 'return missing_name' },
      ],
    })
    expect(failure.excerpt).toContain('  1 | def top():\n> 2 |     return missing_name\n')
  })

  test('leading blank lines are counted, as in the code that the model wrote', async () => {
    const failure = await failureOf('\n\nprint("x")\nraise ValueError("line four")\n')
    expect(failure.location).toMatchObject({ path: 'solution.py', line: 4 })
  })

  test('Windows line ends and a missing last line end move no line', async () => {
    const failure = await failureOf('x = 1\r\ny = 2\r\nraise ValueError(x)')
    expect(failure.location?.line).toBe(3)
    expect(failure.excerpt?.split('\n').at(-1)).toMatch(/^> 3 \| raise ValueError\(x\)|\^+$/u)
  })

  test('a syntax error has line and column and no calls', async () => {
    const failure = await failureOf('x = 1\ny = (2\nprint(x)\n')
    expect(failure.kind).toBe('syntax')
    expect(failure.message).toMatch(/^SyntaxError: /u)
    expect(failure.location).toMatchObject({ path: 'solution.py', column: 5 })
    expect(failure.frames).toBeUndefined()
  })

  test('an indentation error is a syntax failure', async () => {
    const failure = await failureOf('def f():\nreturn 1\n')
    expect(failure).toMatchObject({ kind: 'syntax', location: { path: 'solution.py', line: 2 } })
    expect(failure.message).toMatch(/^IndentationError: /u)
  })

  test('a syntax error in an imported file of the program points into that file', async () => {
    const failure = await failureOf({
      'solution.py': 'import lib.part\n',
      'lib/part.py': 'x = 1\nif x\n    pass\n',
    })
    expect(failure).toMatchObject({
      kind: 'syntax',
      location: { path: 'lib/part.py', line: 2 },
      frames: [{ path: 'solution.py', line: 1 }],
    })
  })

  test('a syntax error in text that the program evaluates is an exception of the program', async () => {
    const failure = await failureOf('import ast\nast.literal_eval("1 +")\n')
    expect(failure).toMatchObject({ kind: 'exception', location: { path: 'solution.py', line: 2 } })
  })

  test.each([
    ['import nothing_of_that_name\n', 'import', 'ModuleNotFoundError: '],
    ['from json import nothing\n', 'import', 'ImportError: '],
    ['raise MemoryError\n', 'resource', 'MemoryError'],
    ['assert False\n', 'assertion', 'AssertionError'],
    ['raise KeyboardInterrupt\n', 'exception', 'KeyboardInterrupt'],
  ])('%j is a failure of kind %s', async (source, kind, message) => {
    const failures = await failuresOf(source)
    expect(failures.map((one) => one.kind)).toContain(kind)
    expect(failures.find((one) => one.kind === kind && one.message.startsWith(message))).toBeDefined()
  })

  test('where a library gave up its calls are folded and the place is in the program', async () => {
    const failure = await failureOf(
      lines('import json', 'def read(text):', '    return json.loads(text)', 'read("{")'),
    )
    expect(failure.message).toMatch(/^json\.decoder\.JSONDecodeError: /u)
    expect(failure.location).toMatchObject({ path: 'solution.py', line: 3 })
    expect(failure.frames).toHaveLength(2)
    expect(failure.foldedFrames).toBeGreaterThan(0)
  })

  test('a cause is told inside of what it caused, however long the chain', async () => {
    const failure = await failureOf(
      lines(
        'try:',
        '    try:',
        '        {}["a"]',
        '    except KeyError as error:',
        '        raise ValueError("b") from error',
        'except ValueError:',
        '    1 / 0',
      ),
    )
    expect(failure.message).toBe('ZeroDivisionError: division by zero')
    expect(failure.cause).toMatchObject({ message: 'ValueError: b', location: { line: 5 } })
    expect(failure.cause?.cause).toMatchObject({ message: "KeyError: 'a'", location: { line: 3 } })
  })

  test('a cause that was never raised has a message and no place', async () => {
    const failure = await failureOf('raise ValueError("b") from KeyError("a")\n')
    expect(failure).toMatchObject({ message: 'ValueError: b', location: { line: 1 } })
    expect(failure.cause).toMatchObject({ message: "KeyError: 'a'" })
    expect(failure.cause?.location).toBeUndefined()
  })

  test('what failed in a worker process is told with its place', async () => {
    const failure = await failureOf(
      lines(
        'from concurrent.futures import ProcessPoolExecutor',
        'def work(x):',
        '    return 1 // x',
        'if __name__ == "__main__":',
        '    with ProcessPoolExecutor(1) as pool:',
        '        list(pool.map(work, [0]))',
      ),
    )
    expect(failure.location?.line).toBe(6)
    expect(failure.cause).toMatchObject({ location: { path: 'solution.py', line: 3 } })
    expect(failure.cause?.message).toMatch(/^ZeroDivisionError: [a-z ]+$/u)
  })

  test('endless recursion is told in a few calls', async () => {
    const failure = await failureOf('def f(n):\n    return f(n + 1)\nf(0)\n')
    expect(failure.message).toMatch(/^RecursionError: /u)
    expect(failure.location).toMatchObject({ line: 2 })
    expect(failure.frames?.length).toBeLessThan(10)
  })

  test('a message of many lines is kept whole, blank ones included', async () => {
    const failure = await failureOf('raise ValueError("first\\n\\n  second: 2\\nthird")\n')
    expect(failure.message).toBe('ValueError: first\n\n  second: 2\nthird')
  })

  test.skipIf(!hasGroups)('notes belong to the message', async () => {
    const failure = await failureOf('e = ValueError("x")\ne.add_note("row 7\\ncolumn 3")\nraise e\n')
    expect(failure.message).toBe('ValueError: x\nrow 7\ncolumn 3')
  })

  test.skipIf(!hasGroups)('each exception of a group is a failure with its own place', async () => {
    const failures = await failuresOf(
      lines(
        'def one(): raise ValueError("v")',
        'def two(): raise ExceptionGroup("inner", [KeyError("k")])',
        'found = []',
        'for f in (one, two):',
        '    try: f()',
        '    except Exception as e: found.append(e)',
        'raise ExceptionGroup("many", found + [OSError("never raised")])',
      ),
    )
    expect(failures.map(({ message, location }) => [message.split('\n')[0], location?.line])).toEqual([
      ['ExceptionGroup: many (3 sub-exceptions)', 7],
      ['ValueError: v', 1],
      ['ExceptionGroup: inner (1 sub-exception)', 2],
      ["KeyError: 'k'", undefined],
      ['OSError: never raised', undefined],
    ])
    expect(failures[0]?.message).toContain('1. ValueError: v')
  })

  test('warnings and what Python ignored at the end are no part of the message', async () => {
    const failure = await failureOf(
      lines(
        'import warnings',
        'warnings.warn("old news")',
        'class Noisy:',
        '    def __del__(self): raise OSError("ignored")',
        'noisy = Noisy()',
        'raise ValueError("the one")',
      ),
    )
    expect(failure).toMatchObject({ message: 'ValueError: the one', location: { line: 6 } })
  })
})
