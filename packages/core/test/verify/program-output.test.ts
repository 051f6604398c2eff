// exitsCleanly and expectOutput: what the program itself did.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import type { ExecutionResult, Outcome } from '../../src/contract/execution.js'
import type { Verdict, Verifier, VerifyContext } from '../../src/contract/verify.js'
import { exitsCleanly } from '../../src/verify/exits-cleanly.js'
import { expectOutput } from '../../src/verify/expect-output.js'
import { verdictOn } from '../helpers/local-sandbox.js'
import { requires } from '../helpers/requires.js'

/** The verdict on an execution that is told, not run. */
const told = (
  verifier: Verifier,
  stdout: string,
  {
    outcome = { kind: 'exit', code: 0 },
    omittedBytes = 0,
  }: { outcome?: Outcome; omittedBytes?: number } = {},
): Promise<Verdict> => {
  const text = (value: string) => ({
    text: value,
    bytes: value.length,
    truncated: omittedBytes > 0,
    omittedBytes,
  })
  const execution = { outcome, ok: false, stdout: text(stdout), stderr: text('') } as ExecutionResult
  return verifier.verify({
    candidate: { files: {}, entry: 'solution.py' },
    language: 'python',
    run: async () => execution,
  } as unknown as VerifyContext)
}

describe.runIf(requires('python3'))('exitsCleanly', () => {
  test('passes a program that ends with code 0, and says that the program alone decided', async () => {
    expect(await verdictOn(exitsCleanly(), 'print(1)\n')).toEqual({
      status: 'pass',
      integrity: 'shared',
      failures: [],
    })
  })

  test('fails one that raises, with what its traceback says', async () => {
    const verdict = await verdictOn(exitsCleanly(), 'def f():\n    return 1 / 0\n\nf()\n')

    expect(verdict.status).toBe('fail')
    expect(verdict.failures[0]).toMatchObject({
      kind: 'exception',
      location: { path: 'solution.py', line: 2 },
    })
    expect(verdict.failures[0]?.message).toContain('ZeroDivisionError')
  })

  test('fails one that exits with another code', async () => {
    const verdict = await verdictOn(exitsCleanly(), 'import sys\nsys.exit(3)\n')

    expect(verdict.status).toBe('fail')
    expect(verdict.failures[0]?.message).toContain('3')
  })
})

describe('An execution that has no end of its own', () => {
  test.for([exitsCleanly(), expectOutput('x')])(
    'is lost to $name, and nobody is blamed',
    async (verifier) => {
      expect(await told(verifier, 'x', { outcome: { kind: 'lost', cause: 'gone' } })).toMatchObject({
        status: 'not-run',
        lost: 'gone',
      })
      expect(await told(verifier, 'x', { outcome: { kind: 'aborted' } })).toMatchObject({ status: 'not-run' })
    },
  )

  test.for<Outcome>([
    { kind: 'timeout', clock: 'wall', limitMs: 5 },
    { kind: 'signal', signal: 'SIGSEGV' },
    { kind: 'resource', limit: 'memory' },
    { kind: 'exit', code: 1 },
  ])('fails expectOutput even when the text is right: $kind', async (outcome) => {
    const verdict = await told(expectOutput('x'), 'x', { outcome })

    expect(verdict.status).toBe('fail')
    expect(verdict.failures.length).toBeGreaterThan(0)
  })
})

describe('expectOutput', () => {
  test.for([
    ['a\nb', 'a\nb\n', true],
    ['a\nb\n', 'a  \r\nb\r\n\r\n', true],
    ['a\n\nb', 'a\nb', false],
    ['a', 'A', false],
    [' a', 'a', false],
    ['', '\n\n', true],
    ['a', '', false],
    [/^b$/mu, 'a\nb\nc', true],
    [/^a\nc/u, 'a\nb\nc', false],
  ] as const)('compares %j with %j: %s', async ([expected, printed, passes]) => {
    expect((await told(expectOutput(expected), printed)).status).toBe(passes ? 'pass' : 'fail')
  })

  test('keeps white space when it is told to', async () => {
    const exact = expectOutput('a \n', { trim: false })

    expect((await told(exact, 'a \n')).status).toBe('pass')
    expect((await told(exact, 'a\n')).status).toBe('fail')
  })

  test('names the first line that differs, with both texts', async () => {
    const verdict = await told(expectOutput('1\n2\n3'), '1\n5\n3\n')

    expect(verdict.failures[0]).toMatchObject({
      kind: 'output',
      message: 'The program\'s stdout differs in line 2: expected "2", got "5".',
      expected: '1\n2\n3',
      actual: '1\n5\n3',
    })
  })

  test.for([
    ['1\n2', '1', 'differs in line 2: expected "2", got no further line'],
    ['1', '1\n2', 'differs in line 2: expected no further line, got "2"'],
    ['1', '', 'printed nothing on stdout'],
  ] as const)('says what is missing or too much: %j, %j', async ([expected, printed, message]) => {
    expect((await told(expectOutput(expected), printed)).failures[0]?.message).toContain(message)
  })

  test('never passes a text of which a part was not kept', async () => {
    const verdict = await told(expectOutput('a'), 'a', { omittedBytes: 7 })

    expect(verdict.status).toBe('fail')
    expect(verdict.failures[0]?.message).toContain('7 were not kept')
  })

  test('finds a pattern with the g flag every time', async () => {
    const verifier = expectOutput(/a/gu)
    const verdicts = [await told(verifier, 'a'), await told(verifier, 'a'), await told(verifier, 'a')]

    expect(verdicts.map(({ status }) => status)).toEqual(['pass', 'pass', 'pass'])
  })

  test.runIf(requires('python3'))('reads the stream it is told', async () => {
    const verifier = expectOutput('problem', { stream: 'stderr' })
    const program = 'import sys\nprint("out")\nprint("problem", file=sys.stderr)\n'

    expect((await verdictOn(verifier, program)).status).toBe('pass')
  })

  test('passes a text exactly when it equals what was printed, but for line ends', async () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n'), maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(texts, texts, async (expected, printed) => {
        const verdict = await told(expectOutput(expected, { trim: false }), printed.replaceAll('\n', '\r\n'))
        expect(verdict.status === 'pass').toBe(expected === printed)
      }),
    )
  })

  test.for([
    [() => expectOutput(5 as never), 'must be a text or a pattern'],
    [() => expectOutput('x', { stream: 'stdin' as never }), 'stream'],
    [() => exitsCleanly({ nam: 'x' } as never), 'did you mean "name"?'],
  ] as const)('refuses what it cannot use: %s', ([make, message]) => {
    expect(make).toThrow(MendloopError)
    expect(make).toThrow(message)
  })
})

test('of two long texts that part late, the window in which they part is kept', async () => {
  const long = 'x'.repeat(5000)
  const verdict = await told(expectOutput(`${long}A${long}`), `${long}B${long}`)
  expect(verdict.failures[0]?.expected).toContain('xAx')
  expect(verdict.failures[0]?.actual).toContain('xBx')
  expect(verdict.failures[0]?.actual).toContain('characters left out')
})
