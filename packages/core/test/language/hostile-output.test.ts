// Whatever a program prints, reading it neither throws nor takes long.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Outcome } from '../../src/contract/execution.js'
import { diagnose } from '../../src/language/diagnose.js'
import { recordedEnds } from '../helpers/failure-programs.js'
import { toResult } from '../helpers/failure-summary.js'

const LANGUAGES = ['javascript', 'typescript', 'shell', 'c', 'cpp', 'java', 'go', 'rust']
const STEPS = [undefined, 'compile'] as const
const OUTCOMES: readonly Outcome[] = [
  { kind: 'exit', code: 1 },
  { kind: 'exit', code: 2 },
  { kind: 'exit', code: 101 },
  { kind: 'signal', signal: 'SIGABRT' },
  { kind: 'timeout', clock: 'wall', limitMs: 1000 },
]
const CANDIDATE = { files: { 'solution.c': 'int main;\n', 'a/b.rs': '' }, entry: 'solution.c' }
const SIZE = 128 * 1024

const LONG = [
  '(',
  ' (',
  '    at ',
  '    at f (',
  '.mendloop.',
  'expected:<',
  "Cannot find module '",
  'ld: ',
  ' #1 0x1 in / ',
  'a:1:1: error: ',
  "thread 'main' panicked at ",
  '[errors]: [',
  'error[E1]: ',
  '\tpanic: ',
  'Caused by: ',
  '^^^^',
  ': line 1: ',
]
const LINES = [
  ...LONG,
  'panic: x',
  'goroutine 1 [running]:',
  'Exception in thread "main" java.lang.Error',
  "thread 'main' (1) panicked at a.rs:1:1:",
  'solution.c:1:1: error: no',
  'solution.c:1:1: note: no',
  '/w/solution.c:1',
  'Node.js v20.0.0',
  'Error: x',
  '  [cause]: Error: x',
  'error: x',
  ' --> a/b.rs:1:1',
  'Caused by: java.lang.Error',
]

const HOSTILE: readonly (readonly [name: string, text: string])[] = [
  ...LONG.map((piece) => [`one line of "${piece}"`, piece.repeat(SIZE / piece.length)] as const),
  ...LINES.map((line) => [`lines of "${line}"`, `${line}\n`.repeat(SIZE / (line.length + 1))] as const),
  [
    'panics above a goroutine',
    `${'panic: x\n'.repeat(9000)}\ngoroutine 1 [running]:\n${'f()\n\t/a.go:1 +0x1\n'.repeat(3000)}`,
  ],
]

test.each(HOSTILE)('%s is read at once by every language', (_, stderr) => {
  const started = performance.now()
  for (const language of ['javascript', 'shell', 'c', 'java', 'go', 'rust'])
    for (const step of STEPS) {
      const end = { outcome: OUTCOMES[1] ?? { kind: 'aborted' }, stdout: '', stderr }
      diagnose(toResult({ ...end, ...(step !== undefined && { step }) }), { language, candidate: CANDIDATE })
    }
  // A tenth of a second where every pattern is linear; minutes where one is not.
  expect(performance.now() - started).toBeLessThan(6_000)
})

test('pieces of real output in any order are read without an error, and every failure is whole', () => {
  const lines = LANGUAGES.flatMap((language) =>
    Object.values(recordedEnds(language)).flatMap(({ stderr }) => stderr.split('\n')),
  )
  const text = fc.array(fc.oneof(fc.constantFrom(...lines), fc.string()), { maxLength: 40 })
  fc.assert(
    fc.property(
      text,
      fc.constantFrom(...OUTCOMES),
      fc.constantFrom(...LANGUAGES),
      fc.constantFrom(...STEPS),
      (chosen, outcome, language, step) => {
        const end = { outcome, stdout: '', stderr: chosen.join('\n'), ...(step !== undefined && { step }) }
        const failures = diagnose(toResult(end), { language, candidate: CANDIDATE })
        expect(failures.length).toBeGreaterThan(0)
        for (const { message, fingerprint, location } of failures) {
          expect(typeof message).toBe('string')
          expect(fingerprint).toMatch(/^[a-z-]+-[0-9a-f]{12}$/u)
          if (location !== undefined) expect(location.line).toBeGreaterThan(0)
        }
      },
    ),
    { numRuns: 300 },
  )
})
