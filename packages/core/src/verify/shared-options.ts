// What the runners that live with the program have in common: their files and their options.
import { z } from 'zod'
import { isBytes } from '../contract/foreign-values.js'
import { invalidOption, parseOptions } from '../contract/options.js'
import type { Limits } from '../contract/sandbox.js'
import { limitsSchema } from '../contract/sandbox-schemas.js'
import { toWorkspaceFiles } from '../sandbox/workspace-path.js'

/** Test files by path within the workspace, with what they need; text or bytes. */
export type TestFiles = Readonly<Record<string, string | Uint8Array>>

/** How a runner of tests should run. */
export interface SharedTestsOptions {
  /** Name of the verifier. Default: that of the runner, such as `pytest`. */
  readonly name?: string
  /** Default `visible`. */
  readonly visibility?: 'visible' | 'held-out'
  /**
   * How many tests must run and not be skipped, or the names of tests that must be among them. Default: at least one, and
   * those whose names can be read in the files without running them.
   */
  readonly expectedTests?: number | readonly string[]
  /** Override the task's limits. */
  readonly limits?: Partial<Limits>
}

/** The same with every default filled in. */
export interface SharedTests {
  readonly name: string
  readonly visibility: 'visible' | 'held-out'
  readonly expectedTests?: number | readonly string[]
  readonly limits?: Partial<Limits>
  /** Every file that was handed in, by its canonical path. */
  readonly files: Readonly<Record<string, Uint8Array>>
  /** Those that hold tests. */
  readonly tests: readonly string[]
  /** Whether these are named like tests, so that each must hold some; of all scripts some may only help. */
  readonly named: boolean
}

/** Name and visibility, for every check. */
export const namedFields = {
  name: z.string().min(1, 'must not be empty').optional(),
  visibility: z.enum(['visible', 'held-out']).optional(),
}

const EXPECTED = 'must be how many tests there are, at least 1, or a list of their names'
const isExpectation = (value: number | readonly string[]): boolean =>
  typeof value === 'number'
    ? Number.isSafeInteger(value) && value > 0
    : value.length > 0 && value.every((name) => name !== '')

/** The fields of {@link SharedTestsOptions}, for runners that take more. */
export const sharedTestsFields = {
  ...namedFields,
  expectedTests: z
    .union([z.number(), z.array(z.string()).readonly()], { error: EXPECTED })
    .refine(isExpectation, EXPECTED)
    .optional(),
  limits: limitsSchema.optional(),
}

const optionsSchema: z.ZodType<SharedTestsOptions> = z.strictObject(sharedTestsFields)

/** Which of the files hold tests. */
export interface TestNaming {
  /** What was called, such as `pytestTests()`. */
  readonly owner: string
  /** Name of the check when none is given. */
  readonly name: string
  /** Files that the runner would find by itself. */
  readonly pattern: RegExp
  /** Files that are meant when none is named like a test. */
  readonly fallback: RegExp
}

/** @throws MendloopError INVALID_OPTION, PATH_REFUSED */
export function sharedTests(naming: TestNaming, files: TestFiles, options: SharedTestsOptions): SharedTests {
  const { owner, pattern, fallback } = naming
  const { name = naming.name, visibility = 'visible', ...rest } = parseOptions(optionsSchema, options, owner)
  requireFiles(owner, files)
  const checked = Object.fromEntries(toWorkspaceFiles(files))
  const paths = Object.keys(checked)
  const named = paths.filter((path) => pattern.test(path))
  const tests = named.length > 0 ? named : paths.filter((path) => fallback.test(path))
  if (tests.length === 0)
    throw invalidOption(owner, 'files', 'must hold a file of tests', {
      expected: 'test files by path, such as { "test_solution.py": "…" }',
      received: paths.length === 0 ? 'no file' : paths.slice(0, 5).join(', '),
    })
  return { name, visibility, ...rest, files: checked, tests, named: named.length > 0 }
}

function requireFiles(owner: string, files: unknown): asserts files is TestFiles {
  const isFiles =
    typeof files === 'object' &&
    files !== null &&
    !Array.isArray(files) &&
    Object.values(files).every((content) => typeof content === 'string' || isBytes(content))
  if (!isFiles)
    throw invalidOption(owner, 'files', 'must be test files by path', {
      expected: 'an object of texts or bytes by path',
      received: files === null ? 'null' : typeof files,
      hint: 'write it as { "test_solution.py": "…" }',
    })
}
