// One process that times one alternative: what it is told, and what it answers.
import { z } from 'zod'
import type { ExecutionResult, Outcome } from '../../contract/execution.js'
import type { Sandbox } from '../../contract/sandbox.js'
import { guestPrograms } from './programs.generated.js'

/** What a process is to do. Without `repeat` it finds out how often it takes to fill `seconds`. */
export interface TimingOrder {
  readonly setup: string
  readonly code: string
  readonly seconds?: number
  readonly repeat?: number
  readonly batches?: number
  readonly warmUp?: boolean
  /** Stands before the answer. */
  readonly word: string
}

/** What it answers: seconds of each measurement, or an error. */
export type TimingAnswer =
  | { readonly repeat: number; readonly seconds: readonly number[]; readonly result?: string }
  | { readonly error: string }

const answerSchema = z.union([
  z.object({ error: z.string() }),
  z.object({
    repeat: z.int().positive().optional(),
    seconds: z.array(z.number().nonnegative()).min(1),
    result: z.string().optional(),
  }),
])

/** An answer is short; what a start-up file prints may not be. */
const OUTPUT_BYTES = 1024 * 1024

/** Runs it; a program that does not answer is an error that says how it ended. */
export async function timeOnce(
  sandbox: Sandbox,
  language: 'python' | 'javascript',
  order: TimingOrder,
  { wallMs, signal }: { readonly wallMs: number; readonly signal: AbortSignal | undefined },
): Promise<TimingAnswer> {
  const argv =
    language === 'python'
      ? ['python3', '-I', '-B', '-c', guestPrograms.timing_python]
      : ['node', '--input-type=module', '-e', guestPrograms.timing_javascript]
  const result = await sandbox.exec(
    { argv, stdin: JSON.stringify(order) },
    { limits: { wallMs, outputBytes: OUTPUT_BYTES }, ...(signal !== undefined && { signal }) },
  )
  const line = result.stdout.text.split('\n').find((one) => one.startsWith(order.word))
  const answer = line === undefined ? undefined : read(line.slice(order.word.length))
  if (answer === undefined) return { error: howItEnded(result) }
  if ('error' in answer) return answer
  const { seconds, repeat = order.repeat ?? 1, result: value } = answer
  return { seconds, repeat, ...(value !== undefined && { result: value }) }
}

function read(text: string): z.infer<typeof answerSchema> | undefined {
  try {
    return answerSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** How it ended, and the last line of what it printed as errors. */
function howItEnded({ outcome, stderr }: ExecutionResult): string {
  const last = stderr.text.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
  return last === '' ? endOf(outcome) : `${endOf(outcome)}; ${last}`
}

function endOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'timeout':
      return outcome.clock === 'wall'
        ? `it took longer than ${outcome.limitMs} ms`
        : `it used more than ${outcome.limitMs} ms of processor time`
    case 'exit':
      return `its process ended without an answer: exit code ${outcome.code}`
    case 'signal':
      return `its process ended without an answer: ${outcome.signal}`
    case 'resource':
      return `it went beyond the limit of ${outcome.limit}`
    case 'denied':
      return `it was not allowed to run (${outcome.rule})`
    case 'lost':
      return `the sandbox lost it: ${outcome.cause}`
    case 'aborted':
      return 'it was aborted'
  }
}
