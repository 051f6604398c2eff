// Calls of text without a file, and tracebacks that were cut before their end.
import { describe, expect, test } from 'vitest'
import { diagnose } from '../../src/language/diagnose.js'
import { execution, hasPython, program, runPython } from './run-python.js'

describe.skipIf(!hasPython)('generated code', () => {
  test('calls within exec are told as such and are no calls in libraries', async () => {
    const candidate = program('def f():\n    return 1 / 0\n\n\nexec("f()")\n')
    const [failure] = diagnose(await runPython(candidate), { language: 'python', candidate })
    expect(failure?.frames?.map(({ path, line }) => [path, line])).toEqual([
      ['solution.py', 5],
      ['<string>', 1],
      ['solution.py', 2],
    ])
    expect(failure?.foldedFrames).toBeUndefined()
  })

  test('what fails within it is placed at the call in the program', async () => {
    const candidate = program('x = 0\nexec("1 / x")\n')
    const [failure] = diagnose(await runPython(candidate), { language: 'python', candidate })
    expect(failure).toMatchObject({ location: { path: 'solution.py', line: 2 } })
  })
})

test.each(['/tmp/box-1', '/var/tmp/x1/tmp/box-1', '/srv/boxes/7'])(
  'of a traceback without an end in %s no text holds the folder',
  (folder) => {
    const stderr = `Traceback (most recent call last):\n  File "${folder}/solution.py", line 1, in <module>\n    f()\n`
    const run = execution({ kind: 'timeout', clock: 'wall', limitMs: 100 }, { stderr })
    const candidate = program('f()\n')
    const failures = diagnose(run, { language: 'python', candidate })
    expect(failures[0]?.message).toContain('File "solution.py", line 1')
    expect(JSON.stringify(failures)).not.toMatch(/box|temp|srv/u)
  },
)
