// Who writes the programs: a live model when the environment names a server, else recorded replies.
import { readdirSync, readFileSync } from 'node:fs'
import { MendloopError, type ModelAdapter } from '@mendloop/core'
import { scriptedModel } from '@mendloop/core/testing'
import { openai } from '@mendloop/llm-openai'
import { DemoError } from './demo-error.js'

const DEFAULT_MODEL = 'gpt-5-mini'

/** A choice of model, made once for all tasks. */
export interface ModelChoice {
  readonly recorded: boolean
  /** One line for the header. */
  readonly description: string
  /** The model for one task. */
  forTask(id: string): ModelAdapter
  /** Attempts that make sense for one task; undefined: as many as the loop allows. */
  attempts(id: string): number | undefined
}

/**
 * Looks at `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL`.
 *
 * @throws DemoError when what they hold cannot be used
 */
export function chooseModel(env: NodeJS.ProcessEnv): ModelChoice {
  if (!env['OPENAI_API_KEY'] && !env['OPENAI_BASE_URL'])
    return {
      recorded: true,
      description:
        'recorded replies, since neither OPENAI_API_KEY nor OPENAI_BASE_URL is set. No model is asked and ' +
        'nothing is paid; every program is run and judged for real.',
      forTask: (id) => scriptedModel(recordedReplies(id), { id: 'recorded' }),
      attempts: (id) => recordedReplies(id).length,
    }
  const model = liveModel(env['OPENAI_MODEL'] || DEFAULT_MODEL)
  const where = env['OPENAI_BASE_URL'] ? ` at ${hostOf(env['OPENAI_BASE_URL'])}` : ''
  return {
    recorded: false,
    description: `${model.id}${where}`,
    forTask: () => model,
    attempts: () => undefined,
  }
}

function liveModel(name: string): ModelAdapter {
  try {
    return openai({ model: name })
  } catch (error) {
    if (MendloopError.is(error)) throw new DemoError(error.message, 1, { cause: error })
    throw error
  }
}

/** Host and port only: a URL can carry a password. */
function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return 'OPENAI_BASE_URL'
  }
}

/** The replies kept for a task, in order. */
export function recordedReplies(id: string): readonly string[] {
  const folder = new URL(`replies/${id}/`, import.meta.url)
  const numbers = readdirSync(folder)
    .map((name) => Number.parseInt(name, 10))
    .filter(Number.isInteger)
    .sort((a, b) => a - b)
  return numbers.map((number) => readFileSync(new URL(`${number}.md`, folder), 'utf8'))
}
