// A task's compiler or interpreter: looked for before anything is spent, and how a program gets to it.
import { MendloopError } from '../contract/errors.js'
import type { Sandbox } from '../contract/sandbox.js'
import type { RunScope } from '../engine/run-scope.js'
import type { Language } from '../language/language.js'
import type { RecipeHost } from '../language/run-recipe.js'
import { requireToolchain, type ToolAnswers } from '../language/toolchain.js'

/**
 * Asks the sandbox for the language's tools. Python is not asked for: it is what sandboxes are made around, and a start
 * of it an attempt is not free.
 *
 * @throws MendloopError TOOLCHAIN_MISSING, SANDBOX_UNAVAILABLE; RunEnd when the run was ended meanwhile
 */
async function requireTaskTools(scope: RunScope, sandbox: Sandbox, language: Language): Promise<ToolAnswers> {
  if (language.id === 'python') return {}
  try {
    return await requireToolchain(sandbox, language, scope.signal)
  } catch (error) {
    scope.check()
    throw error
  }
}

/**
 * The same before a model is asked: a missing compiler should cost no tokens. A sandbox that is lost meanwhile is left to
 * the judging, which opens another.
 *
 * @throws MendloopError TOOLCHAIN_MISSING; RunEnd when the run was ended meanwhile
 */
export async function requireToolsFirst(
  scope: RunScope,
  sandbox: Sandbox,
  language: Language,
): Promise<void> {
  try {
    await requireTaskTools(scope, sandbox, language)
  } catch (error) {
    const isLost = MendloopError.is(error, 'SANDBOX_UNAVAILABLE') || MendloopError.is(error, 'SANDBOX_CLOSED')
    if (!isLost) throw error
  }
}

/**
 * Where a program of the task is compiled and run.
 *
 * @throws as {@link requireToolsFirst}, and MendloopError SANDBOX_UNAVAILABLE
 */
export async function recipeHost(
  scope: RunScope,
  sandbox: Sandbox,
  language: Language,
  given: Pick<RecipeHost, 'limits' | 'exec'>,
): Promise<RecipeHost> {
  const { workdir, guarantees, files } = sandbox
  const answers = await requireTaskTools(scope, sandbox, language)
  return { ...given, workdir, guarantees, answers, write: (made) => files.write(made) }
}
