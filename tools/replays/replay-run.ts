// One recorded conversation, driven through the repair loop: the replies as they were, the verdicts as they are now.
import {
  type Candidate,
  createRepairLoop,
  pythonTests,
  type SandboxProvider,
  type Verifier,
  verifyOnce,
} from '@mendloop/core'
import { scriptedModel } from '@mendloop/core/testing'
import type { BenchmarkTask } from './tasks.js'

/** What a conversation is judged by. */
export type JudgedBy = Pick<BenchmarkTask, 'goal' | 'tests' | 'imports'>

/** What became of it. */
export interface Replayed {
  /** 1-based turn whose program passed; undefined when none did. */
  readonly firstPass: number | undefined
  /** Turn → whether its program passed; a turn whose reply held no program is absent. */
  readonly verdicts: ReadonlyMap<number, boolean>
  /** How the run ended, for what is neither. */
  readonly status: string
  /** Program of the last turn; undefined when its reply held none. */
  readonly last: Candidate | undefined
}

/** That of the measurement which `mint-replay-expected.json` holds. */
const LIMITS = { wallMs: 8_000 }
/** Some right programs take seconds for the official tests. */
const PATIENT = { wallMs: 30_000 }

/** Replays the turns of one task, until one passes. */
export async function replayTask(
  sandbox: SandboxProvider,
  { goal, tests, imports }: JudgedBy,
  replies: readonly string[],
): Promise<Replayed> {
  const turns = replies.length
  const model = scriptedModel(replies)
  const loop = createRepairLoop({
    model,
    sandbox,
    // Replies were made under another loop's feedback: each of them is judged, whatever came before it.
    budget: { attempts: turns, formatErrors: turns, editErrors: turns, modelCalls: turns },
    stallAfter: false,
    limits: LIMITS,
  })
  const run = loop.start({ goal, language: 'python', verify: [withImports(imports, pythonTests(tests))] })
  const verdicts = new Map<number, boolean>()
  let last: Candidate | undefined
  run.on('model-start', () => {
    last = undefined
  })
  run.on('attempt-end', ({ result }) => {
    verdicts.set(model.calls.length, result.passed)
    last = result.candidate
  })
  const { status } = await run.result
  const firstPass = status === 'verified' ? model.calls.length : undefined
  return { firstPass, verdicts, status, last }
}

/** Whether a program passes the tests. */
export async function passes(
  sandbox: SandboxProvider,
  { tests, imports }: JudgedBy,
  candidate: Candidate,
): Promise<boolean> {
  const verify = [withImports(imports, pythonTests(tests))]
  return (await verifyOnce({ candidate, sandbox, language: 'python', verify, limits: PATIENT })).passed
}

/** The official judges put the imports of the prompt in front of each program. */
function withImports(imports: string, { name, visibility, verify }: Verifier): Verifier {
  return {
    name,
    visibility,
    async verify(context) {
      if (imports === '') return verify(context)
      const { candidate, sandbox } = context
      const text = `${imports}\n${candidate.files[candidate.entry] ?? ''}`
      await sandbox.files.write({ [candidate.entry]: text })
      return verify({
        ...context,
        candidate: { ...candidate, files: { ...candidate.files, [candidate.entry]: text } },
      })
    },
  }
}
