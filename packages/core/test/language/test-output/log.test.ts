// Reports within logs: what CI services put before each line, noise around them, parts that are missing, and hostile text.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTestOutput } from '../../../src/language/test-output/read-test-output.js'
import type { TestOutput } from '../../../src/language/test-output/test-output.js'
import { RUNNERS, recordedOutput, testProject } from './recorded.js'

const RUNS = RUNNERS.flatMap((runner) =>
  Object.entries(recordedOutput(runner).outputs).map(([name, text]) => ({ runner, name, text })),
)
/** One run of each runner that has failures, and one that has none. */
const CHOSEN = RUNS.filter(({ name }) =>
  /^(?:default|short|spec|tap|broken-tap|passing\S*|collection)$/u.test(name),
)

const clock = (index: number): string =>
  `2026-01-0${1 + (Math.floor(index / 5000) % 9)}T10:${String(Math.floor(index / 60) % 60).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}.1234567Z`

const PREFIXES: readonly (readonly [name: string, prefix: (index: number) => string])[] = [
  ['times of GitHub Actions', (index) => `${clock(index)} `],
  ['columns of gh run view', (index) => `test (20)\tRun tests\t${clock(index)} `],
  ['times and marks of GitLab', (index) => `${clock(index)} 01O `],
  ['a time of day in brackets', (index) => `[10:00:${String(index % 60).padStart(2, '0')}] `],
  ['the name of a job', () => '[unit tests] '],
  ['a time and the name of a job', (index) => `${clock(index)} [job] `],
  ['the name of a service', () => 'web-1  | '],
  ['the task of a monorepo', () => '@app/core:test: '],
  ['the folder of a workspace', () => 'packages/core test: '],
]

const before = (text: string, prefix: (index: number) => string): string =>
  text
    .split('\n')
    .map((line, index) => prefix(index) + line)
    .join('\n')

describe.each(PREFIXES)('%s before each line', (_, prefix) => {
  test.each(CHOSEN)('changes nothing: $runner $name', ({ runner, text }) => {
    const { files } = testProject(runner)
    expect(readTestOutput(before(text, prefix), { files })).toEqual(readTestOutput(text, { files }))
  })
})

test('groups, notices and errors of GitHub Actions are no part of a report', () => {
  const { text, runner } = chosen('pytest', 'default')
  const { files } = testProject(runner)
  const log = [
    '##[group]Run pytest',
    'pytest',
    'shell: /usr/bin/bash -e {0}',
    '##[endgroup]',
    text,
    '##[error]Process completed with exit code 1.',
    'Post job cleanup.',
  ].join('\n')
  expect(
    readTestOutput(
      before(log, (index) => `${clock(index)} `),
      { files },
    ),
  ).toEqual(readTestOutput(text, { files }))
})

test('of jobs that wrote at once, the one with the failures is read', () => {
  const failing = chosen('vitest', 'default').text.split('\n')
  const passing = chosen('pytest', 'passing').text.split('\n')
  const lines = failing.flatMap((line, index) => [
    `[web] ${line}`,
    ...(passing[index] === undefined ? [] : [`[api] ${passing[index]}`]),
  ])
  const { files } = testProject('vitest')
  expect(readTestOutput(lines.join('\n'), { files })).toEqual(readTestOutput(failing.join('\n'), { files }))
})

test.each(CHOSEN)('thousands of other lines around it change nothing: $runner $name', ({ runner, text }) => {
  const noise = Array.from(
    { length: 4000 },
    (_, index) =>
      [
        `npm warn deprecated thing@${index}`,
        `Downloading layer ${index}/9000 [=====>    ]`,
        '',
        `  at step ${index}: ok`,
        `error: nothing to see in src/a.c:${index}:1`,
      ][index % 5],
  ).join('\n')
  const { files } = testProject(runner)
  const read = (all: string): Partial<TestOutput> => readTestOutput(all, { files }) ?? {}
  const { tests, failures } = read(`${noise}\n\n${text}\n\n${noise}`)
  expect({ tests, failures: failures?.map(({ message, ...rest }) => rest.location) }).toEqual({
    tests: read(text).tests,
    failures: read(text).failures?.map(({ location }) => location),
  })
})

test.each(RUNS.filter(({ text }) => text.length < 40_000))(
  'cut at any line, nothing is made up: $runner $name',
  ({ runner, text }) => {
    const { files } = testProject(runner)
    const whole = readTestOutput(text, { files })?.failures ?? []
    const lines = text.split('\n')
    for (let at = 1; at < lines.length; at += Math.ceil(lines.length / 25))
      for (const part of [lines.slice(at), lines.slice(0, at)]) {
        const { failures = [], tests = [] } = readTestOutput(part.join('\n'), { files }) ?? {}
        expect(failures.length).toBeLessThanOrEqual(whole.length + 1)
        expect(tests.length).toBeLessThanOrEqual(200)
        // All but those at the cut are read as they are in the whole.
        const known = new Set(whole.map(({ location }) => JSON.stringify(location)))
        const unknown = failures.filter(({ location }) => location && !known.has(JSON.stringify(location)))
        expect(unknown.length).toBeLessThanOrEqual(2)
      }
  },
)

