// LDB: programs of up to eleven turns. Each is judged by the tests that the model saw, the last by the official ones too.
import { join } from 'node:path'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { type Conversation, linesOf } from './conversations.js'
import { passes, replayTask } from './replay-run.js'
import {
  compare,
  forEachAtOnce,
  nameOf,
  newTally,
  type ReplaySet,
  type Tally,
  wantedIn,
} from './replay-set.js'
import { type BenchmarkTask, benchmarkTasks, taskOf } from './tasks.js'

interface VisibleTests {
  readonly dataset: string
  readonly task_id: string
  readonly visible_tests: readonly string[]
}

/** Where running the program says otherwise than the log, whose model was `gpt-3.5-turbo-0613` (2 of 828; see the README of the data). */
const KNOWN_OTHERWISE: Readonly<Record<string, 'pass' | 'fail'>> = {
  'gpt-3.5-turbo-0613 MBPP/349': 'pass',
  'gpt-3.5-turbo-0613 MBPP/436': 'fail',
}

export const ldb: ReplaySet = {
  name: 'ldb',
  rarer: 3,
  async replay(request) {
    const tally = newTally()
    const tasks = benchmarkTasks(request.data)
    const lines = linesOf(join(request.data, 'llm-logs/ldb-visible-tests.jsonl')) as VisibleTests[]
    const visible = new Map(lines.map(({ task_id, visible_tests }) => [task_id, visible_tests]))
    await forEachAtOnce(wantedIn('ldb-multiturn.jsonl', request), (conversation) => {
      const { taskId } = conversation
      return replayDebugging(tally, conversation, taskOf(tasks, taskId), visible.get(taskId) ?? [])
    })
    return tally
  },
}

async function replayDebugging(
  tally: Tally,
  conversation: Conversation,
  task: BenchmarkTask,
  visible: readonly string[],
): Promise<void> {
  const { turns, replies } = conversation
  const tests = ['from solution import *', ...visible].join('\n')
  const { verdicts, last } = await replayTask(subprocess(), { goal: task.goal, tests, imports: '' }, replies)
  // To LDB a task without such tests has passed them.
  if (visible.length > 0)
    for (const [index, { verdict, same_as_previous }] of turns.entries()) {
      if (same_as_previous) continue
      const ours = verdicts.get(index + 1) === true ? 'pass' : 'fail'
      compare(tally, `${nameOf(conversation)} turn ${index + 1}, visible tests`, ours, verdict)
    }
  const isRight = last !== undefined && (await passes(subprocess(), { ...task, imports: '' }, last))
  const logged = KNOWN_OTHERWISE[nameOf(conversation)] ?? turns.at(-1)?.final
  compare(tally, `${nameOf(conversation)}, official tests`, isRight ? 'pass' : 'fail', logged)
}
