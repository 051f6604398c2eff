// Failures of programs that were really run: how they ended, their paths, what they compared.
import { describe, expect, test } from 'vitest'
import { diagnose } from '../../src/language/diagnose.js'
import { failureOf, failuresOf, hasPython, lines, runPython } from './run-python.js'

describe.skipIf(!hasPython)('ends of programs, paths and comparisons', () => {
  test('the last words of sys.exit are told, and an exception in a thread beside them', async () => {
    const failures = await failuresOf(
      lines(
        'import sys, threading',
        'def work(): raise ValueError("in a thread")',
        'thread = threading.Thread(target=work)',
        'thread.start(); thread.join()',
        'sys.exit("fatal: no input")',
      ),
    )
    expect(failures[0]?.message).toContain('exited with code 1')
    expect(failures[0]?.message).toContain('fatal: no input')
    expect(failures[1]).toMatchObject({ location: { path: 'solution.py', line: 2 } })
  })

  test('an exception that was logged does not hide with which code the program ended', async () => {
    const failures = await failuresOf(
      lines('import sys, traceback', 'try: {}["a"]', 'except KeyError: traceback.print_exc()', 'sys.exit(3)'),
    )
    expect(failures.map(({ message }) => message.split('\n')[0])).toEqual([
      'The program exited with code 3.',
      "KeyError: 'a'",
    ])
  })

  test('a program that ends well has no failures, whatever it printed', async () => {
    expect(await failuresOf('import traceback\ntry: 1/0\nexcept Exception: traceback.print_exc()\n')).toEqual(
      [],
    )
  })

  test('what had failed before a timeout is told with it', async () => {
    const failures = await failuresOf(
      lines(
        'import threading, time',
        'threading.Thread(target=time.sleep, args=(60,)).start()',
        'raise ValueError("main failed")',
      ),
      { killWhen: 'ValueError: main failed' },
    )
    expect(failures[0]).toMatchObject({ kind: 'timeout' })
    expect(failures[0]?.message).toContain('1.5 s')
    expect(failures[0]?.message).toContain('ValueError: main failed')
    expect(failures[1]).toMatchObject({ message: 'ValueError: main failed', location: { line: 3 } })
  })

  test('death by a signal names the signal and keeps the last words', async () => {
    const [failure] = await failuresOf(
      'import os, signal\nprint("so far")\nos.kill(os.getpid(), signal.SIGSEGV)\n',
    )
    expect(failure?.message).toContain('SIGSEGV')
    expect(failure?.message).toContain('so far')
  })

  test('the dump of a fault says where it was', async () => {
    const [failure, ...more] = await failuresOf(
      lines(
        'import faulthandler, os, signal',
        'faulthandler.enable()',
        'def f():',
        '    os.kill(os.getpid(), signal.SIGSEGV)',
        'f()',
      ),
    )
    expect(failure?.message).toContain('SIGSEGV')
    expect(failure?.location).toMatchObject({ path: 'solution.py', line: 4 })
    expect(failure?.frames?.map((frame) => frame.function)).toEqual(['<module>', 'f'])
    expect(more).toEqual([])
  })

  test('a program that is not there is a missing entry', async () => {
    const candidate = { files: { 'other.py': '' }, entry: 'solution.py' }
    const [failure] = diagnose(await runPython(candidate), { language: 'python', candidate })
    expect(failure).toMatchObject({ kind: 'missing-entry', message: 'There is no file solution.py to run.' })
  })

  test('no text holds the folder that the program ran in', async () => {
    const failures = await failuresOf(
      lines(
        'import os',
        'def f():',
        '    raise ValueError("no such file: " + os.path.abspath("data/in.csv") + " in " + os.getcwd())',
        'f()',
      ),
    )
    expect(failures[0]?.message).toBe('ValueError: no such file: data/in.csv in .')
    expect(JSON.stringify(failures)).not.toContain('mendloop-test-')
  })

  test('a path that the program itself names is kept', async () => {
    const failure = await failureOf('open("/tmp/my-report/input.csv")\n')
    expect(failure.message).toContain("'/tmp/my-report/input.csv'")
  })

  test('an assertion shows what it called and what should have come', async () => {
    const failure = await failureOf('def f(a, b): return a - b\nassert f(1, [2, "=="][0]) == 3, "sum"\n')
    expect(failure).toMatchObject({ kind: 'assertion', input: 'f(1, [2, "=="][0])', expected: '3' })
  })

  test('an assertion whose message says it shows what came', async () => {
    const failure = await failureOf('assert 1 + 1 == 3, f"expected {3}, got {1 + 1}"\n')
    expect(failure).toMatchObject({ input: '1 + 1', expected: '3', actual: '2' })
  })

  test('an assertion of unittest shows both sides', async () => {
    const failure = await failureOf(
      lines('import unittest', 'case = unittest.TestCase()', 'case.assertEqual([1, 2], [1, 3])'),
    )
    expect(failure).toMatchObject({ kind: 'assertion', actual: '[1, 2]', expected: '[1, 3]' })
  })
})
