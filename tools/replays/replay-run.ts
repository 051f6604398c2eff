// One recorded conversation, driven through the repair loop: the replies as they were, the verdicts as they are now.
import { createRepairLoop, pythonTests, type SandboxProvider, type Verifier } from '@mendloop/core'
import { scriptedModel } from '@mendloop/core/testing'
import type { BenchmarkTask } from './tasks.js'

/** What became of it. */
export interface Replayed {
  /** 1-based turn whose program passed; undefined when none did. */
  readonly firstPass: number | undefined
  /** How the run ended, for what is neither. */
  readonly status: string
}

/** Replays the turns of one task. */
export async function replayTask(
  sandbox: SandboxProvider,
  task: BenchmarkTask,
  replies: readonly string[],
): Promise<Replayed> {
  const turns = replies.length
  const loop = createRepairLoop({
    model: scriptedModel(replies),
    sandbox,
    // Replies were made under another loop's feedback: each of them is judged, whatever came before it.
    budget: { attempts: turns, formatErrors: turns, editErrors: turns, modelCalls: turns },
    stallAfter: false,
    limits: { wallMs: 8_000 },
  })
  const result = await loop.run({
    goal: task.goal,
    language: 'python',
    verify: [withImports(task.imports, pythonTests(task.tests))],
  })
  return {
    firstPass: result.status === 'verified' ? result.spent.modelCalls : undefined,
    status: result.status,
  }
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
