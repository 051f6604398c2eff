// node:test, each test file in a process that it shares with the program.
import type { Verifier } from '../contract/verify.js'
import { guestPrograms } from '../guest/test-runners/programs.generated.js'
import { notRun } from './new-failure.js'
import { reportVerdict } from './report-verdict.js'
import { type SharedTestsOptions, sharedTests, type TestFiles } from './shared-options.js'
import { runShared } from './shared-runner.js'

const NAMING = {
  owner: 'nodeTests()',
  name: 'node:test',
  pattern: /(?:(?:^|\/)(?:test|test-[^/]*)|[^/]*[._-](?:test|spec))\.[cm]?[jt]s$/u,
  fallback: /\.[cm]?[jt]s$/u,
}

/**
 * Runs test files under Node's own test runner; Node 20 or later must be in the sandbox.
 *
 * Each file is a process, in which the tests live with the program: `integrity` is `shared`, and `docs/verifiers.md` says
 * what that cannot stop. The runner is another process, and its report is sealed. Files are written fresh before each run;
 * no configuration of the workspace is read, but for the fields of package.json by which Node finds modules. Exit code 0
 * without tests is no pass, nor is a report in which a test is missing that stands at the start of a line of the files.
 *
 * Skipped tests and `todo` are `not-run`. Files in TypeScript run where Node in the sandbox strips types by itself.
 *
 * @param files - by path within the workspace; tests are those named such as `sum.test.mjs`, or else all scripts
 * @throws MendloopError INVALID_OPTION, PATH_REFUSED
 */
export function nodeTests(files: TestFiles, options: SharedTestsOptions = {}): Verifier {
  const tests = sharedTests(NAMING, files, options)
  const { name, visibility, expectedTests } = tests
  const { node_preload, node_report, node_run } = guestPrograms
  return {
    name,
    visibility,
    async verify(context) {
      if (context.language !== 'javascript' && context.language !== 'typescript')
        return notRun(
          'shared',
          `node:test can only judge a program for Node, not one in ${context.language}.`,
        )
      const run = await runShared(context, tests, (orders, folder) => ({
        command: { argv: ['node', `${folder}/node_run.mjs`], stdin: JSON.stringify(orders) },
        programs: {
          'node_preload.mjs': node_preload,
          'node_report.mjs': node_report,
          'node_run.mjs': node_run,
        },
      }))
      return reportVerdict({ ...run, expectedTests, isOurs: true }, context)
    },
  }
}
