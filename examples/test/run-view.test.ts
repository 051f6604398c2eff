import { stripVTControlCharacters } from 'node:util'
import type { ExecutionResult, Guarantees, LoopEvent, LoopEventPayloads, LoopEventType } from '@mendloop/core'
import { expect, test } from 'vitest'
import { RunView } from '../demo/view/run-view.js'
import { coloursWanted, createStyle } from '../demo/view/style.js'
import { textWidth } from '../demo/view/text-width.js'

const guarantees: Guarantees = {
  isolation: 'process',
  network: 'host',
  files: 'same-user',
  processes: 'none',
  descendants: 'best-effort',
  memory: 'none',
  pids: 'none',
  disk: 'none',
  syscalls: 'none',
}

const captured = (text: string) => ({ text, bytes: text.length, truncated: false, omittedBytes: 0 })

const execution = (outcome: ExecutionResult['outcome'], stdout = ''): ExecutionResult => ({
  outcome,
  ok: outcome.kind === 'exit' && outcome.code === 0,
  stdout: captured(stdout),
  stderr: captured(''),
  durationMs: 45,
  usage: {},
  changes: [],
  guarantees,
})

function event<T extends LoopEventType>(type: T, attempt: number, payload: LoopEventPayloads[T]): LoopEvent {
  return { type, runId: 'run', sequence: 0, atMs: 0, attempt, ...payload } as unknown as LoopEvent
}

const spent = {
  attempts: 0,
  formatErrors: 0,
  editErrors: 0,
  infrastructureErrors: 0,
  modelCalls: 0,
  usage: {},
  totalTokens: 0,
  wallMs: 0,
  executionMs: 0,
}

const asked = { call: 1, model: 'scripted', messages: [], settings: {} }

const reply = (text: string) => ({
  call: 1,
  reply: { text, toolCalls: [], finish: 'stop' as const, usage: { inputTokens: 1200, outputTokens: 34 } },
  costUsd: 0.0123,
  durationMs: 1500,
})

const failing = {
  kind: 'exception' as const,
  message: "ValueError: could not convert string to float: 'n/a'",
  location: { path: 'prices.py', line: 3 },
  frames: [{ path: 'prices.py', line: 3, function: 'parse_price' }],
  excerpt: '  2 | def parse_price(text):\n> 3 |     return float(text)',
  expected: '1',
  actual: '2',
  fingerprint: 'f',
}

const EVENTS: readonly LoopEvent[] = [
  event('attempt-start', 1, { spent }),
  event('model-start', 1, asked),
  event('model-delta', 1, { text: 'Here' }),
  event('model-end', 1, reply('**Here** is the `program`.\n\n```python\nx = 1\n```\n')),
  event('candidate-ready', 1, {
    candidate: {
      files: { 'prices.py': `${Array.from({ length: 40 }, (_, at) => `line_${at + 1} = 1`).join('\n')}\n` },
      entry: 'prices.py',
    },
    diff: '',
    warnings: [],
  }),
  event('sandbox-start', 1, { guarantees }),
  event('verification-start', 1, { verifier: 'exits cleanly', visibility: 'visible' }),
  event('execution-start', 1, { command: 'python3 prices.py', purpose: 'program' }),
  event('execution-end', 1, {
    command: 'python3 prices.py',
    purpose: 'program',
    result: execution({ kind: 'exit', code: 1 }, '\u001b[2Jcleared\n'),
  }),
  event('verification-end', 1, {
    verdict: {
      name: 'exits cleanly',
      visibility: 'visible',
      status: 'fail',
      integrity: 'shared',
      failures: [failing],
    },
  }),
  event('verification-end', 1, {
    verdict: {
      name: 'tests',
      visibility: 'visible',
      status: 'not-run',
      integrity: 'separate',
      failures: [failing],
    },
  }),
  event('attempt-end', 1, {
    result: {
      attempt: 1,
      candidate: { files: {}, entry: 'prices.py' },
      verdicts: [],
      failures: [],
      passed: false,
    },
  }),
  event('attempt-start', 2, { spent }),
  event('model-end', 2, reply('```python\ny\n```')),
  event('candidate-ready', 2, {
    candidate: { files: { 'prices.py': 'y\n' }, entry: 'prices.py' },
    diff: 'diff --git a/prices.py b/prices.py\n--- a/prices.py\n+++ b/prices.py\n@@ -1,2 +1,2 @@\n--- a comment in SQL\n+y\n same\n',
    warnings: [],
  }),
  event('verification-end', 2, {
    verdict: {
      name: 'tests',
      visibility: 'visible',
      status: 'pass',
      integrity: 'separate',
      tests: [{ name: 'a', status: 'pass' }],
      failures: [],
    },
  }),
]

const report = (width: number, colour = false): string[] => {
  const view = new RunView(() => ({ width, style: createStyle(colour) }))
  return EVENTS.flatMap((one) => view.accept(one)).flatMap((line) => line.split('\n'))
}

