// One task from its introduction to its files: starts the run, shows its events, saves what it left.
import { createRepairLoop, type RepairResult } from '@mendloop/core'
import type { ModelChoice } from './choose-model.js'
import type { SandboxChoice } from './choose-sandbox.js'
import { prepareFolder, saveResult } from './save.js'
import type { DemoTask } from './tasks/demo-task.js'
import type { Terminal } from './terminal.js'
import { resultLines, taskLines } from './view/pages.js'
import { RunView } from './view/run-view.js'

/** What every task of one start of the demo shares. */
export interface Surroundings {
  readonly model: ModelChoice
  readonly sandbox: SandboxChoice
  readonly terminal: Terminal
  /** Folder that the task's own folder goes into. */
  readonly out: string
  readonly signal: AbortSignal
}

/** @returns how the run ended, after its files were written */
export async function runTask(
  demoTask: DemoTask,
  { model, sandbox, terminal, out, signal }: Surroundings,
): Promise<RepairResult> {
  const folder = prepareFolder(out, demoTask)
  terminal.print(taskLines(terminal.page(), demoTask))
  const attempts = model.attempts(demoTask.id)
  const loop = createRepairLoop({
    model: model.forTask(demoTask.id),
    sandbox: sandbox.provider,
    // The model adapter has its own retries; one more round is enough for a person who waits.
    budget: { infrastructureErrors: 1, ...(attempts !== undefined && { attempts }) },
  })
  const view = new RunView(terminal.page)
  const run = loop.start(demoTask.task, { signal })
  // Rejections are awaited below; the loop over events must not leave this one unheard if it throws.
  run.result.catch(() => undefined)
  try {
    for await (const event of run) {
      terminal.print(view.accept(event))
      terminal.busy(view.activity)
    }
    const result = await run.result
    const files = saveResult(folder, result)
    terminal.print(resultLines(terminal.page(), demoTask, result, folder, files))
    return result
  } finally {
    terminal.busy(undefined)
    run.abort('the demo ended')
    await run.result.catch(() => undefined)
  }
}
