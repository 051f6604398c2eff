// Real runs to record: a scripted model, real programs, a judge of its own process.
import { subprocess } from '@mendloop/sandbox-subprocess'
import type { RepairResult, RunOptions } from '../../src/contract/loop.js'
import type { SandboxProvider } from '../../src/contract/sandbox.js'
import type { Verifier } from '../../src/contract/verify.js'
import { createRepairLoop, type RepairLoopOptions } from '../../src/repair/create-repair-loop.js'
import type { RepairTask } from '../../src/repair/repair-task.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { type ScriptedModel, type ScriptedStep, scriptedModel } from '../../src/testing/scripted-model.js'
import { exitsCleanly } from '../../src/verify/exits-cleanly.js'
import { pythonTests } from '../../src/verify/python-tests.js'

/** A sandbox that any machine has. */
const plainProcesses = (): SandboxProvider =>
  subprocess({ isolation: 'process', minimum: 'process', limits: { wallMs: 20_000 } })

/** A reply that holds a program. */
export const reply = (code: string): string => `Here it is.\n\n\`\`\`python solution.py\n${code}\n\`\`\`\n`

const HELD_OUT = 'from solution import median\nassert median([5, 1, 9, 3]) == 4, "held-out-sentinel"'

const checks = (): Verifier[] => [
  exitsCleanly(),
  pythonTests('from solution import median\nassert median([3, 1, 2]) == 2', { name: 'shown' }),
  pythonTests(HELD_OUT, { name: 'kept back', visibility: 'held-out' }),
]

/** A reply without code, a crash, one that fails only the held-out check, and the right one. */
export const MENDED: readonly ScriptedStep[] = [
  'I would rather talk about the weather.',
  reply('import sys\n\nprint("née", file=sys.stderr)\nraise SystemExit(3)'),
  reply('def median(xs):\n    return sorted(xs)[len(xs) // 2]'),
  { text: reply('from statistics import median'), reasoning: 'It is in the library.' },
]

export interface Recorded {
  readonly result: RepairResult
  readonly model: ScriptedModel
}

/** Fails every program, and runs none. */
const refusing: Verifier = {
  name: 'refusing',
  visibility: 'visible',
  verify: async ({ candidate }) => {
    const message = `this will not do: ${candidate.files['solution.py']}`
    const failures = [{ kind: 'custom' as const, message, fingerprint: message }]
    const tests = ['one', 'two'].map((name) => ({ name, status: 'fail' as const }))
    return { status: 'fail', integrity: 'separate', failures, tests }
  },
}

/** Runs the loop on programs that are not run: each fails, and the attempts end with the steps. */
export async function failedRun(
  steps: readonly ScriptedStep[],
  options: Parameters<typeof recordedRun>[1] = {},
): Promise<Recorded> {
  return await recordedRun(steps, {
    sandbox: memorySandbox(),
    budget: { attempts: steps.filter((step) => typeof step === 'string').length },
    ...options,
    task: { verify: [refusing], ...options.task },
  })
}

/** Runs the loop on a median. */
export async function recordedRun(
  steps: readonly ScriptedStep[] = MENDED,
  options: Partial<RepairLoopOptions> & { task?: Partial<RepairTask>; run?: RunOptions } = {},
): Promise<Recorded> {
  const { task, run, ...rest } = options
  const model = scriptedModel(steps, {
    usage: { inputTokens: 900, outputTokens: 60, cachedInputTokens: 500 },
    price: () => 0.25,
  })
  const loop = createRepairLoop({ model, sandbox: plainProcesses(), ...rest })
  const whole: RepairTask = {
    goal: 'Write median(xs) in solution.py.',
    language: 'python',
    verify: checks(),
    ...task,
  }
  return { model, result: await loop.run(whole, run) }
}
