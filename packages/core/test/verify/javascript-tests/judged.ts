// Runs javascriptTests on one program, alone, in a sandbox of its own.
import { expect } from 'vitest'
import type { Candidate } from '../../../src/contract/candidate.js'
import type { Sandbox } from '../../../src/contract/sandbox.js'
import type { Verdict } from '../../../src/contract/verify.js'
import { type JavaScriptTestsOptions, javascriptTests } from '../../../src/verify/javascript-tests.js'
import { localSandbox } from '../../helpers/local-sandbox.js'

/** A program: the text of `solution.mjs`, or its files with the entry first. */
export type Program = string | Readonly<Record<string, string>>

/** Where and how to judge. */
export interface JudgedOptions extends JavaScriptTestsOptions {
  readonly language?: string
  readonly taskFiles?: Readonly<Record<string, string>>
  readonly sandbox?: () => Promise<Sandbox>
}

/** The verdict of `tests` on a program. */
export async function judged(program: Program, tests: string, options: JudgedOptions = {}): Promise<Verdict> {
  const { language = 'javascript', taskFiles = {}, sandbox: open = localSandbox, ...rest } = options
  const files = typeof program === 'string' ? { 'solution.mjs': program } : program
  const candidate: Candidate = { files, entry: Object.keys(files)[0] ?? 'solution.mjs' }
  await using sandbox = await open()
  await sandbox.files.write({ ...taskFiles, ...files })
  return await javascriptTests(tests, rest).verify({
    candidate,
    language,
    sandbox,
    run: () => sandbox.exec(['node', candidate.entry]),
    exec: (command, given) => sandbox.exec(command, given),
    signal: new AbortController().signal,
  })
}

/** The verdict, expected to be a pass; what failed is shown otherwise. */
export async function expectPass(
  program: Program,
  tests: string,
  options: JudgedOptions = {},
): Promise<Verdict> {
  const verdict = await judged(program, tests, options)
  expect(verdict).toMatchObject({ status: 'pass', failures: [] })
  return verdict
}
