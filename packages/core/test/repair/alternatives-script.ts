// A task for alternatives, and a model that answers each of them by what its prompt says.
import type { ModelRequest } from '../../src/contract/model.js'
import type { Verifier } from '../../src/contract/verify.js'
import { type AlternativesOptions, repairAlternatives } from '../../src/repair/alternatives.js'
import { createRepairLoop, type RepairLoopOptions } from '../../src/repair/create-repair-loop.js'
import type { RepairTask } from '../../src/repair/repair-task.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { type ScriptedModel, scriptedModel } from '../../src/testing/scripted-model.js'
import { newFailure } from '../../src/verify/new-failure.js'

export const program = (body: string): string => `\`\`\`python\n${body}\n\`\`\`\n`

export const promptOf = ({ messages }: ModelRequest): string =>
  messages.map(({ content }) => String(content)).join('\n')

/** Which alternative is asked, as its prompt tells, and whether it was told that it came to another's code. */
const asked = (request: ModelRequest) => {
  const prompt = promptOf(request)
  return {
    number: Number(/This is alternative (\d+) of/.exec(prompt)?.[1] ?? 1),
    isAgain: prompt.includes('came to the same code'),
    isMending: request.messages.length > 2,
  }
}

/** A model that answers by who asks, since runs at the same time ask in any order. */
export const modelOf = (
  answer: (who: ReturnType<typeof asked>, request: ModelRequest) => string | Promise<string>,
): ScriptedModel => scriptedModel(Array(200).fill((request: ModelRequest) => answer(asked(request), request)))

export const holdsGood: Verifier = {
  name: 'is good',
  visibility: 'visible',
  async verify({ candidate }) {
    const isGood = candidate.files['solution.py']?.includes('good') === true
    const failures = isGood ? [] : [newFailure({ kind: 'custom', message: 'it is not good' })]
    return { status: isGood ? 'pass' : 'fail', integrity: 'shared', failures }
  },
}

export const task: RepairTask = { goal: 'Write something good.', language: 'python', verify: [holdsGood] }

export const runWith = (
  model: ScriptedModel,
  options: Partial<AlternativesOptions> = {},
  { loop = {}, ...extra }: Partial<RepairTask> & { loop?: Partial<RepairLoopOptions> } = {},
) =>
  repairAlternatives(
    createRepairLoop({ model, sandbox: memorySandbox(), ...loop }),
    { ...task, ...extra },
    {
      alternatives: 3,
      ...options,
    },
  )

/** Rejects when the request is aborted, and never settles otherwise. */
export const untilAborted = ({ signal }: ModelRequest): Promise<string> =>
  new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  )

export const numbers = (runs: readonly { alternative: number }[]): number[] =>
  runs.map(({ alternative }) => alternative)
