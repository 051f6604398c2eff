// What every set of recorded replies has in common: which of its conversations are wanted, and how they are counted.
import { type Conversation, conversationsIn } from './conversations.js'

/** What a run of the tool asks of each set. */
export interface ReplayRequest {
  /** The folder of recorded data. */
  readonly data: string
  /** Names of runs; all when undefined. */
  readonly runs: readonly string[] | undefined
  /** Every so many conversations; 1 is all. */
  readonly every: number
}

/** What is held against the record, with a sentence for each difference. */
export interface Tally {
  agreed: number
  readonly differences: string[]
  /** What else is worth a line. */
  readonly notes: string[]
}

/** One set. */
export interface ReplaySet {
  readonly name: string
  /** So many times rarer are its conversations in a sample, for what one of them costs. */
  readonly rarer: number
  replay(request: ReplayRequest): Promise<Tally>
}

/** The logs that hold replies. */
export const LOGS = [
  'mint-multiturn.jsonl',
  'ldb-multiturn.jsonl',
  'reflexion-multiturn.jsonl',
  'evalplus-single.jsonl',
  'can-ai-code-single.jsonl',
] as const

/** Conversations at a time; each has a sandbox. */
const AT_ONCE = 2

export const newTally = (): Tally => ({ agreed: 0, differences: [], notes: [] })

/** Counts one comparison. */
export function compare(tally: Tally, subject: string, ours: unknown, recorded: unknown): void {
  if (ours === recorded) tally.agreed++
  else tally.differences.push(`${subject}: ${String(ours)}, not ${String(recorded)}`)
}

/** The conversations of a log that are asked for. */
export const wantedIn = (log: string, { data, runs, every }: ReplayRequest): Conversation[] =>
  conversationsIn(data, log)
    .filter(({ run }) => runs === undefined || runs.includes(run))
    .filter((_, index) => index % every === 0)

/** Runs `work` for each, a few at a time. */
export async function forEachAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values()
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** How a conversation is called in a line. */
export const nameOf = ({ run, taskId }: Conversation): string => `${run} ${taskId}`
