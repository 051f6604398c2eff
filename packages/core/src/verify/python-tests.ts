// Python tests, run by a judge that is a process of its own: values cross between the two, nothing else.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { invalidOption, parseOptions } from '../contract/options.js'
import type { Limits } from '../contract/sandbox.js'
import { limitsSchema } from '../contract/sandbox-schemas.js'
import type { Verdict, Verifier, VerifyContext } from '../contract/verify.js'
import { judgeCommand } from '../guest/judge-command.js'
import { programPaths } from '../language/program-paths.js'
import { readJudgeReport } from './judge-report.js'
import { judgeVerdict } from './judge-verdict.js'
import { notRun } from './new-failure.js'

/** How {@link pythonTests} should run. */
export interface PythonTestsOptions {
  /** Name of the verifier; top-level statements are reported as one test of this name. Default `python tests`. */
  readonly name?: string
  /** Default `visible`. */
  readonly visibility?: 'visible' | 'held-out'
  /** Names of tests that must be in the report; one that is missing fails the check. Default: none in particular. */
  readonly expectedTests?: readonly string[]
  /** Override the task's limits, for the judge and the program together. */
  readonly limits?: Partial<Limits>
}

const optionsSchema: z.ZodType<PythonTestsOptions> = z.strictObject({
  name: z.string().min(1, 'must not be empty').optional(),
  visibility: z.enum(['visible', 'held-out']).optional(),
  expectedTests: z.array(z.string().min(1, 'must not be empty')).readonly().optional(),
  limits: limitsSchema.optional(),
})

/**
 * Runs Python tests against the candidate: statements with `assert`, functions named `test_…`, classes named `Test…` and
 * `unittest.TestCase` classes.
 *
 * The tests live in a process of their own, and the candidate's process never holds them. `from solution import f` gives
 * them a stand-in: calls, arguments and results cross as plain data of exact types; arguments changed in place, callbacks,
 * generators, coroutines, classes and exceptions work; any other object stays with the candidate and is never equal to
 * plain data. So nothing that the candidate can read, trace or patch decides, and `integrity` is `separate`.
 *
 * What does not cross: pytest's fixtures and `parametrize`; a class of the tests that is derived from one of the
 * candidate's; coroutines of the candidate's are run one after the other.
 *
 * @param source - the tests; they import the candidate's files by module name
 * @throws MendloopError INVALID_OPTION
 */
export function pythonTests(source: string, options: PythonTestsOptions = {}): Verifier {
  const parsed = parseOptions(optionsSchema, options, 'pythonTests()')
  const { name = 'python tests', visibility = 'visible', expectedTests = [], limits } = parsed
  if (typeof source !== 'string' || source.trim() === '')
    throw invalidOption('pythonTests()', 'source', 'must be the text of the tests', {
      expected: 'Python source text',
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

async function verify(
  context: VerifyContext,
  { source, name, expectedTests, limits }: Tests,
): Promise<Verdict> {
  const { candidate, language, sandbox } = context
  if (language !== 'python')
    return notRun('separate', `Python tests can only judge a Python program, not one in ${language}.`)
  const sources = Object.fromEntries(Object.entries(candidate.files).filter(([path]) => path.endsWith('.py')))
  const nonce = randomBytes(16).toString('hex')
  const command = judgeCommand({ sources, entry: candidate.entry, tests: source, name, nonce })
  const execution = await context.exec(command, {
    signal: context.signal,
    ...(limits !== undefined && { limits }),
  })
  const { hide } = programPaths({ candidate, workdir: sandbox.workdir })
  return judgeVerdict(readJudgeReport(execution.stdout.text, nonce), {
    execution,
    expectedTests,
    files: candidate.files,
    hide,
  })
}
