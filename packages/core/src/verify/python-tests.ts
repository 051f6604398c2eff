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

const REPORT_BYTES = 16 * 1024 * 1024

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
 * plain data, unless its class is derived from a plain type, whose data is then compared. So nothing that the candidate
 * can read, trace or patch decides, and `integrity` is `separate`.
 *
 * What of the program's own operators may decide: those between two of its objects (counted in `weakComparisons`), and
 * with plain data those whose answer must be known to be right, such as `+`, `*` and `[]`. An order among numbers is found
 * out by asking about numbers that are not the tests'. A difference (`-`, `/`, `//`, `%`, `&`, `^`) that is itself plain
 * data, an order among other data, and a container that claims to hold whatever it is asked for fail the test, whoever
 * catches the exception; so do a failed assert that the program swallows in a callback, and an error that its context
 * manager suppresses though the failing statement was about the program.
 *
 * Tests that cannot be used, whatever the program, give `not-run` with `misuse`: they do not parse, or need what does
 * not cross, such as pytest's fixtures and `parametrize`, or a class of the tests that is derived from one of the
 * candidate's. Coroutines of the candidate's are run one after the other.
 *
 * What unittest or pytest skip (by decorator, mark, `pytestmark` or exception) is `not-run`, wherever it stands, and the rest
 * decides; when nothing else ran, the verdict is `not-run`. So it is with tests whose definition is never reached. A failure
 * that a mark expects (`xfail`) is a pass, unless the program ended itself; passing is a failure only where it is strict.
 * Neither an exception of the program's nor a module of its own that cannot be imported skips a test.
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
    // The report goes the same way as what the program prints, and must not be cut off with it.
    limits: { ...limits, outputBytes: Math.max(limits?.outputBytes ?? 0, REPORT_BYTES) },
  })
  const { hide } = programPaths({ candidate, workdir: sandbox.workdir })
  return judgeVerdict(readJudgeReport(execution.stdout.text, nonce), {
    execution,
    expectedTests,
    files: candidate.files,
    hide,
  })
}
