// Recorded conversations as the files of `llm-logs` hold them: one line a model turn, grouped by run and task.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One recorded turn. */
export interface Turn {
  readonly run: string
  readonly dataset: string
  readonly task_id: string
  /** 1-based. */
  readonly turn: number
  /** Language of the program; absent where all are Python. */
  readonly language?: string
  /** `chat`: the reply as it was; `code`: the log kept only the program. */
  readonly form: 'chat' | 'code'
  /** The reply, or the program when the log kept no more. Absent for one that repeats the turn before. */
  readonly reply?: string
  readonly same_as_previous?: boolean
  /** The log's constant imports belong in front of it. */
  readonly header?: boolean
  /** The log's judgement of this turn. */
  readonly verdict?: 'pass' | 'fail' | null
  /** Its judgement of the task, on the last turn. */
  readonly final?: 'pass' | 'fail' | null
  /** What another tool took out of the reply. */
  readonly extracted?: string
}

/** All turns of one task in one run. */
export interface Conversation {
  readonly run: string
  readonly dataset: string
  readonly taskId: string
  readonly language: string
  /** In order. */
  readonly turns: readonly Turn[]
  /** What the model said in each, whole. */
  readonly replies: readonly string[]
}

/** Lines of a JSONL file. */
export const linesOf = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as unknown)

/** A file of JSON. */
export const jsonOf = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

/** The conversations of one log in the folder `data`. */
export function conversationsIn(data: string, log: string): Conversation[] {
  const { ldb_header } = jsonOf(join(data, 'llm-logs/prompts.json')) as { ldb_header: string }
  return toConversations(linesOf(join(data, 'llm-logs', log)) as Turn[], ldb_header)
}

/** Groups turns; a turn that repeats the one before has its reply, and `header` goes in front of those that want it. */
export function toConversations(turns: readonly Turn[], header: string): Conversation[] {
  const groups = new Map<string, Turn[]>()
  for (const turn of turns) {
    const key = [turn.run, turn.dataset, turn.task_id, turn.language].join('\0')
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [turn])
    else group.push(turn)
  }
  return [...groups.values()].map((group) => {
    const ordered = group.toSorted((a, b) => a.turn - b.turn)
    const [{ run, dataset, task_id, language = 'python' }] = ordered as [Turn, ...Turn[]]
    return { run, dataset, taskId: task_id, language, turns: ordered, replies: repliesOf(ordered, header) }
  })
}

function repliesOf(turns: readonly Turn[], header: string): string[] {
  const replies: string[] = []
  for (const { reply, same_as_previous, header: isHeaded, run, task_id, turn } of turns) {
    const text = same_as_previous ? replies.at(-1) : reply
    if (text === undefined) throw new Error(`Turn ${turn} of ${run}, ${task_id} has no reply.`)
    replies.push(isHeaded && !same_as_previous ? `${header}${text}` : text)
  }
  return replies
}
