// How a program ended, where no traceback tells.
import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/contract/execution.js'
import { diagnose } from '../../src/language/diagnose.js'
import { languageOf } from '../../src/language/languages.js'
import { execution } from './run-python.js'

const said = (outcome: Outcome, output: Parameters<typeof execution>[1] = {}, language = 'python') =>
  diagnose(execution(outcome, output), { language })

describe('each outcome has a sentence of its own', () => {
  test.each<[Outcome, string, RegExp]>([
    [{ kind: 'exit', code: 3 }, 'exception', /exited with code 3\./u],
    [{ kind: 'signal', signal: 'SIGXCPU' }, 'exception', /no such limit of the sandbox is known/u],
    [{ kind: 'exit', code: 137 }, 'exception', /exited with code 137, which stands for SIGKILL/u],
    [{ kind: 'signal', signal: 'SIGSEGV' }, 'exception', /killed by SIGSEGV \(/u],
    [{ kind: 'signal', signal: 'SIGUSR2' }, 'exception', /killed by SIGUSR2\./u],
    [{ kind: 'timeout', clock: 'wall', limitMs: 2000 }, 'timeout', /2 s \(wall-clock limit\)/u],
    [{ kind: 'timeout', clock: 'cpu', limitMs: 1500 }, 'timeout', /1\.5 s of processor time/u],
    [{ kind: 'resource', limit: 'memory' }, 'resource', /memory limit/u],
    [{ kind: 'resource', limit: 'output' }, 'resource', /output limit/u],
    [{ kind: 'denied', rule: 'network' }, 'denied', /not allowed here: network/u],
  ])('%j', (outcome, kind, message) => {
    const failures = said(outcome)
    expect(failures).toHaveLength(1)
    expect(failures[0]).toMatchObject({ kind, message: expect.stringMatching(message) })
    expect(failures[0]?.message).toContain('It printed nothing.')
  })

  test.each<Outcome>([
    { kind: 'exit', code: 0 },
    { kind: 'aborted' },
    { kind: 'lost', cause: 'engine gone' },
  ])('%j is not blamed on the program', (outcome) => {
    const traceback =
      'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: x\n'
    expect(said(outcome, { stderr: traceback })).toEqual([])
  })
})

test('the last lines are kept, those before them are not', () => {
  const stderr = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n')
  const [failure] = said({ kind: 'exit', code: 3 }, { stderr })
  expect(failure?.message).toContain('Last lines of stderr:\n  line 95\n')
  expect(failure?.message).not.toContain('line 94')
})

test('standard output is told when standard error is empty', () => {
  const [failure] = said({ kind: 'timeout', clock: 'wall', limitMs: 100 }, { stdout: 'step 1\r\nstep 2\n' })
  expect(failure?.message).toContain('It printed on stdout:\n  step 1\n  step 2')
})

test('of a language that is not known the outcome and the last lines are told', () => {
  const [failure] = said({ kind: 'exit', code: 2 }, { stderr: 'undefined reference to main\n' }, 'fortran')
  expect(failure?.message).toBe(
    'The program exited with code 2.\nIt printed on stderr:\n  undefined reference to main',
  )
})

test('a language that is not known is refused by name, and each usual name of one is understood', async () => {
  expect(() => languageOf('fortran')).toThrow(/"fortran".*python/u)
  expect(['py', 'C++', 'golang', 'bash', 'node'].map((name) => languageOf(name).id)).toEqual([
    'python',
    'cpp',
    'go',
    'shell',
    'javascript',
  ])
  const context = { workdir: '/w', memoryBytes: 1, compileArgs: [], answers: {} }
  const recipe = await languageOf('python').recipe({ files: { 'a b.py': '' }, entry: 'a b.py' }, context)
  expect(recipe).toEqual({ run: { argv: ['python3', '-s', '-B', '-u', 'a b.py'] } })
})

test('without the program every file outside of libraries counts as its own', () => {
  const stderr =
    'Traceback (most recent call last):\n  File "/x/y/main.py", line 3, in <module>\n    f()\n  File "/usr/lib/python3.11/json/decoder.py", line 1, in decode\n    z\nValueError: x\n'
  const [failure] = said({ kind: 'exit', code: 1 }, { stderr })
  expect(failure).toMatchObject({ location: { path: 'main.py', line: 3 }, foldedFrames: 1 })
})
