// A program that runs its own tests fails by their failures; what is said of any other program stays as it is.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Sandbox } from '../../../src/contract/sandbox.js'
import { diagnose } from '../../../src/language/diagnose.js'
import { languageOf } from '../../../src/language/languages.js'
import { runSource } from '../../../src/language/run-source.js'
import { recordedEnds } from '../../helpers/failure-programs.js'
import { summaryOf, toResult } from '../../helpers/failure-summary.js'
import { requires } from '../../helpers/requires.js'
import { sandboxWithTools } from '../../helpers/toolchains.js'
import { recordedOutput, testProject } from './recorded.js'

const FAILED = { kind: 'exit', code: 1 } as const

test.each([
  ['pytest', 'default', 'python'],
  ['node-test', 'spec', 'javascript'],
  ['vitest', 'default', 'typescript'],
  ['jest', 'default', 'ruby'],
] as const)('the report of %s is what went wrong, whatever the stream', (runner, name, language) => {
  const { files } = testProject(runner)
  const text = recordedOutput(runner).outputs[name] ?? ''
  const candidate = { files, entry: Object.keys(files)[0] ?? '' }
  const [out, err] = [
    { stdout: text, stderr: '' },
    { stdout: '', stderr: text },
  ].map((streams) => diagnose(toResult({ outcome: FAILED, ...streams }), { language, candidate }))
  expect(out?.length).toBeGreaterThan(10)
  expect(err).toEqual(out)
})

test('a report that broke off does not hide how the program ended', () => {
  const text = (recordedOutput('pytest').outputs['default'] ?? '').slice(0, 6000)
  const [failure] = diagnose(
    toResult({ outcome: { kind: 'signal', signal: 'SIGKILL' }, stdout: text, stderr: '' }),
    {
      language: 'python',
    },
  )
  expect(failure?.message).toMatch(/^The program was killed by SIGKILL/u)
})

test('a report without a failure does not hide what made the program fail', () => {
  const stdout = recordedOutput('pytest').outputs['passing'] ?? ''
  const stderr =
    'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    1 / 0\nZeroDivisionError: no\n'
  const [failure] = diagnose(toResult({ outcome: FAILED, stdout, stderr }), { language: 'python' })
  expect(failure?.message).toBe('ZeroDivisionError: no')
})

test.each(['javascript', 'typescript', 'shell', 'c', 'cpp', 'java', 'go', 'rust'])(
  'no recorded failure of an ordinary program is read as a report: %s',
  (language) => {
    for (const end of Object.values(recordedEnds(language)))
      expect(diagnose(toResult(end), { language })).toEqual(languageOf(language).diagnose(toResult(end)))
  },
)

const PYTHON = `import unittest

def add(a, b):
    return a - b

class Adding(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_none(self):
        add(None, 1)

unittest.main()
`
const JAVASCRIPT = `import assert from 'node:assert'
import test from 'node:test'
const add = (a, b) => a - b
test('adds', () => {
  assert.equal(add(1, 2), 3)
})
test('knows numbers', () => add(1n, 2))
`

describe('a program with tests in it', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await sandboxWithTools().create()
  })
  afterAll(() => sandbox.close())

  test('of Python fails by each of them', async () => {
    const { failures } = await runSource(sandbox, { language: 'python', files: PYTHON })
    expect(failures.map(summaryOf)).toEqual([
      expect.stringMatching(
        /^exception solution\.py:4:\d+ TypeError: unsupported operand.*\n {2}calls test_none:11 > add:4/u,
      ),
      'assertion solution.py:8 AssertionError: -1 != 3\n  calls test_add:8\n  expected 3\n  actual -1',
    ])
    expect(failures.map(({ test: name }) => name)).toEqual([
      '__main__.Adding.test_none',
      '__main__.Adding.test_add',
    ])
  })

  test.skipIf(!requires('node'))('of JavaScript fails by each of them', async () => {
    const { failures } = await runSource(sandbox, { language: 'javascript', files: JAVASCRIPT })
    expect(
      failures.map(({ test: name, kind, location }) => [name, kind, location?.path, location?.line]),
    ).toEqual([
      ['adds', 'assertion', 'solution.mjs', 5],
      ['knows numbers', 'exception', 'solution.mjs', 3],
    ])
    expect(failures[0]).toMatchObject({ expected: '3', actual: '-1' })
  })

  test('endless calls back and forth are shown from both ends', async () => {
    const files = 'def a(n):\n    return b(n)\n\n\ndef b(n):\n    return a(n)\n\n\na(1)\n'
    const { failures } = await runSource(sandbox, { language: 'python', files })
    expect(failures[0]?.message).toMatch(/^RecursionError/u)
    expect(failures[0]?.frames).toHaveLength(40)
    expect(failures[0]?.frames?.[0]).toMatchObject({ function: '<module>', line: 9 })
    expect(failures[0]?.foldedFrames).toBeGreaterThan(800)
  })

  test('warnings that a program printed before it gave up name its own file', async () => {
    const files = 'import warnings\n\nwarnings.warn("old")\nraise SystemExit(3)\n'
    const { failures } = await runSource(sandbox, { language: 'python', files })
    expect(failures[0]?.message).toContain('  solution.py:3: UserWarning: old')
  })
})
