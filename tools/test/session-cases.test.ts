// Cases of sessions are believed no more than others.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { requires } from '../../packages/core/test/helpers/requires.js'
import type { BugCase } from '../cases/bug-case.js'
import { runCase } from '../cases/run-case.js'

const folder = mkdtempSync(join(tmpdir(), 'mendloop-cases-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function sessionCase(cells: unknown): BugCase {
  writeFileSync(join(folder, 'cells.json'), JSON.stringify(cells))
  return { id: 'X', kind: 'session', name: '', folder, input: { input: 'cells.json' }, expect: {} }
}

describe.skipIf(!requires('python3'))('a case of a session', () => {
  test('passes when every cell does what is expected of it', async () => {
    const cells = [
      { code: 'x = 1' },
      { code: 'print(x)', expect: { status: 'ok', stdout: '1\n', sessionRestarted: false } },
      {
        code: 'import os; os._exit(3)',
        expect: { exitCode: 3, sessionLost: true, sessionRestartedNext: true },
      },
    ]
    expect(await runCase(sessionCase(cells))).toEqual({ status: 'passed' })
  })

  test('may ask of a cell what it may ask of a program', async () => {
    const cells = [
      { code: 'print("\\x1b[1mé\\x1b[0m")', expect: { stdoutBytes: 11, forModel: { stdout: 'é\n' } } },
      { code: 'print("x" * 5_000_000)', expect: { truncated: true, stdoutBytesAtMost: 2_000_000 } },
      { code: 'import os; os._exit(0)', expect: { statusNot: 'ok', exitCode: 0, sessionLost: true } },
    ]
    expect(await runCase(sessionCase(cells))).toEqual({ status: 'passed' })
  })

  test.each<[string, unknown]>([
    [
      'the value of a cell',
      [
        { code: '6 * 7', expect: { value: '42' } },
        { code: 'x = 1', expect: { value: null } },
      ],
    ],
    [
      'what a cell leaves running',
      [{ code: 'import os\nos._exit(9)', expect: { sessionLost: true, survivors: 0 } }],
    ],
    ['the name of a cell', [{ id: 'first', code: 'print(1)', expect: { stdout: '1\n' } }]],
    [
      'how much output is kept',
      [{ code: 'print("x" * 9000)', options: { maxOutputBytes: 4096 }, expect: { truncated: true } }],
    ],
    ['memory that ran out', [{ code: 'raise MemoryError', expect: { status: 'memory' } }]],
    ['cells in an object', { language: 'python', cells: [{ code: '1', expect: { status: 'ok' } }] }],
  ])('may ask for %s', async (_, cells) => {
    expect(await runCase(sessionCase(cells))).toEqual({ status: 'passed' })
  })

  test('may say for all cells how long they may take, and in which language they are', async () => {
    const cells = [{ code: 'while True: pass', expect: { status: 'timeout' } }]
    const { input, ...rest } = sessionCase(cells)
    const outcome = await runCase({
      ...rest,
      input: { ...input, language: 'python', options: { timeoutMs: 500 } },
    })
    expect(outcome).toEqual({ status: 'passed' })
  })

  test.each([
    ['another value', [{ code: '6 * 7', expect: { value: '41' } }], /cell 1: value/],
    [
      'another value of a cell with a name',
      [{ id: 'a', code: '1', expect: { value: 2 } }],
      /cell 1 \(a\): value/,
    ],
    ['a survivor that is none', [{ code: '1', expect: { survivors: 99 } }], /survivors/],
    [
      'a limit that no cell has',
      [{ code: '1', options: { maxMemoryMiB: 99 }, expect: { status: 'ok' } }],
      /maxMemoryMiB/,
    ],
    ['another output', [{ code: 'print(1)', expect: { stdout: '2\n' } }], /cell 1: stdout/],
    ['a loss that is not one', [{ code: 'x = 1', expect: { sessionLost: true } }], /cell 1: session lost/],
    [
      'a restart that is none',
      [{ code: '1', expect: { sessionRestartedNext: true } }],
      /restarted for the next/,
    ],
    ['no expectation at all', [{ code: '1' }], /no cell of the case expects anything/],
    ['an unknown expectation', [{ code: '1', expect: { vanishes: true } }], /vanishes/],
    ['an unknown key', [{ code: '1', moon: 1, expect: { status: 'ok' } }], /moon/],
    ['an unknown option', [{ code: '1', options: { moon: 1 }, expect: { status: 'ok' } }], /moon/],
    ['an unknown status', [{ code: '1', expect: { status: 'okay' } }], /okay/],
    ['no cell', [], /asks for nothing/],
  ])('fails for %s', async (_, cells, why) => {
    const outcome = await runCase(sessionCase(cells))
    expect(outcome).toEqual({ status: 'failed', reasons: [expect.stringMatching(why)] })
  })
})

describe.skipIf(!requires('python3'))('a case of one program and what the model reads of it', () => {
  const about = (expected: BugCase['expect']): BugCase => {
    writeFileSync(join(folder, 'code.py'), '\n\nraise ValueError("here")\n')
    return { id: 'X', kind: 'loop', name: '', folder, input: { input: 'code.py' }, expect: expected }
  }

  test('is tried as a program and as the tenth cell of a session', async () => {
    expect(await runCase(about({ feedbackContains: ['line 3', 'here'] }))).toEqual({ status: 'passed' })
    const outcome = await runCase(about({ feedbackContains: ['line 4'] }))
    expect(outcome.status === 'failed' && outcome.reasons).toHaveLength(2)
  })

  test('is handed to the loop when it expects more', async () => {
    expect(await runCase(about({ feedbackContains: ['line 3'], modelCalls: 2 }))).toEqual({
      status: 'passed',
    })
    expect((await runCase(about({ feedbackContains: ['line 3'], modelCalls: 1 }))).status).toBe('failed')
  })
})
