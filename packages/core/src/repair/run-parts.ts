// What the steps of one repair run share.
import type { HookGate } from '../engine/hooks.js'
import type { Questions } from '../engine/questions.js'
import type { RunScope } from '../engine/run-scope.js'
import type { SandboxKeeper } from '../engine/sandbox-keeper.js'
import type { RepairLoopOptions } from './create-repair-loop.js'
import type { Progress } from './repair-progress.js'
import type { ParsedTask } from './repair-task.js'

/** The surroundings of a step. */
export interface RunParts {
  readonly scope: RunScope
  readonly sandboxes: SandboxKeeper
  readonly settings: RepairLoopOptions
  readonly task: ParsedTask
  readonly progress: Progress
  readonly questions: Questions
  readonly gate: HookGate
}
