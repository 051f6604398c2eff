// One program in any known language, in a sandbox that is there: write, compile, run, read what went wrong.
import { z } from 'zod'
import { MendloopError } from '../contract/errors.js'
import type { ExecutionResult } from '../contract/execution.js'
import { inputSchema } from '../contract/foreign-values.js'
import { withPlaces } from '../contract/option-hints.js'
import { invalidOption, parseOptions } from '../contract/options.js'
import { requireSandbox } from '../contract/require-parts.js'
import type { CommandObject, Limits, OutputChunk, Sandbox } from '../contract/sandbox.js'
import { execOptionsSchema } from '../contract/sandbox-schemas.js'
import type { Failure } from '../contract/verify.js'
import { filesSchema } from '../guest/runner/files-schema.js'
import { limitsInEffect, overlaid } from '../sandbox/limits-in-effect.js'
import { toWorkspaceFiles, toWorkspacePath } from '../sandbox/workspace-path.js'
import { diagnose } from './diagnose.js'
import type { Language } from './language.js'
import { languageOf } from './languages.js'
import { nothingRan, type RecipeResult, runRecipe } from './run-recipe.js'
import { requireToolchain } from './toolchain.js'

/** A program and what it is given. */
export interface SourceProgram {
  /** Name of the language, such as `python`, `js`, `c++` or `rust`. */
  language: string
  /** Its files by path; a text alone is the entry. */
  files: string | Readonly<Record<string, string>>
  /** The file that is run. Default: the only file, or the language's own, such as `solution.py`. */
  entry?: string
  /** Arguments of the program. */
  args?: readonly string[]
  /** Standard input of the program. */
  stdin?: string | Uint8Array
  /** Further arguments for the compiler, such as `-O2`; of no effect in a language without one. */
  compileArgs?: readonly string[]
}

/** How it should be run. */
export interface RunSourceOptions {
  /** Override the sandbox's limits; a compiler gets more time and memory where these are too few for it. */
  limits?: Partial<Limits>
  /** Aborting kills the compiler or the program; the outcome is `aborted`. */
  signal?: AbortSignal
  /** Called with output as it arrives, the compiler's too. */
  onOutput?(chunk: OutputChunk): void
}

/** What became of it. */
export interface RunSourceResult {
  /** True when it was compiled and ended well. */
  readonly ok: boolean
  /** The compiler's run; absent in a language without one. */
  readonly compile?: ExecutionResult
  /** The program's run; absent when the compiler failed. */
  readonly run?: ExecutionResult
  /** What went wrong, the one to mend first; empty when `ok`. */
  readonly failures: readonly Failure[]
}

const OF_THE_PROGRAM = 'it belongs to the program, as in { language, files, '
const optionsSchema = withPlaces(
  execOptionsSchema,
  Object.fromEntries(
    ['entry', 'args', 'stdin', 'compileArgs'].map((field) => [field, `${OF_THE_PROGRAM}${field} }`]),
  ),
)
const TEXTS_BY_PATH = 'must be a text, or texts by path'
const OF_FILES = '"files" takes the text of a program, or its files by path'
const programSchema: z.ZodType<SourceProgram> = withPlaces(
  z.strictObject({
    language: z.string().min(1, 'must not be empty'),
    files: z.union([z.string(), filesSchema(z.string(), TEXTS_BY_PATH)], TEXTS_BY_PATH),
    entry: z.string().min(1, 'must not be empty').optional(),
    args: z.array(z.string()).readonly().optional(),
    stdin: inputSchema.optional(),
    compileArgs: z.array(z.string()).readonly().optional(),
  }),
  Object.fromEntries(['code', 'source', 'program', 'script'].map((field) => [field, OF_FILES])),
)

/**
 * Runs a program in any known language: its files are written, its compiler is run where it has one, then the program.
 *
 * What the language needs is looked for first, once a sandbox. A program that cannot be compiled, crashes or runs out of
 * time is a result, not an error. So is one that is aborted, or whose sandbox is closed meanwhile, at any moment: the
 * outcome is `aborted`, of `run` when nothing had begun. Build products go to `.mendloop/` in the workspace; TypeScript that has to be bundled
 * goes beside its entry, as `.mendloop.solution.ts.mjs`.
 *
 * @throws MendloopError TOOLCHAIN_MISSING, INVALID_OPTION, PATH_REFUSED, SANDBOX_CLOSED
 */
export async function runSource(
  sandbox: Sandbox,
  program: SourceProgram,
  options: RunSourceOptions = {},
): Promise<RunSourceResult> {
  requireSandbox(sandbox, 'runSource()')
  const { language: name, ...input } = parseOptions(programSchema, program, 'runSource()')
  const { limits, ...execution } = parseOptions(optionsSchema, options, 'runSource()')
  const asked = overlaid(limits)
  const language = languageOf(name, 'runSource()')
  const candidate = toCandidate(input, language)
  let hasWritten = false
  const follow = async (): Promise<RecipeResult> => {
    const answers = await requireToolchain(sandbox, language, options.signal)
    await sandbox.files.write(candidate.files)
    hasWritten = true
    const host = {
      workdir: sandbox.workdir,
      guarantees: sandbox.guarantees,
      limits: limitsInEffect(sandbox, asked),
      answers,
      write: (files: Readonly<Record<string, string>>) => sandbox.files.write(files),
      exec: (command: CommandObject, more: Partial<Limits>) =>
        sandbox.exec(command, { ...execution, limits: { ...asked, ...more } }),
    }
    return await runRecipe(host, language, candidate, input)
  }
  const { compile, run } = await follow().catch((error: unknown): RecipeResult => {
    // Whether it was called off before its start or in its course, it is a result.
    const wasClosed = hasWritten && MendloopError.is(error, 'SANDBOX_CLOSED')
    if (!wasClosed && !MendloopError.is(error, 'ABORTED')) throw error
    return { run: nothingRan({ kind: 'aborted' }, sandbox.guarantees) }
  })
  const last = run ?? compile
  return {
    ok: run?.ok === true,
    ...(compile !== undefined && { compile }),
    ...(run !== undefined && { run }),
    failures: last === undefined ? [] : diagnose(last, { language: language.id, candidate }),
  }
}

function toCandidate(
  { files, entry: asked }: Pick<SourceProgram, 'files' | 'entry'>,
  { entry: usual, entryOf }: Pick<Language, 'entry' | 'entryOf'>,
): { files: Record<string, string>; entry: string } {
  const texts = typeof files === 'string' ? { [asked ?? entryOf?.(files) ?? usual]: files } : files
  toWorkspaceFiles(texts)
  const named = Object.fromEntries(Object.entries(texts).map(([path, text]) => [toWorkspacePath(path), text]))
  const paths = Object.keys(named)
  const only = paths.length === 1 ? paths[0] : undefined
  const entry = toWorkspacePath(asked ?? only ?? usual)
  // Every object has names that it was not given, such as "constructor".
  if (Object.hasOwn(named, entry)) return { files: named, entry }
  throw invalidOption('runSource()', 'files', `holds no file "${entry}" to run`, {
    expected: `the entry "${entry}" among its files`,
    received: paths.join(', ') || 'no file',
    hint: `it holds ${paths.join(', ') || 'no file'}; name the one to run with "entry"`,
  })
}
