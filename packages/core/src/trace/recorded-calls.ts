// Every call of the model in a record: what it was sent, word for word, and what came of it.
import type { CallPurpose, CallSettings, LoopEventOf } from '../contract/events.js'
import type { RunRecord } from '../contract/loop.js'
import type { Message, ModelReply } from '../contract/model.js'

/** One call of the model, as it was recorded. */
export interface RecordedPrompt {
  /** 1-based number of the call in its run. */
  readonly call: number
  /** 1-based attempt that it belongs to. */
  readonly attempt: number
  /** Id of the model adapter. */
  readonly model: string
  /** What for; absent in records from before there was anything but programs. */
  readonly purpose?: CallPurpose
  /** The whole conversation that was sent. */
  readonly messages: readonly Message[]
  /** What else was sent. */
  readonly settings: CallSettings
  /** The answer, without `raw`; absent when there was none. */
  readonly reply?: Omit<ModelReply, 'raw'>
  /** US dollars, where the price is known. */
  readonly costUsd?: number
  /** Why there was no answer. */
  readonly error?: {
    /** Its code. */
    readonly code: string
    /** Its sentence. */
    readonly message: string
  }
  /** Wall time of the call, in milliseconds; absent when the record ends before it. */
  readonly durationMs?: number
}

/** Every call of the model in a record, in the order in which they began, failed ones included. */
export function promptsOf({ events }: Pick<RunRecord, 'events'>): readonly RecordedPrompt[] {
  const ends = events.filter(({ type }) => type === 'model-end' || type === 'model-error') as (
    | LoopEventOf<'model-end'>
    | LoopEventOf<'model-error'>
  )[]
  const endOf = new Map(ends.map((event) => [event.call, event]))
  return events.flatMap((event) =>
    event.type === 'model-start' ? [{ ...sent(event), ...cameOf(endOf.get(event.call)) }] : [],
  )
}

function sent(event: LoopEventOf<'model-start'>): RecordedPrompt {
  const { call, attempt, model, purpose, messages, settings } = event
  return { call, attempt, model, ...(purpose !== undefined && { purpose }), messages, settings }
}

function cameOf(
  end: LoopEventOf<'model-end'> | LoopEventOf<'model-error'> | undefined,
): Pick<RecordedPrompt, 'reply' | 'costUsd' | 'error' | 'durationMs'> {
  if (end === undefined) return {}
  const { durationMs } = end
  if (end.type === 'model-error') return { error: { code: end.code, message: end.message }, durationMs }
  const { reply, costUsd } = end
  return { reply, ...(costUsd !== undefined && { costUsd }), durationMs }
}
