// Reflexion: programs of up to ten turns, of which the log judged the last.
import { join } from 'node:path'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { linesOf } from './conversations.js'
import { type JudgedBy, replayTask } from './replay-run.js'
import { compare, forEachAtOnce, nameOf, newTally, type ReplaySet, wantedIn } from './replay-set.js'
import { benchmarkTasks, taskOf } from './tasks.js'

interface MultipleTask {
  readonly task_id: string
  readonly entry_point: string
  readonly test: string
}

/**
 * Right programs that the log fails. Its judge ran all candidates in one process, in which an earlier one had defined `sum`;
 * five more show no test that fails (see the README of the data).
 */
const WRONGLY_FAILED = new Set(
  (
    'MBPP/105 MBPP/133 MBPP/170 MBPP/256 MBPP/267 MBPP/398 MBPP/409 MBPP/419 MBPP/422 MBPP/425 MBPP/448 MBPP/453 MBPP/558 ' +
    'MBPP/598 MBPP/614 MBPP/639 MBPP/724 MBPP/764 MBPP/770 MBPP/796'
  ).split(' '),
)

/** What the prompts of this variant import, and what the log's judge had in reach. */
const PROMPT_IMPORTS = 'from typing import *\nimport math, re, itertools, heapq, collections'

export const reflexion: ReplaySet = {
  name: 'reflexion',
  rarer: 3,
  async replay(request) {
    const tally = newTally()
    const official = benchmarkTasks(request.data)
    const lines = linesOf(join(request.data, 'llm-logs/mbpp-multiple-tasks.jsonl')) as MultipleTask[]
    const multiple = new Map(lines.map((line) => [line.task_id, toTask(line)]))
    await forEachAtOnce(wantedIn('reflexion-multiturn.jsonl', request), async (conversation) => {
      const { dataset, taskId, turns, replies } = conversation
      const task = taskOf<JudgedBy>(dataset === 'humaneval' ? official : multiple, taskId)
      const { firstPass } = await replayTask(subprocess(), task, replies.slice(-1))
      const ours = firstPass === undefined ? 'fail' : 'pass'
      const logged = WRONGLY_FAILED.has(taskId) ? 'pass' : turns.at(-1)?.final
      compare(tally, `${nameOf(conversation)}, official tests`, ours, logged)
    })
    return tally
  },
}

const toTask = ({ task_id, entry_point, test }: MultipleTask): JudgedBy => ({
  goal: task_id,
  tests: `from solution import *\nfrom solution import ${entry_point}\n${test}`,
  imports: PROMPT_IMPORTS,
})
