// Any command: it ends with exit code 0, and a report that it prints or writes tells of no failure.
import { z } from 'zod'
import { MendloopError } from '../contract/errors.js'
import type { ExecutionResult } from '../contract/execution.js'
import { parseOptions } from '../contract/options.js'
import type { Command, Limits } from '../contract/sandbox.js'
import { limitsSchema } from '../contract/sandbox-schemas.js'
import type { Verdict, Verifier, VerifyContext } from '../contract/verify.js'
import { toCommandObject } from '../sandbox/command.js'
import { toWorkspacePath } from '../sandbox/workspace-path.js'
import { uncleanVerdict } from './exits-cleanly.js'
import { parseJUnit } from './parse-junit.js'
import { parseTap } from './parse-tap.js'
import { reportVerdict } from './report-verdict.js'
import { namedFields, sharedTestsFields } from './shared-options.js'
import type { ReportReading } from './test-report.js'

/** How {@link commandSucceeds} should run. */
export interface CommandSucceedsOptions {
  /** Name of the verifier. Default: the command, shortened. */
  readonly name?: string
  /** Default `visible`. */
  readonly visibility?: 'visible' | 'held-out'
  /** Override the task's limits. */
  readonly limits?: Partial<Limits>
}

/** How {@link reportPasses} should run and read. */
export interface ReportPassesOptions extends CommandSucceedsOptions {
  /** Path of the report within the workspace; what is there before the run is removed. */
  readonly path: string
  /** Default: `tap` for a path that ends in `.tap`, `junit` for any other. */
  readonly format?: 'junit' | 'tap'
  /** How many tests must run and not be skipped, or names that must be among them. Default: at least one. */
  readonly expectedTests?: number | readonly string[]
}

const commandFields = { ...namedFields, limits: limitsSchema.optional() }
const optionsSchema: z.ZodType<CommandSucceedsOptions> = z.strictObject(commandFields)
const reportSchema: z.ZodType<ReportPassesOptions> = z.strictObject({
  ...commandFields,
  path: z.string().min(1, 'must not be empty'),
  format: z.enum(['junit', 'tap']).optional(),
  expectedTests: sharedTestsFields.expectedTests,
})

/**
 * Passes when a command in the sandbox ends with exit code 0.
 *
 * What it prints is read as the task's language fails (`diagnose`), and where its standard output is a report of tests in
 * TAP or JUnit XML, as that: then the tests are in the verdict, and a failure in it fails the check whatever the exit code.
 * The command lives with the program, so `integrity` is `shared`: a program that the command imports can end it with code 0.
 *
 * @param command - a string goes through the shell; a list is a program with its arguments
 * @throws MendloopError INVALID_OPTION
 */
export function commandSucceeds(command: Command, options: CommandSucceedsOptions = {}): Verifier {
  const parsed = parseOptions(optionsSchema, options, 'commandSucceeds()')
  const usualName = commandName('commandSucceeds()', command)
  const { name = usualName, visibility = 'visible', limits } = parsed
  return {
    name,
    visibility,
    async verify(context) {
      const execution = await run(context, command, limits)
      const report = printedReport(execution)
      const unclean = uncleanVerdict(execution, context)
      if (unclean?.status === 'not-run') return unclean
      if (report === undefined) return unclean ?? { status: 'pass', integrity: 'shared', failures: [] }
      return printedVerdict(reportVerdict({ execution, report }, context), unclean, report)
    },
  }
}

/**
 * Runs a command and passes when the report that it writes is complete and tells of tests that ran and of none that failed.
 *
 * Exit code 0 without a complete report is `early-exit`. The program can write to the report's path too, so `integrity` is
 * `shared`; `pytestTests`, `unittestTests` and `nodeTests` seal theirs.
 *
 * @throws MendloopError INVALID_OPTION, PATH_REFUSED
 */
export function reportPasses(command: Command, options: ReportPassesOptions): Verifier {
  const parsed = parseOptions(reportSchema, options, 'reportPasses()')
  const usualName = commandName('reportPasses()', command)
  const { name = usualName, visibility = 'visible', limits, expectedTests } = parsed
  const path = toWorkspacePath(parsed.path)
  const { format = path.endsWith('.tap') ? 'tap' : 'junit' } = parsed
  return {
    name,
    visibility,
    async verify(context) {
      const { files } = context.sandbox
      await files.remove(path)
      const execution = await run(context, command, limits)
      const bytes = await files.read(path).catch((error: unknown) => {
        if (MendloopError.is(error, 'FILE_UNAVAILABLE') || MendloopError.is(error, 'PATH_REFUSED'))
          return undefined
        throw error
      })
      const report = bytes && (format === 'tap' ? parseTap(bytes) : parseJUnit(bytes))
      return reportVerdict({ execution, report, expectedTests }, context)
    },
  }
}

const run = (context: VerifyContext, command: Command, limits?: Partial<Limits>): Promise<ExecutionResult> =>
  context.exec(command, { signal: context.signal, ...(limits !== undefined && { limits }) })

/** The report of tests that standard output is; undefined when it is none. */
function printedReport({ stdout }: ExecutionResult): ReportReading | undefined {
  const text = stdout.text.trimStart()
  if (stdout.truncated) return undefined
  if (/^TAP version 1[234]\b/u.test(text)) return parseTap(text)
  return /^(?:<\?xml\b[^>]*>\s*)?<testsuites?\b/u.test(text) ? parseJUnit(text) : undefined
}

/** The exit code decides with the report; one that cannot be read explains nothing, and takes nothing away. */
function printedVerdict(read: Verdict, unclean: Verdict | undefined, report: ReportReading): Verdict {
  if (!report.ok) return unclean ?? read
  if (unclean === undefined) return read
  return read.failures.length > 0 && read.status === 'fail'
    ? read
    : { ...unclean, ...(read.tests && { tests: read.tests }) }
}

/** A command in a few words. @throws MendloopError INVALID_OPTION */
function commandName(owner: string, command: Command): string {
  const { argv } = toCommandObject(command, owner)
  const text = typeof command === 'string' ? command : argv.join(' ')
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