test('a report without its head still has the failures behind the cut', () => {
  const { text } = chosen('pytest', 'default')
  const { files } = testProject('pytest')
  const whole = readTestOutput(text, { files })?.failures ?? []
  const cut = readTestOutput(text.slice(text.indexOf('___ test_lists ___')), { files })
  expect(cut?.complete).toBe(true)
  expect(cut?.failures.map(({ test: name }) => name)).toEqual(
    expect.arrayContaining(['test_lists', 'test_texts', 'TestAccount::test_balance']),
  )
  expect(cut?.failures.length).toBeGreaterThan(whole.length / 2)
})

test('a report without its end says so', () => {
  for (const [runner, name] of [
    ['pytest', 'default'],
    ['unittest', 'default'],
    ['vitest', 'default'],
    ['jest', 'default'],
    ['node-test', 'spec'],
    ['node-test', 'tap'],
  ] as const) {
    const { text } = chosen(runner, name)
    expect(readTestOutput(text)?.complete).toBe(true)
    const cut = readTestOutput(text.slice(0, text.length * 0.4))
    expect([runner, name, cut?.complete]).toEqual([runner, name, false])
    expect(cut?.failures.length).toBeGreaterThan(1)
  }
})

test.each([
  ['= FAILURES =\n___ test_a ___', 'It failed; the report ends before it says how.'],
  ['= FAILURES =\n___ test_a ___\n\n', 'It failed; the report ends before it says how.'],
  [
    "ImportError while loading conftest '/p/conftest.py'.",
    "ImportError while loading conftest '/p/conftest.py'.",
  ],
])('a report that ends behind the title of a failure says of it what is known: %j', (text, message) => {
  expect(readTestOutput(text)?.failures.map((one) => one.message)).toEqual([message])
})

const ORDINARY = [
  '',
  'hello\n',
  'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nZeroDivisionError: division by zero\n',
  'a.c:1:2: error: expected ; before }\n',
  'file:///a.mjs:1\nthrow new Error(1)\n^\n\nError: 1\n    at file:///a.mjs:1:7\n\nNode.js v20.0.0\n',
  'FAIL\nPASS\nok 1\nnot ok 2\n# Tests\n1..2\n',
  '3 of 5 tests failed\nassert x == y\n',
  '====\ntitle\n====\n----\n',
  '--- FAIL: TestX (0.00s)\n    x_test.go:3: no\nFAIL\nexit status 1\nFAIL\texample\t0.001s\n',
  'thread main panicked at src/main.rs:1:1:\nno\n',
  '✖ 3 problems (3 errors, 0 warnings)\n',
  '● a point\n ✓ another\n × a third\n ❯ a.ts:1:2\n',
]

test.each(ORDINARY)('what is no report of a test runner is not read as one: %j', (text) => {
  expect(readTestOutput(text)).toBeUndefined()
  expect(readTestOutput(before(text, (index) => `${clock(index)} `))).toBeUndefined()
})

const PIECES = RUNS.flatMap(({ text }) => text.split('\n').filter((_, index) => index % 7 === 0))

test('pieces of real reports in any order are read without an error, and every failure is whole', () => {
  const line = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...PIECES) }, fc.string())
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const { failures = [], tests = [] } = readTestOutput(lines.join('\n')) ?? {}
      for (const { message, fingerprint, location } of failures) {
        expect(message).not.toBe('')
        expect(fingerprint).toMatch(/^[a-z-]+-[0-9a-f]{12}$/u)
        if (location !== undefined) expect(location.line).toBeGreaterThan(0)
      }
      for (const { name, status } of tests) expect([typeof name, typeof status]).toEqual(['string', 'string'])
    }),
    { numRuns: 400 },
  )
})

test('any text is taken', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      readTestOutput(text)
    }),
  )
})

const SIZE = 2_000_000
const LONG = [
  '=',
  '_ ',
  '= FAILURES =',
  'E   ',
  ' FAIL  a > ',
  '  ● ',
  '✖ ',
  '    at f (',
  ' ❯ ',
  '[',
  '- ',
  '"',
  'a:1: ',
  '(',
]

test.each([
  ...LONG.map(
    (piece) => [`one line of ${JSON.stringify(piece)}`, piece.repeat(SIZE / piece.length)] as const,
  ),
  ...LONG.map(
    (piece) =>
      [`lines of ${JSON.stringify(piece)}`, `${piece}x\n`.repeat(SIZE / (piece.length + 2))] as const,
  ),
  ...CHOSEN.map(
    ({ runner, name, text }) =>
      [`${runner} ${name} again and again`, text.repeat(SIZE / text.length)] as const,
  ),
])('megabytes are read in a moment: %s', (_, text) => {
  const started = performance.now()
  readTestOutput(text)
  // A few tenths of a second, alone on a machine; minutes where a pattern or a loop is not linear.
  expect(performance.now() - started).toBeLessThan(4_000)
})

function chosen(runner: (typeof RUNNERS)[number], name: string): { runner: typeof runner; text: string } {
  return { runner, text: recordedOutput(runner).outputs[name] ?? '' }
}
