// vitest, where the sandbox has it; the tests share a process with the program, the runner has one of its own.
import { z } from 'zod'
import { parseOptions } from '../contract/options.js'
import type { Verifier } from '../contract/verify.js'
import { guestPrograms } from '../guest/test-runners/programs.generated.js'
import { notRun } from './new-failure.js'
import { reportVerdict } from './report-verdict.js'
import { type SharedTestsOptions, sharedTests, sharedTestsFields, type TestFiles } from './shared-options.js'
import { runShared } from './shared-runner.js'

/** How {@link vitestTests} should run. */
export interface VitestTestsOptions extends SharedTestsOptions {
  /** Absolute path in the sandbox of the folder whose `node_modules` hold vitest. Default: the workspace. */
  readonly installedAt?: string
}

const optionsSchema: z.ZodType<VitestTestsOptions> = z.strictObject({
  ...sharedTestsFields,
  installedAt: z.string().startsWith('/', 'must be an absolute path').optional(),
})

const NAMING = {
  owner: 'vitestTests()',
  name: 'vitest',
  pattern: /\.(?:test|spec)\.[cm]?[jt]sx?$/u,
  fallback: /(?<!(?:^|\/)(?:vite|vitest|postcss)\.config)\.[cm]?[jt]sx?$/u,
}
const CONFIGURATION = /^(?:vitest|vite)\.config\.[cm]?[jt]s$/u

/**
 * Runs test files under vitest 3 or later, which must be installed in the sandbox; without it the verdict is `not-run`.
 *
 * All is as with `nodeTests`, but that `expect` is not guarded: a program that replaces its matchers passes. Of configuration
 * only a `vitest.config`, `vite.config` or `postcss.config` in the root that is among `files` is in force; which files hold
 * tests it does not say.
 *
 * @param files - by path within the workspace; tests are those named such as `sum.test.ts`, or else all scripts
 * @throws MendloopError INVALID_OPTION, PATH_REFUSED
 */
export function vitestTests(files: TestFiles, options: VitestTestsOptions = {}): Verifier {
  const { installedAt = null, ...rest } = parseOptions(optionsSchema, options, NAMING.owner)
  const tests = sharedTests(NAMING, files, rest)
  const { name, visibility, expectedTests } = tests
  const { node_report, vitest_run } = guestPrograms
  const config = Object.keys(tests.files).find((path) => CONFIGURATION.test(path)) ?? null
  return {
    name,
    visibility,
    async verify(context) {
      if (context.language !== 'javascript' && context.language !== 'typescript')
        return notRun('shared', `vitest can only judge a program for Node, not one in ${context.language}.`)
      const run = await runShared(context, tests, (orders, folder) => ({
        command: {
          argv: ['node', `${folder}/vitest_run.mjs`],
          stdin: JSON.stringify({ ...orders, config, installedAt }),
        },
        programs: { 'node_report.mjs': node_report, 'vitest_run.mjs': vitest_run },
      }))
      return reportVerdict({ ...run, expectedTests, isOurs: true }, context)
    },
  }
}
