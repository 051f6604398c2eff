// pytest and unittest, in the program's own process.
import type { CommandObject } from '../contract/sandbox.js'
import type { Verifier } from '../contract/verify.js'
import { guestPrograms } from '../guest/test-runners/programs.generated.js'
import { notRun } from './new-failure.js'
import { reportVerdict } from './report-verdict.js'
import {
  type SharedTests,
  type SharedTestsOptions,
  sharedTests,
  type TestFiles,
  type TestNaming,
} from './shared-options.js'
import { type RunnerOrders, runShared } from './shared-runner.js'

const NAMES = { pattern: /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/u, fallback: /(?<!(?:^|\/)conftest)\.py$/u }
const CONFIGURATION = [
  'pytest.ini',
  '.pytest.ini',
  'pytest.toml',
  '.pytest.toml',
  'pyproject.toml',
  'tox.ini',
  'setup.cfg',
]

/**
 * Runs test files under pytest, which must be installed in the sandbox.
 *
 * The tests live with the program, so `integrity` is `shared`; `docs/verifiers.md` says what that cannot stop, and
 * `pythonTests` is the check that can. The files are written fresh before each run. Of configuration only what is among
 * `files` is in force: a `conftest.py`, and one of pytest.ini, pyproject.toml, tox.ini, setup.cfg in the root. Exit code 0
 * without the runner's own sealed report is no pass, nor is a report in which a test is missing whose name stands in the files,
 * or one that tells of no test of a file that is named like tests.
 *
 * Skipped tests are `not-run` and an expected failure (`xfail`) is a pass; neither can be had by an exception of the
 * program's. Tests that do not parse give `not-run` with `misuse`; without pytest it is `not-run`.
 *
 * @param files - by path within the workspace; tests are those named `test_….py` or `…_test.py`, or else all `.py` files
 * @throws MendloopError INVALID_OPTION, PATH_REFUSED
 */
export function pytestTests(files: TestFiles, options: SharedTestsOptions = {}): Verifier {
  return pythonRunner({ owner: 'pytestTests()', name: 'pytest', ...NAMES }, 'pytest_run', files, options)
}

/**
 * Runs test files under unittest, each as a module of its own. All else is as with {@link pytestTests}.
 *
 * @param files - by path within the workspace; tests are those named `test_….py` or `…_test.py`, or else all `.py` files
 * @throws MendloopError INVALID_OPTION, PATH_REFUSED
 */
export function unittestTests(files: TestFiles, options: SharedTestsOptions = {}): Verifier {
  return pythonRunner(
    { owner: 'unittestTests()', name: 'unittest', ...NAMES },
    'unittest_run',
    files,
    options,
  )
}

function pythonRunner(
  naming: TestNaming,
  runner: 'pytest_run' | 'unittest_run',
  files: TestFiles,
  options: SharedTestsOptions,
): Verifier {
  const tests = sharedTests(naming, files, options)
  const { name, visibility, expectedTests } = tests
  return {
    name,
    visibility,
    async verify(context) {
      if (context.language !== 'python')
        return notRun(
          'shared',
          `${naming.name} can only judge a Python program, not one in ${context.language}.`,
        )
      const run = await runShared(context, tests, (orders) => ({
        command: pythonCommand(runner, tests, orders),
      }))
      // pytest's code for "no test was collected", of which the report tells.
      const harmlessCode = runner === 'pytest_run' ? 5 : 0
      return reportVerdict({ ...run, expectedTests, isOurs: true, harmlessCode }, context)
    },
  }
}

function pythonCommand(
  runner: 'pytest_run' | 'unittest_run',
  { files }: SharedTests,
  orders: RunnerOrders,
): CommandObject {
  const { bootstrap, sealed_report, surroundings, test_names, watched } = guestPrograms
  const programs = { sealed_report, surroundings, test_names, watched, [runner]: guestPrograms[runner] }
  return {
    // -I: nothing in the workspace or the environment is imported before the runner is ready; -B: no bytecode is written.
    argv: ['python3', '-I', '-B', '-c', bootstrap],
    stdin: JSON.stringify({
      ...orders,
      runner,
      programs,
      config: CONFIGURATION.find((path) => Object.hasOwn(files, path)) ?? null,
      conftest: Object.keys(files).some((path) => /(?:^|\/)conftest\.py$/u.test(path)),
    }),
  }
}
