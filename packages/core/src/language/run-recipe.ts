// One program through its recipe: compile, then run. Used by runSource and by the loop, each with an exec of its own.
import type { Candidate } from '../contract/candidate.js'
import type { CapturedText, ExecutionResult, Outcome } from '../contract/execution.js'
import type { CommandObject, Guarantees, Limits } from '../contract/sandbox.js'
import { BUILD_FILES, BUILD_FOLDER } from './build-folder.js'
import type { Language } from './language.js'
import type { ToolAnswers } from './toolchain.js'

/** Where a recipe is followed. */
export interface RecipeHost {
  /** Absolute path of the workspace. */
  readonly workdir: string
  /** What is enforced there. */
  readonly guarantees: Guarantees
  /** Limits of the run, defaults filled in. */
  readonly limits: Limits
  /** What the language's tools answered. */
  readonly answers: ToolAnswers
  /** Writes files beside the program. */
  write(files: Readonly<Record<string, string>>): Promise<void>
  /** Executes; `limits` are laid over those of the run. */
  exec(command: CommandObject, limits: Partial<Limits>): Promise<ExecutionResult>
}

/** What the program is given. */
export interface RecipeInput {
  readonly args?: readonly string[]
  readonly stdin?: string | Uint8Array
  readonly compileArgs?: readonly string[]
}

/** What a recipe came to: no `run` when the compiler failed, no `compile` in a language without one. */
export interface RecipeResult {
  readonly compile?: ExecutionResult
  readonly run?: ExecutionResult
}

/**
 * Compiles and runs a program whose files are in the workspace.
 *
 * @throws MendloopError TOOLCHAIN_MISSING
 */
export async function runRecipe(
  host: RecipeHost,
  language: Language,
  program: Candidate,
  { args = [], stdin, compileArgs = [] }: RecipeInput = {},
): Promise<RecipeResult> {
  const { workdir, limits, answers } = host
  const recipe = await language.recipe(program, {
    workdir,
    memoryBytes: limits.memoryBytes,
    compileArgs,
    answers,
  })
  if (recipe.files !== undefined) await host.write(recipe.files)
  const { compile: step } = recipe
  const compile =
    step === undefined
      ? undefined
      : 'errors' in step
        ? refused(step.errors, host.guarantees)
        : await host.exec(step.command, larger(step.limits, limits, host.guarantees))
  if (compile !== undefined && !compile.ok) return { compile: { ...compile, step: 'compile' } }
  const command = {
    ...recipe.run,
    argv: [...recipe.run.argv, ...args],
    ...(stdin !== undefined && { stdin }),
  }
  const run = await blamed(await host.exec(command, {}), host, language, program)
  return { ...(compile !== undefined && { compile: { ...compile, step: 'compile' } }), run }
}

/**
 * The run, with its memory blamed where that was too little to begin with: an interpreter that has printed nothing and
 * aborted is asked whether it comes to its end with nothing to do.
 */
async function blamed(
  run: ExecutionResult,
  { exec, write }: RecipeHost,
  { idle }: Language,
  { entry }: Candidate,
): Promise<ExecutionResult> {
  const { outcome, stdout, stderr } = run
  const hasDied = outcome.kind === 'signal' && (outcome.signal === 'SIGABRT' || outcome.signal === 'SIGTRAP')
  if (idle === undefined || !hasDied || stdout.bytes > 0 || stderr.bytes > 0) return run
  // Modules need more than scripts, so its ending is that of the program.
  const empty = `${BUILD_FOLDER}/idle${/\.\w+$/u.exec(entry)?.[0] ?? ''}`
  await write({ ...BUILD_FILES, [empty]: '' })
  const alone = await exec({ argv: [...idle, empty] }, {})
  const isAlike = alone.outcome.kind === 'signal' && alone.outcome.signal === outcome.signal
  return isAlike ? { ...run, outcome: { kind: 'resource', limit: 'memory' } } : run
}

/** A tool may have what it needs, and as much as the program where that is more. */
export function larger(
  { wallMs = 0, memoryBytes = 0 }: Partial<Pick<Limits, 'wallMs' | 'memoryBytes'>>,
  limits: Limits,
  { memory }: Guarantees,
): Partial<Limits> {
  return {
    wallMs: Math.max(wallMs, limits.wallMs),
    // Where no limit on memory is enforced, asking for one is refused.
    ...(memory !== 'none' && { memoryBytes: Math.max(memoryBytes, limits.memoryBytes) }),
  }
}

/** The result of what has not run. */
export function nothingRan(outcome: Outcome, guarantees: Guarantees): ExecutionResult {
  return {
    outcome,
    ok: false,
    stdout: NOTHING,
    stderr: NOTHING,
    durationMs: 0,
    usage: {},
    changes: [],
    guarantees,
  }
}

const NOTHING: CapturedText = { text: '', bytes: 0, truncated: false, omittedBytes: 0 }

/** The result that the errors of a compiler on the host stand for. */
function refused(errors: string, guarantees: Guarantees): ExecutionResult {
  const stderr = { ...NOTHING, text: errors, bytes: Buffer.byteLength(errors) }
  return { ...nothingRan({ kind: 'exit', code: 1 }, guarantees), stderr }
}
