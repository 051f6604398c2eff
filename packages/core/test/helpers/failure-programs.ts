// Reads the programs of test/fixtures/failures, each of which fails in a way of its own, and what they once printed.
import { readFileSync } from 'node:fs'
import type { ExecutionResult } from '../../src/contract/execution.js'

/** A program that fails. */
export interface FailureProgram {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly entry: string
  readonly compileArgs: readonly string[]
}

/** What such a program did when the fixture was made. */
export type RecordedEnd = Pick<ExecutionResult, 'outcome' | 'step'> & {
  readonly stdout: string
  readonly stderr: string
}

export const FAILURES_FOLDER = new URL('../fixtures/failures/', import.meta.url)

/** The programs of one language, in order. */
export function failurePrograms(language: string): FailureProgram[] {
  return readFileSync(new URL(`${language}.txt`, FAILURES_FOLDER), 'utf8')
    .split(/^=== /mu)
    .filter((section) => section.trim() !== '')
    .map(readSection)
}

/** The recorded ends of the programs of one language, by the program's name. */
export function recordedEnds(language: string): Readonly<Record<string, RecordedEnd>> {
  return JSON.parse(readFileSync(new URL(`${language}.json`, FAILURES_FOLDER), 'utf8'))
}

function readSection(section: string): FailureProgram {
  const [head = '', ...parts] = section.split(/^--- /mu)
  const [name = '', ...notes] = head.split('\n')
  const files = Object.fromEntries(
    parts.map((part) => {
      const end = part.indexOf('\n')
      return [part.slice(0, end), part.slice(end + 1)]
    }),
  )
  const compile = notes.find((note) => note.startsWith('compile: '))?.slice('compile: '.length)
  return { name, files, entry: Object.keys(files)[0] ?? '', compileArgs: compile?.split(' ') ?? [] }
}
