// The tasks of HumanEval and MBPP as the repair loop takes them: official tests, and the imports of the prompt.
import { join } from 'node:path'
import { linesOf } from './conversations.js'

/** One task of a benchmark. */
export interface BenchmarkTask {
  readonly id: string
  readonly goal: string
  /** Official tests, as Python source over the module `solution`. */
  readonly tests: string
  /** Lines that are put in front of a program: what the prompt had imported. */
  readonly imports: string
}

/** All tasks of both benchmarks, by their official id. */
export function benchmarkTasks(data: string): ReadonlyMap<string, BenchmarkTask> {
  const humanEval = linesOf(join(data, 'benchmarks/HumanEval.jsonl')) as HumanEvalLine[]
  const mbpp = linesOf(join(data, 'benchmarks/mbpp.jsonl')) as MbppLine[]
  return new Map([...humanEval.map(fromHumanEval), ...mbpp.map(fromMbpp)].map((task) => [task.id, task]))
}

/** The task of that id. */
export function taskOf<T>(tasks: ReadonlyMap<string, T>, id: string): T {
  const task = tasks.get(id)
  if (task === undefined) throw new Error(`There is no task ${id}.`)
  return task
}

interface HumanEvalLine {
  readonly task_id: string
  readonly prompt: string
  readonly entry_point: string
  readonly test: string
}

interface MbppLine {
  readonly task_id: number
  readonly text: string
  readonly test_setup_code: string
  readonly test_list: readonly string[]
}

const fromHumanEval = ({ task_id, prompt, entry_point, test }: HumanEvalLine): BenchmarkTask => ({
  id: task_id,
  goal: prompt,
  tests: `from solution import *\nfrom solution import ${entry_point}\n${test}\ncheck(${entry_point})\n`,
  imports: prompt
    .split('\n')
    .filter((line) => /^(?:import|from)\s/.test(line))
    .join('\n'),
})

const fromMbpp = ({ task_id, text, test_setup_code, test_list }: MbppLine): BenchmarkTask => ({
  id: `MBPP/${task_id}`,
  goal: text,
  tests: ['from solution import *', test_setup_code, ...test_list].join('\n'),
  imports: '',
})
