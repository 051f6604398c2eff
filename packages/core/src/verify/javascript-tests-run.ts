// One run of the JavaScript judge: the program is made ready as its language has it, then the judge loads it.
import type { ExecutionResult } from '../contract/execution.js'
import type { CommandObject, Limits } from '../contract/sandbox.js'
import type { Failure, VerifyContext } from '../contract/verify.js'
import { javascriptJudgeCommand } from '../guest/javascript-judge/judge-command.js'
import { diagnose } from '../language/diagnose.js'
import { languageOf } from '../language/languages.js'
import { type RecipeResult, runRecipe } from '../language/run-recipe.js'
import { requireToolchain } from '../language/toolchain.js'
import { limitsInEffect, overlaid } from '../sandbox/limits-in-effect.js'

const REPORT_BYTES = 16 * 1024 * 1024
const TYPED = /\.[cm]?tsx?$/u

/** What the judge is to run. */
export interface JavaScriptRun {
  readonly source: string
  readonly name: string
  readonly nonce: string
  readonly limits: Partial<Limits> | undefined
}

/** How the judge ended, or what kept the program from being loaded at all. */
export type JudgedJavaScript =
  | { readonly execution: ExecutionResult }
  | { readonly failures: readonly Failure[] }

/**
 * Writes the program's files afresh and runs the judge on them.
 *
 * @throws MendloopError TOOLCHAIN_MISSING
 */
export async function judgeJavaScript(
  context: VerifyContext,
  { source, name, nonce, limits }: JavaScriptRun,
): Promise<JudgedJavaScript> {
  const { candidate, sandbox, signal } = context
  const { files, entry } = candidate
  const language = languageOf(context.language, 'javascriptTests()')
  await sandbox.files.write(files)
  const asked = overlaid(limits)
  const host = {
    workdir: sandbox.workdir,
    guarantees: sandbox.guarantees,
    limits: limitsInEffect(sandbox, asked),
    answers: await requireToolchain(sandbox, language, signal),
    write: (made: Readonly<Record<string, string>>) => sandbox.files.write(made),
  }
  const built: Record<string, string> = {}
  const withBuilt = async (paths: readonly string[], flags: readonly string[]): Promise<RecipeResult> => {
    const [path, ...others] = paths
    if (path === undefined) {
      const command = javascriptJudgeCommand({
        sources: files,
        built,
        entry,
        flags,
        tests: source,
        name,
        nonce,
      })
      // The report goes the same way as what the tests print, and must not be cut off with it.
      const outputBytes = Math.max(asked.outputBytes ?? 0, REPORT_BYTES)
      return { run: await context.exec(command, { signal, limits: { ...asked, outputBytes } }) }
    }
    let inner: RecipeResult = {}
    const exec = async ({ argv }: CommandObject): Promise<ExecutionResult> => {
      built[path] = (argv.at(-1) ?? path).replace(/^\.\//u, '')
      inner = await withBuilt(others, argv.slice(1, -1))
      return inner.run ?? (inner.compile as ExecutionResult)
    }
    const outer = await runRecipe({ ...host, exec }, language, { files, entry: path })
    return outer.run === undefined ? outer : inner
  }
  const { compile, run } = await withBuilt(modulesToBuild(source, files, entry), [])
  if (run !== undefined) return { execution: run }
  return { failures: compile === undefined ? [] : diagnose(compile, { language: language.id, candidate }) }
}

/** The entry, and what else of the program in TypeScript the tests name. */
function modulesToBuild(tests: string, files: Readonly<Record<string, string>>, entry: string): string[] {
  const named = Object.keys(files).filter((path) => {
    const stem = path.replace(TYPED, '')
    return TYPED.test(path) && ["'", '"'].some((quote) => tests.includes(`${quote}./${stem}`))
  })
  return [...new Set([...named, entry])]
}
