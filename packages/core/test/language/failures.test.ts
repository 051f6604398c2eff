// What real compilers and runtimes printed, as recorded by fixtures/failures/record.ts, and what is read out of it.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { diagnose } from '../../src/language/diagnose.js'
import { FAILURES_FOLDER, failurePrograms, recordedEnds } from '../helpers/failure-programs.js'
import { recordedFailures, summaryOf, toResult } from '../helpers/failure-summary.js'

const LANGUAGES = ['javascript', 'typescript', 'shell', 'c', 'cpp', 'java', 'go', 'rust']

/** The summaries that are right, by the program's name. */
function expectedSummaries(language: string): Readonly<Record<string, string>> {
  const text = readFileSync(new URL(`${language}.expected.txt`, FAILURES_FOLDER), 'utf8')
  const sections = text.split(/^=== /mu).slice(1)
  return Object.fromEntries(
    sections.map((section) => {
      const end = section.indexOf('\n')
      return [section.slice(0, end), section.slice(end + 1).trimEnd()]
    }),
  )
}

describe.each(LANGUAGES)('%s', (language) => {
  const expected = expectedSummaries(language)
  const recorded = recordedFailures(language)

  test.each(recorded.map(({ program, failures }) => [program.name, failures] as const))(
    'the failures of the program "%s" say what, where and why',
    (name, failures) => {
      expect(failures.map(summaryOf).join('\n')).toBe(expected[name])
    },
  )

  test('each failure in a file of the program shows its line, marked, with its neighbours', () => {
    const placed = recorded.flatMap(({ program, failures }) =>
      failures.flatMap((failure) => (failure.location === undefined ? [] : [{ program, failure }])),
    )
    expect(placed.length).toBeGreaterThan(2)
    for (const { program, failure } of placed) {
      const { path = '', line = 0 } = failure.location ?? {}
      const source = program.files[path]?.split('\n')[line - 1]
      expect(failure.excerpt).toMatch(new RegExp(`^> *${line} \\|`, 'mu'))
      expect(failure.excerpt).toContain(source)
    }
  })

  test('the same failure has the same name wherever the sandbox lies and however the lines move', () => {
    const ends = recordedEnds(language)
    for (const { program, failures } of recorded) {
      const end = ends[program.name]
      if (end === undefined) throw new Error('every program was recorded')
      const elsewhere = {
        ...end,
        stderr: end.stderr.replaceAll('/tmp/sandbox/workspace', '/var/run/other/w'),
      }
      const again = diagnose(toResult(elsewhere), { language, candidate: program })
      expect(again.map(({ fingerprint }) => fingerprint)).toEqual(
        failures.map(({ fingerprint }) => fingerprint),
      )
    }
  })

  test('no text holds the folder of the sandbox', () => {
    expect(JSON.stringify(recorded.map(({ failures }) => failures))).not.toContain('/tmp/sandbox')
  })

  test('without the program failures still say what and where', () => {
    const ends = recordedEnds(language)
    for (const { name } of failurePrograms(language)) {
      const end = ends[name]
      if (end === undefined) throw new Error('every program was recorded')
      expect(diagnose(toResult(end), { language }).length).toBeGreaterThan(0)
    }
  })
})

test('two failures of one program have two names', () => {
  const names = recordedFailures('go')
    .filter(({ program }) => program.name === 'errors')
    .flatMap(({ failures }) => failures.map(({ fingerprint }) => fingerprint))
  expect(names).toHaveLength(5)
  expect(new Set(names).size).toBe(5)
})

test('a crash of the runtime of Go is told by its signal, with the call of the program', () => {
  const stderr = [
    'SIGSEGV: segmentation violation',
    'PC=0x42985d m=3 sigcode=1 addr=0x0',
    '',
    'goroutine 1 gp=0x4fdaaa9e1e0 m=nil [runnable]:',
    'runtime.mallocgc(0x4000000, 0x481260, 0x1)',
    '\t/usr/local/go/src/runtime/malloc.go:1703 +0x79 fp=0x33 sp=0x33 pc=0x41',
    'main.main()',
    '\t/w/solution.go:6 +0x33 fp=0x33 sp=0x33 pc=0x41',
  ].join('\n')
  const candidate = { files: { 'solution.go': 'package main\n\n\n\n\nmake()\n' }, entry: 'solution.go' }
  const end = toResult({ outcome: { kind: 'exit', code: 2 }, stdout: '', stderr })
  expect(diagnose(end, { language: 'go', candidate }).map(summaryOf)).toEqual([
    'exception solution.go:6 SIGSEGV: segmentation violation\n  calls main.main:6\n  folded 1',
  ])
})

test('of a compiler that ran out of time it is said that it was the compiler', () => {
  const outcome = { kind: 'timeout', clock: 'wall', limitMs: 60_000 } as const
  const end = toResult({ outcome, step: 'compile', stdout: '', stderr: '' })
  expect(diagnose(end, { language: 'rust' })[0]).toMatchObject({
    kind: 'timeout',
    message: expect.stringMatching(/^The compiler had not ended after 60 s/u),
  })
})
