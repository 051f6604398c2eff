// JavaScript tests, run by a judge that is a process of its own: values cross between the two, nothing else.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { invalidOption, parseOptions } from '../contract/options.js'
import type { Limits } from '../contract/sandbox.js'
import { limitsSchema } from '../contract/sandbox-schemas.js'
import type { Verdict, Verifier, VerifyContext } from '../contract/verify.js'
import { programPaths } from '../language/program-paths.js'
import { judgeJavaScript } from './javascript-tests-run.js'
import { readJudgeReport } from './judge-report.js'
import { judgeVerdict } from './judge-verdict.js'
import { notRun } from './new-failure.js'

/** How {@link javascriptTests} should run. */
export interface JavaScriptTestsOptions {
  /** Name of the verifier; top-level statements are reported as one test of this name. Default `javascript tests`. */
  readonly name?: string
  /** Default `visible`. */
  readonly visibility?: 'visible' | 'held-out'
  /** Names of tests that must be in the report; one that is missing fails the check. Default: none in particular. */
  readonly expectedTests?: readonly string[]
  /** Override the task's limits, for the judge and the program together. */
  readonly limits?: Partial<Limits>
}

const optionsSchema: z.ZodType<JavaScriptTestsOptions> = z.strictObject({
  name: z.string().min(1, 'must not be empty').optional(),
  visibility: z.enum(['visible', 'held-out']).optional(),
  expectedTests: z.array(z.string().min(1, 'must not be empty')).readonly().optional(),
  limits: limitsSchema.optional(),
})

const WORDING = {
  tests: 'JavaScript tests',
  command: 'node',
  remedy: 'write statements with assert at top level, or tests with test() or it()',
}

/**
 * Runs JavaScript tests against a candidate in JavaScript or TypeScript: an ES module with `node:assert`, and with `test`,
 * `describe` and `it` where tests have names.
 *
 * The tests live in a process of their own, and the candidate's process never holds them. `import { f } from
 * './solution.mjs'` gives them stand-ins: calls, arguments and results cross as plain data of exact types (`undefined`,
 * `NaN`, `-0`, bigints, dates, patterns, maps, sets, typed arrays, cycles and holes among it); arguments changed in place,
 * callbacks, promises, generators, classes and exceptions work. Any other object stays with the candidate, is asked about
 * its properties, and never equals plain data in a strict comparison. It is no number either: `<`, `==` and `+` on it fail
 * the test, whoever catches the exception, for its own `valueOf` would decide.
 *
 * Only what Node itself has (`node:…`) is loaded beside the tests. All else that they import is loaded beside the candidate,
 * helper files and packages included. So nothing that the candidate can read, trace or patch decides.
 *
 * `integrity` is `separate` where the candidate could be shown to be shut off from the judge's process: on Linux that takes
 * python3 in the sandbox, with Landlock or with rights that the candidate can be denied. Elsewhere it is `shared`.
 *
 * A test that waits for what never comes ends with the time limit, as `timeout`. Not possible, and `not-run` with `misuse`:
 * tests that do not parse, or that derive a class from one of the candidate's. An export that the candidate reassigns later
 * (`export let`) keeps the value that it had when it was imported.
 *
 * @param source - the tests, in JavaScript; they import the candidate's files relative to the workspace
 * @throws MendloopError INVALID_OPTION
 */
export function javascriptTests(source: string, options: JavaScriptTestsOptions = {}): Verifier {
  const parsed = parseOptions(optionsSchema, options, 'javascriptTests()')
  const { name = 'javascript tests', visibility = 'visible', expectedTests = [], limits } = parsed
  if (typeof source !== 'string' || source.trim() === '')
    throw invalidOption('javascriptTests()', 'source', 'must be the text of the tests', {
      expected: 'JavaScript source text',
      received: typeof source === 'string' ? 'an empty text' : typeof source,
    })
  return {
    name,
    visibility,
    verify: (context) => verify(context, { source, name, expectedTests, limits }),
  }
}

interface Tests {
  source: string
  name: string
  expectedTests: readonly string[]
  limits: Partial<Limits> | undefined
}

async function verify(context: VerifyContext, tests: Tests): Promise<Verdict> {
  const { candidate, language, sandbox } = context
  if (language !== 'javascript' && language !== 'typescript')
    return notRun('separate', `JavaScript tests can only judge a program for Node, not one in ${language}.`)
  const nonce = randomBytes(16).toString('hex')
  const judged = await judgeJavaScript(context, { ...tests, nonce })
  if ('failures' in judged)
    return { status: 'fail', integrity: 'separate', score: 0, tests: [], failures: judged.failures }
  const { hide } = programPaths({ candidate, workdir: sandbox.workdir })
  return judgeVerdict(readJudgeReport(judged.execution.stdout.text, nonce), {
    execution: judged.execution,
    expectedTests: tests.expectedTests,
    files: candidate.files,
    hide,
    wording: WORDING,
  })
}
