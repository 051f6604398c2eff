// MINT: raw chat of up to five turns, against the turn that was measured to pass first.
import { join } from 'node:path'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { jsonOf } from './conversations.js'
import { replayTask } from './replay-run.js'
import { compare, forEachAtOnce, nameOf, newTally, type ReplaySet, wantedIn } from './replay-set.js'
import { benchmarkTasks, taskOf } from './tasks.js'

type FirstPass = readonly [turn: number | null, final: string]
type Expected = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, FirstPass>>>>>>

export const mint: ReplaySet = {
  name: 'mint',
  rarer: 1,
  async replay(request) {
    const tally = newTally()
    const tasks = benchmarkTasks(request.data)
    const measured = jsonOf(join(request.data, 'llm-logs/mint-replay-expected.json')) as { tasks: Expected }
    await forEachAtOnce(wantedIn('mint-multiturn.jsonl', request), async (conversation) => {
      const { run, dataset, taskId, replies } = conversation
      const { firstPass = null, status } = await replayTask(subprocess(), taskOf(tasks, taskId), replies)
      const expected = measured.tasks[run]?.[dataset]?.[taskId]?.[0] ?? null
      compare(tally, `${nameOf(conversation)} (${status}), first turn that passes`, firstPass, expected)
    })
    return tally
  },
}
