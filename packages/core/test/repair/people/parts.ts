// What the tests of this folder share: a task that is done once a program says so, and replies.

import type { Loop, RepairResult } from '../../../src/contract/loop.js'
import type { Verifier } from '../../../src/contract/verify.js'
import { createRepairLoop, type RepairLoopOptions } from '../../../src/repair/create-repair-loop.js'
import type { RepairTask } from '../../../src/repair/repair-task.js'
import { memorySandbox } from '../../../src/testing/memory-sandbox.js'
import { type ScriptedModel, type ScriptedStep, scriptedModel } from '../../../src/testing/scripted-model.js'

/** A reply that holds a program. */
export const program = (body: string): string => `\`\`\`python\n${body}\n\`\`\`\n`

/** A reply that asks. */
export const QUESTION = [
  '<question>',
  'Should the mean of an empty list be 0 or an error?',
  '- 0',
  '- an error (recommended)',
  '</question>',
].join('\n')

/** Passes when the program holds the word `good`. */
const holdsGood: Verifier = {
  name: 'check',
  visibility: 'visible',
  verify: async ({ candidate }) =>
    Object.values(candidate.files).join().includes('good')
      ? { status: 'pass', integrity: 'shared', failures: [] }
      : {
          status: 'fail',
          integrity: 'shared',
          failures: [
            { kind: 'custom', message: `not yet: ${candidate.files['solution.py']}`, fingerprint: 'bad' },
          ],
        },
}

export const task = (more: Partial<RepairTask> = {}): RepairTask => ({
  goal: 'Write something good.',
  language: 'python',
  verify: [holdsGood],
  ...more,
})

/** A loop whose model plays a script. */
export function scripted(
  steps: readonly ScriptedStep[],
  options: Partial<RepairLoopOptions> = {},
): { loop: Loop<RepairTask, RepairResult>; model: ScriptedModel } {
  const model = scriptedModel(steps)
  return { loop: createRepairLoop({ model, sandbox: memorySandbox(), ...options }), model }
}

/** Everything that was sent in a call. */
export const sent = ({ calls }: ScriptedModel, index: number): string =>
  (calls[index]?.messages ?? []).map(({ content }) => String(content)).join('\n\n')
