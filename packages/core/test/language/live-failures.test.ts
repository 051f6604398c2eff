// The recorded failures are those that this machine's own compilers and runtimes report.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Sandbox } from '../../src/contract/sandbox.js'
import { runSource } from '../../src/language/run-source.js'
import { failurePrograms, recordedEnds } from '../helpers/failure-programs.js'
import { recordedFailures } from '../helpers/failure-summary.js'
import { type RequiredTool, requires } from '../helpers/requires.js'
import { sandboxWithTools } from '../helpers/toolchains.js'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await sandboxWithTools().create()
})
afterAll(() => sandbox.close())

/** Programs of the fixtures, of which this machine's tools must say the same as those of the recording. */
const LIVE: readonly (readonly [language: string, tool: RequiredTool, names: readonly string[]])[] = [
  ['javascript', 'node', ['cause', 'syntax', 'missing-package', 'out-of-memory']],
  ['typescript', 'node', ['other-file', 'syntax']],
  ['shell', 'bash', ['syntax', 'command-not-found']],
  ['c', 'gcc', ['undeclared', 'undefined-reference', 'abort-by-assert']],
  ['cpp', 'g++', ['errors', 'uncaught']],
  ['java', 'javac', ['errors', 'caused-by', 'out-of-memory']],
  ['go', 'go', ['errors', 'goroutine']],
  ['rust', 'rustc', ['borrow', 'unwrap', 'assertion']],
]

describe.each(LIVE)('failures of %s', (language, tool, names) => {
  test.skipIf(!requires(tool)).each(names)(
    'are read from the tools of this machine: %s',
    async (name) => {
      const program = failurePrograms(language).find((one) => one.name === name)
      if (program === undefined) throw new Error(`no program ${name}`)
      const { files, entry } = program
      const { ok, failures, run: ran } = await runSource(sandbox, { language, files, entry })
      const recorded = recordedFailures(language).find((one) => one.program.name === name)?.failures[0]
      expect(ok).toBe(false)
      expect(failures[0]).toMatchObject({
        kind: recorded?.kind,
        ...(recorded?.location && {
          location: { path: recorded.location.path, line: recorded.location.line },
        }),
      })
      expect(ran?.outcome.kind).toBe(
        recordedEnds(language)[name]?.step === 'compile'
          ? undefined
          : recordedEnds(language)[name]?.outcome.kind,
      )
    },
    120_000,
  )
})
