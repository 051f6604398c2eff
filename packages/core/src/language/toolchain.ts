// Whether a sandbox has what a language needs, asked before anything of a program runs.
import { MendloopError } from '../contract/errors.js'
import type { Sandbox } from '../contract/sandbox.js'
import { limitsInEffect } from '../sandbox/limits-in-effect.js'
import { COMPILER_MEMORY_BYTES } from './build-folder.js'
import type { Language, LanguageTool } from './language.js'
import { larger } from './run-recipe.js'

const PROBE_WALL_MS = 20_000
const ANSWER_CHARS = 2000
const PROBLEM_CHARS = 200

/** What each tool of a language answered, by its name. */
export type ToolAnswers = Readonly<Record<string, string>>

type Answer = { readonly text: string } | { readonly problem: string }

/** Sandbox → tool → its answer; a sandbox does not change its tools. */
const known = new WeakMap<Sandbox, Map<string, Promise<Answer>>>()

/** Exit codes with which a shell says that a program is not there, or is none. */
const NOT_FOUND: ReadonlySet<number> = new Set([126, 127])

/**
 * Asks a sandbox for every tool of a language, each once in the sandbox's life.
 *
 * @throws MendloopError TOOLCHAIN_MISSING naming the first tool that is not there, and how to get it
 */
export async function requireToolchain(
  sandbox: Sandbox,
  language: Language,
  signal?: AbortSignal,
): Promise<ToolAnswers> {
  const answers: Record<string, string> = {}
  for (const tool of language.tools) {
    const answer = await answerOf(sandbox, tool, signal)
    if ('problem' in answer) throw toolchainMissing(language, tool, answer.problem)
    answers[tool.name] = answer.text
  }
  return answers
}

/** The error of a tool that is not there, or cannot do what it should. */
export function toolchainMissing(
  language: Pick<Language, 'id'>,
  { name, remedy }: Pick<LanguageTool, 'name' | 'remedy'>,
  problem: string,
): MendloopError<'TOOLCHAIN_MISSING'> {
  return new MendloopError(
    'TOOLCHAIN_MISSING',
    `To run ${language.id}, "${name}" is needed, which ${problem}. Get it, for example with: ${remedy}.`,
    { details: { language: language.id, tool: name, remedy } },
  )
}

async function answerOf(sandbox: Sandbox, tool: LanguageTool, signal?: AbortSignal): Promise<Answer> {
  const answers = known.get(sandbox) ?? new Map<string, Promise<Answer>>()
  known.set(sandbox, answers)
  const asked = answers.get(tool.name)
  if (asked !== undefined) {
    // When somebody else has called their question off, this one is asked anew.
    const given = await asked.catch((error: unknown) =>
      isAborted(error) ? undefined : Promise.reject(error),
    )
    return given ?? answerOf(sandbox, tool, signal)
  }
  const answer = ask(sandbox, tool, signal)
  answers.set(tool.name, answer)
  // Only an answer is remembered; what was aborted or lost is asked again.
  answer.catch(() => answers.delete(tool.name))
  return answer
}

const isAborted = (error: unknown): boolean => MendloopError.is(error, 'ABORTED')

async function ask(sandbox: Sandbox, { name, probe }: LanguageTool, signal?: AbortSignal): Promise<Answer> {
  const { outcome, stdout, stderr } = await sandbox.exec(probe, {
    // What a compiler gets: little memory for programs says nothing of whether there is one.
    limits: larger(
      { wallMs: PROBE_WALL_MS, memoryBytes: COMPILER_MEMORY_BYTES },
      limitsInEffect(sandbox),
      sandbox.guarantees,
    ),
    ...(signal !== undefined && { signal }),
  })
  if (outcome.kind === 'aborted')
    throw new MendloopError('ABORTED', `The question for "${name}" was aborted.`, {
      details: { during: 'sandbox' },
      cause: signal?.reason,
    })
  if (outcome.kind === 'lost')
    throw new MendloopError('SANDBOX_UNAVAILABLE', `The sandbox was lost: ${outcome.cause}`, {
      details: { sandbox: sandbox.id, reason: outcome.cause },
      retryable: true,
    })
  const text = `${stdout.text}${stderr.text}`.slice(0, ANSWER_CHARS)
  if (outcome.kind !== 'exit') return { problem: `did not answer "${probe.join(' ')}" (${outcome.kind})` }
  if (outcome.code === 0) return { text }
  if (NOT_FOUND.has(outcome.code)) return { problem: 'was not found in the sandbox' }
  const said = text.trim().split('\n')[0]?.slice(0, PROBLEM_CHARS) ?? ''
  return { problem: `does not start in the sandbox (exit code ${outcome.code}: ${said})` }
}
