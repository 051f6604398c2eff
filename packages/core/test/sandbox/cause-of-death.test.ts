// From what was seen of an end to its outcome: what the host did first, then the kernel's word, then the exit code.
import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/contract/execution.js'
import { type EndEvidence, outcomeOf, outcomeText, type SeenEnd } from '../../src/sandbox/cause-of-death.js'
import { cpuSeconds } from '../../src/sandbox/cpu-seconds.js'

type End = SeenEnd

const exit = (code: number): End => ({ how: { kind: 'exit', code } })
const killed = (signal: string, cpuMs?: number): End => ({
  how: { kind: 'signal', signal },
  ...(cpuMs !== undefined && { cpuMs }),
})
const notStarted = (code?: string): End => ({
  how: { kind: 'not-started', reason: 'no such file', ...(code !== undefined && { code }) },
})
const timeout: Outcome = { kind: 'timeout', clock: 'wall', limitMs: 5 }
const cpuTimeout: Outcome = { kind: 'timeout', clock: 'cpu', limitMs: 1500 }
const resource = (limit: 'memory' | 'disk' | 'processes'): Outcome => ({ kind: 'resource', limit })

const TABLE: readonly (readonly [string, End, EndEvidence, Outcome])[] = [
  ['a good end', exit(0), {}, { kind: 'exit', code: 0 }],
  ['a bad end', exit(3), {}, { kind: 'exit', code: 3 }],
  ['an exit code that looks like a kill', exit(137), {}, { kind: 'exit', code: 137 }],
  ['a signal', killed('SIGSEGV'), {}, { kind: 'signal', signal: 'SIGSEGV' }],
  ['a kill at the time limit', killed('SIGKILL'), { cause: timeout }, timeout],
  ['a kill at the time limit that came too late', exit(0), { cause: timeout }, timeout],
  [
    'an end in time that the host saw too late',
    { ...exit(3), durationMs: 4 },
    { cause: timeout },
    { kind: 'exit', code: 3 },
  ],
  [
    'a crash in time that the host saw too late',
    { ...killed('SIGSEGV'), durationMs: 4 },
    { cause: timeout },
    { kind: 'signal', signal: 'SIGSEGV' },
  ],
  [
    'a kill by a clock that is a little ahead',
    { ...killed('SIGKILL'), durationMs: 4 },
    { cause: timeout },
    timeout,
  ],
  ['an end by itself after the time limit', { ...exit(0), durationMs: 5 }, { cause: timeout }, timeout],
  ['a process that was refused', exit(1), { processesRefused: true }, resource('processes')],
  [
    'a process that was refused, told by the runner',
    { ...exit(1), processesRefused: true },
    {},
    resource('processes'),
  ],
  [
    'an abort, whatever else was seen',
    exit(1),
    { cause: { kind: 'aborted' }, oomKilled: true },
    { kind: 'aborted' },
  ],
  ['SIGXCPU at the limit', killed('SIGXCPU', 2_010), {}, cpuTimeout],
  ['SIGXCPU at the limit by a clock that lags', killed('SIGXCPU', 1_100), {}, cpuTimeout],
  ['SIGXCPU where time is not known', killed('SIGXCPU'), {}, cpuTimeout],
  ['SIGXCPU that somebody sent early', killed('SIGXCPU', 20), {}, { kind: 'signal', signal: 'SIGXCPU' }],
  ['SIGKILL at the hard limit', killed('SIGKILL', 3_000), {}, cpuTimeout],
  ['SIGKILL long before the limit', killed('SIGKILL', 1_400), {}, { kind: 'signal', signal: 'SIGKILL' }],
  ['SIGKILL where time is not known', killed('SIGKILL'), {}, { kind: 'signal', signal: 'SIGKILL' }],
  ['SIGXFSZ', killed('SIGXFSZ'), {}, resource('disk')],
  ['SIGSYS', killed('SIGSYS'), {}, { kind: 'denied', rule: 'system call' }],
  ['an uncaught MemoryError', { ...exit(1), outOfMemory: true }, {}, resource('memory')],
  ['a kill for want of memory', killed('SIGKILL'), { oomKilled: true }, resource('memory')],
  [
    'a kill for want of memory in a full workspace',
    killed('SIGKILL'),
    { oomKilled: true, diskFull: true },
    resource('memory'),
  ],
  ['a child killed for want of memory', exit(0), { oomKilled: true }, { kind: 'exit', code: 0 }],
  ['a failure in a full workspace', exit(1), { diskFull: true }, resource('disk')],
  ['success in a full workspace', exit(0), { diskFull: true }, { kind: 'exit', code: 0 }],
  ['a failure after a refused fork', exit(1), { processesRefused: true }, resource('processes')],
  ['success after a refused fork', exit(0), { processesRefused: true }, { kind: 'exit', code: 0 }],
  ['a crash in a full workspace', killed('SIGSEGV'), { diskFull: true }, resource('disk')],
  ['a program that is not there', notStarted('ENOENT'), {}, { kind: 'exit', code: 127 }],
  ['a file that is no program', notStarted('EACCES'), {}, { kind: 'exit', code: 126 }],
  ['arguments that are too long', notStarted('E2BIG'), {}, { kind: 'exit', code: 126 }],
  [
    'walls that could not be had',
    notStarted(),
    {},
    { kind: 'lost', cause: 'the program could not be started: no such file' },
  ],
  [
    'a machine without memory',
    notStarted('ENOMEM'),
    {},
    { kind: 'lost', cause: 'the program could not be started: no such file' },
  ],
  ['a lost runner', { how: { kind: 'lost', cause: 'it left' } }, {}, { kind: 'lost', cause: 'it left' }],
  ['a runner lost by the kill', { how: { kind: 'lost', cause: 'it left' } }, { cause: timeout }, timeout],
]

describe('outcomeOf', () => {
  test.each(TABLE)('reads %s', (_, end, evidence, outcome) => {
    expect(outcomeOf(end, { cpuMs: 1500 }, evidence)).toEqual(outcome)
  })

  test('blames no processor time limit that there is not', () => {
    expect(outcomeOf(killed('SIGXCPU', 9_000), {})).toEqual({ kind: 'signal', signal: 'SIGXCPU' })
  })
})

test('cpuSeconds gives whole seconds, the hard limit one after the soft one', () => {
  expect([1, 1000, 1001].map(cpuSeconds)).toEqual([
    { soft: 1, hard: 2 },
    { soft: 1, hard: 2 },
    { soft: 2, hard: 3 },
  ])
})

test('outcomeText completes a sentence for every outcome', () => {
  const said = TABLE.map(([, , , outcome]) => outcomeText(outcome))
  expect(new Set(said)).toMatchInlineSnapshot(`
    Set {
      "ended with exit code 0",
      "ended with exit code 3",
      "ended with exit code 137",
      "was ended by SIGSEGV",
      "was ended after 5 ms (wall clock)",
      "was ended at its processes limit",
      "was ended by the caller",
      "was ended after 1500 ms (processor time)",
      "was ended by SIGXCPU",
      "was ended by SIGKILL",
      "was ended at its disk limit",
      "was denied (system call)",
      "was ended at its memory limit",
      "ended with exit code 127",
      "ended with exit code 126",
      "was lost (the program could not be started: no such file)",
      "was lost (it left)",
    }
  `)
})