test('an attempt is told from the program to the cost, and the next one by its patch', () => {
  expect(report(80).join('\n')).toMatchInlineSnapshot(`
    "
    ── attempt 1 ───────────────────────────────────────────────────────────────────
    model    wrote prices.py, 40 lines
             “Here is the program.”
             │  1  line_1 = 1
             │  2  line_2 = 1
             │  3  line_3 = 1
             │  4  line_4 = 1
             │  5  line_5 = 1
             │  6  line_6 = 1
             │  7  line_7 = 1
             │  8  line_8 = 1
             │  9  line_9 = 1
             │ 10  line_10 = 1
             │ 11  line_11 = 1
             │ 12  line_12 = 1
             │ 13  line_13 = 1
             │ 14  line_14 = 1
             … 26 more lines
    run      python3 prices.py
             exit code 1 after 45 ms
             │ cleared
    checks   ✗ exits cleanly
               ValueError: could not convert string to float: 'n/a'
               prices.py, line 3, in parse_price
             │   2 | def parse_price(text):
             │ > 3 |     return float(text)
               expected 1   actual 2
             – tests  did not run, for the same reason as "exits cleanly"
    cost     1,200 + 34 tokens · $0.0123 · model 1.5 s · programs 45 ms

    ── attempt 2 ───────────────────────────────────────────────────────────────────
    model    rewrote prices.py, 1 line
    patch
             │ @@ -1,2 +1,2 @@
             │ --- a comment in SQL
             │ +y
             │  same
    checks   ✓ tests  1 test"
  `)
})

test.each([40, 80, 120])('no line is wider than %i columns', (width) => {
  for (const line of report(width)) expect(textWidth(line)).toBeLessThanOrEqual(width)
})

test('a reply without a program is told within its attempt, and counts towards its cost', () => {
  const view = new RunView(() => ({ width: 80, style: createStyle(false) }))
  const [start, , , , ready] = EVENTS
  const rejected = { kind: 'no-code' as const, message: 'The reply holds no program.', fingerprint: 'f' }
  const events = [
    start,
    event('model-start', 1, asked),
    event('model-end', 1, reply('I cannot see any task.')),
    event('reply-rejected', 1, { failure: rejected }),
    event('model-start', 1, asked),
    event('model-end', 1, reply('Now then.\n\n```python\nx = 1\n```\n')),
    ready,
    EVENTS.find(({ type }) => type === 'attempt-end'),
  ]
  const lines = events.flatMap((one) => (one === undefined ? [] : view.accept(one)))
  expect(lines.filter((line) => line.startsWith('── attempt'))).toHaveLength(1)
  const told = lines.filter((line) => /^[a-z]|“/.test(line.trimStart()) && !line.includes('│'))
  expect(told.map((line) => line.trimEnd())).toEqual([
    'model    gave no usable program: The reply holds no program.',
    'model    wrote prices.py, 40 lines',
    '         “Now then.”',
    'cost     2,400 + 68 tokens · $0.0246 · model 3.0 s · programs 0 ms',
  ])
})

test('blank lines of a program carry no blanks at their end', () => {
  const view = new RunView(() => ({ width: 80, style: createStyle(false) }))
  const candidate = { files: { 'a.py': 'x = 1\n\n\ny = 2\n' }, entry: 'a.py' }
  const [lines, patch] = ['', '@@ -1,2 +1,2 @@\n-x\n \n+y\n'].map((diff) =>
    view.accept(event('candidate-ready', 1, { candidate, diff, warnings: [] })).join('\n'),
  )
  expect(lines).toContain('│ 2\n')
  expect(`${lines}\n${patch}`).not.toMatch(/ $/m)
})

test('without colours there is no escape sequence, with colours the text is the same', () => {
  expect(report(80).join('\n')).not.toContain('\u001b')
  const uncoloured = stripVTControlCharacters(report(80, true).join('\n'))
  expect(uncoloured).toBe(report(80).join('\n'))
})

test('what is going on is told while it goes on', () => {
  const view = new RunView(() => ({ width: 80, style: createStyle(false) }))
  const seen = EVENTS.slice(0, 8).map((one) => {
    view.accept(one)
    return view.activity
  })
  expect(seen[2]).toBe('the model is writing, 4 characters so far')
  expect(seen[7]).toBe('running python3 prices.py')
})

test('colours follow FORCE_COLOR, then NO_COLOR, then the terminal', () => {
  expect(coloursWanted({}, true)).toBe(true)
  expect(coloursWanted({}, false)).toBe(false)
  expect(coloursWanted({ TERM: 'dumb' }, true)).toBe(false)
  expect(coloursWanted({ NO_COLOR: '1' }, true)).toBe(false)
  expect(coloursWanted({ NO_COLOR: '' }, true)).toBe(true)
  expect(coloursWanted({ FORCE_COLOR: '1', NO_COLOR: '1' }, false)).toBe(true)
  expect(coloursWanted({ FORCE_COLOR: '0' }, true)).toBe(false)
})
