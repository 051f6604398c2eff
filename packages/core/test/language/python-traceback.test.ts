// The printed form alone: cut texts, interleaved lines, forms of other versions.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diagnose } from '../../src/language/diagnose.js'
import { parseTracebacks } from '../../src/language/python-traceback.js'
import { execution, program } from './run-python.js'

const parse = (text: string, omittedBytes = 0) => parseTracebacks(text, { omittedBytes })

describe('a stderr that was cut in the middle', () => {
  const marker = '… 12345 bytes left out …'

  test('the exception is found when only the end of its traceback was kept', () => {
    const text = `noise\nnoi\n${marker}\nturn a(x)\n  File "/w/solution.py", line 2, in b\n    return a(x)\nKeyError: 'x'\n`
    expect(parse(text, 12345)).toMatchObject([
      { type: 'KeyError', message: "KeyError: 'x'", frames: [{ line: 2, function: 'b' }] },
    ])
  })

  test('head and tail of one traceback are one exception', () => {
    const text = `Traceback (most recent call last):\n  File "/w/solution.py", line 9, in <module>\n    a(x)\n  File "/w/sol\n${marker}\n, in q\n  File "/w/solution.py", line 2, in b\n    return a(x)\nKeyError: 'x'\n`
    expect(parse(text, 12345)).toMatchObject([
      { message: "KeyError: 'x'", frames: [{ line: 9 }, { line: 2 }] },
    ])
  })

  test('a log line behind the cut is not taken for the exception', () => {
    const text = `Traceback (most recent call last):\n  File "/w/solution.py", line 9, in <module>\n    a(x)\n${marker}\nlf of a line\nINFO: all well\n`
    expect(parse(text, 12345)).toEqual([])
  })

  test('a message that was cut is kept at both ends and says so', () => {
    const text = `Traceback (most recent call last):\n  File "/w/solution.py", line 1, in <module>\n    f()\nValueError: xxx\n${marker}\nyyy\n`
    expect(parse(text, 12345)[0]?.message).toBe(`ValueError: xxx\n${marker}\nyyy`)
  })

  test('a marker with separators in its number is known too', () => {
    const text =
      'Traceback (most recent call last):\n  File "/w/solution.py", line 1, in <module>\n[12,345 bytes omitted]\nrest\n    f()\nValueError: x\n'
    expect(parse(text, 12345)[0]?.message).toBe('ValueError: x')
  })
})

test('the program may have left its own line unfinished before the traceback', () => {
  const text =
    'working...Traceback (most recent call last):\n  File "/w/solution.py", line 1, in <module>\n    f()\nValueError: x\n'
  expect(parse(text)).toMatchObject([{ message: 'ValueError: x' }])
})

test('a colon after one word inside of a stack that was only printed makes no exception', () => {
  expect(
    parse('  File "/w/solution.py", line 1, in <module>\n    traceback.print_stack()\nresult: 1\n'),
  ).toEqual([])
})

test('a cause without a traceback is not mistaken for one that was logged before', () => {
  const logged =
    'Traceback (most recent call last):\n  File "/w/solution.py", line 1, in f\nOSError: logged\n'
  const bare = 'KeyError: 1\n\nThe above exception was the direct cause of the following exception:\n\n'
  const last =
    'Traceback (most recent call last):\n  File "/w/solution.py", line 9, in <module>\nValueError: x\n'
  const found = parse(`${logged}/w/solution.py:3: UserWarning: between\n${bare}${last}`)
  expect(found.map(({ message, cause }) => [message, cause?.message])).toEqual([
    ['OSError: logged', undefined],
    ['ValueError: x', 'KeyError: 1'],
  ])
})

test('the report of unittest behind an exception is no part of its message', () => {
  const rule = '-'.repeat(70)
  const text = `Traceback (most recent call last):\n  File "/w/solution.py", line 3, in test_a\n    self.assertEqual(1, 2)\nAssertionError: 1 != 2\n\n${rule}\nRan 1 test in 0.001s\n\nFAILED (failures=1)\n`
  expect(parse(text)[0]?.message).toBe('AssertionError: 1 != 2')
})

test('sources of several lines with marks below each are read as one frame', () => {
  const text = [
    'Traceback (most recent call last):',
    '  File "/w/solution.py", line 4, in go',
    '    return load(',
    '           ~~~~^',
    '        a)',
    '        ^^',
    'ValueError: x',
  ].join('\n')
  expect(parse(text)[0]?.frames).toEqual([
    { file: '/w/solution.py', line: 4, function: 'go', source: 'return load(', caretsAt: 7, carets: '~~~~^' },
  ])
})

test('colours of newer versions do not hide the exception', () => {
  const candidate = program('f()\n')
  const stderr =
    'Traceback (most recent call last):\n  File \u001b[35m"/w/solution.py"\u001b[0m, line \u001b[35m1\u001b[0m, in \u001b[35m<module>\u001b[0m\n    \u001b[31mf\u001b[0m()\n\u001b[1;35mNameError\u001b[0m: \u001b[35mname f\u001b[0m\n'
  const [failure] = diagnose(execution({ kind: 'exit', code: 1 }, { stderr }), {
    language: 'python',
    candidate,
  })
  expect(failure).toMatchObject({ message: 'NameError: name f', location: { path: 'solution.py', line: 1 } })
})

test('the excerpt marks what the marks of the traceback mark, in the line as it was written', () => {
  const candidate = program('if True:\n    x = [1][0] + [2][9]\n')
  const stderr =
    'Traceback (most recent call last):\n  File "/w/solution.py", line 2, in <module>\n    x = [1][0] + [2][9]\n                 ~~~^^^\nIndexError: list index out of range\n'
  const [failure] = diagnose(execution({ kind: 'exit', code: 1 }, { stderr }), {
    language: 'python',
    candidate,
  })
  expect(failure?.location).toEqual({ path: 'solution.py', line: 2, column: 18 })
  expect(failure?.excerpt).toBe(
    '  1 | if True:\n> 2 |     x = [1][0] + [2][9]\n    |                  ~~~^^^',
  )
})

test('no text makes the reader throw, and every exception it finds has a type', () => {
  const piece = fc.constantFrom(
    'Traceback (most recent call last):',
    '  + Exception Group Traceback (most recent call last):',
    '  File "/w/solution.py", line 3, in f',
    '  File "/w/solution.py", line 3',
    '    x = 1',
    '        ^',
    'ValueError: x',
    'KeyError',
    '',
    'During handling of the above exception, another exception occurred:',
    '  | ValueError: y',
    '  +-+---------------- 1 ----------------',
    '    | Traceback (most recent call last):',
    '    +------------------------------------',
    'Exception in thread T:',
    '… 77 bytes left out …',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string())), (all) => {
      for (const one of parse(all.join('\n'), 77)) {
        expect(one.type).not.toBe('')
        expect(one.message.startsWith(one.type)).toBe(true)
      }
    }),
  )
})
