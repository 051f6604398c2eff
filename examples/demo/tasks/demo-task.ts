// What the demo needs to know of a task, besides what the loop is told.
import type { RepairResult, RepairTask } from '@mendloop/core'

/** Letters of the tasks on the command line. */
export type TaskLetter = 'a' | 'b' | 'c'

/** An input as it is introduced to the person. */
export interface ShownInput {
  readonly name: string
  readonly sizeBytes: number
  /** Its first lines, or what is in it. */
  readonly head: readonly string[]
}

/** One task of the demo. */
export interface DemoTask {
  readonly letter: TaskLetter
  /** Name of its folder under `out/` and of its recorded replies. */
  readonly id: string
  readonly title: string
  /** What is wanted, in two or three sentences for a person; the model is told more. */
  readonly question: string
  readonly inputs: readonly ShownInput[]
  readonly task: RepairTask
  /** The answer, in a few lines. */
  answer(result: RepairResult): readonly string[]
}

/** An output file as JSON, or undefined when it is not there. */
export function jsonOutput<T>({ outputs }: RepairResult, path: string): T | undefined {
  const bytes = outputs[path]
  return bytes === undefined ? undefined : (JSON.parse(new TextDecoder().decode(bytes)) as T)
}
