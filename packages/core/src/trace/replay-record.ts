// A recorded run once more, without model or sandbox: its events in order, and its result.
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { LoopEvent, LoopEventOf, LoopEventType } from '../contract/events.js'
import { abortSignalSchema } from '../contract/foreign-values.js'
import type { LoopRun, RunRecord } from '../contract/loop.js'
import { parseOptions } from '../contract/options.js'
import { RunEvents } from '../engine/run-events.js'
import { onAbort } from '../internal/on-abort.js'
import { type RecordedResult, ResultGatherer } from './recorded-result.js'

/** How a record is replayed. */
export interface ReplayOptions {
  /** 1: at the pace of the run, 10: ten times as fast. Default: without any pause. */
  speed?: number
  /** Aborting ends the replay where it is. */
  signal?: AbortSignal
}

const optionsSchema: z.ZodType<ReplayOptions> = z.strictObject({
  speed: z.number().positive('must be more than 0').optional(),
  signal: abortSignalSchema.optional(),
})

/** A replay under way: what watches a run can watch it. */
export interface RecordReplay
  extends Pick<LoopRun<RecordedResult>, 'id' | 'result'>,
    AsyncIterable<LoopEvent> {
  /** Calls `listener` for every event of this type. */
  on<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): this
  /** Like `on`, for the next event only. */
  once<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): this
  /** Takes a listener away. */
  off<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): this
}

/**
 * Replays a record: no model is asked and nothing is run.
 *
 * The events are those of the record, in order. The result has the status, attempts, executions and candidates that the
 * run had; `outputs` are not in a record. Of a replay that is aborted, as of a record that ends early, `status` is
 * `unfinished`.
 *
 * @throws MendloopError INVALID_OPTION
 */
export function replayRecord(record: RunRecord, options: ReplayOptions = {}): RecordReplay {
  return new Replay(record, parseOptions(optionsSchema, options, 'replayRecord()'))
}

class Replay implements RecordReplay {
  readonly id: string
  readonly result: Promise<RecordedResult>
  readonly #events: RunEvents

  constructor(record: RunRecord, options: ReplayOptions) {
    this.id = record.runId
    this.#events = new RunEvents(record.runId)
    // Begun once the current code has run, so that listeners can be attached first.
    this.result = Promise.resolve().then(() => this.#play(record, options))
  }

  async #play(record: RunRecord, { speed, signal }: ReplayOptions): Promise<RecordedResult> {
    const gatherer = new ResultGatherer()
    const startedAt = performance.now()
    // A pause takes signals of this realm only.
    const ended = new AbortController()
    const forget = signal && onAbort(signal, () => ended.abort())
    for (const event of record.events) {
      const waitMs = speed === undefined ? 0 : event.atMs / speed - (performance.now() - startedAt)
      // A signal that is aborted ends the pause; the loop ends below.
      if (waitMs > 0) await sleep(waitMs, undefined, { signal: ended.signal }).catch(() => undefined)
      if (ended.signal.aborted) break
      gatherer.take(event)
      this.#events.add(event)
    }
    forget?.()
    this.#events.close()
    return gatherer.result(record)
  }

  on<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): this {
    this.#events.on(type, listener)
    return this
  }

  once<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): this {
    this.#events.once(type, listener)
    return this
  }

  off<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): this {
    this.#events.off(type, listener)
    return this
  }

  [Symbol.asyncIterator](): AsyncIterator<LoopEvent> {
    return this.#events[Symbol.asyncIterator]()
  }
}
