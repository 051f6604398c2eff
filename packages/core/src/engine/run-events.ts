// The events of one run: numbered, kept for iteration, handed to listeners that can never break the run.
import { EventEmitter } from 'eventemitter3'
import type { LoopEvent, LoopEventOf, LoopEventPayloads, LoopEventType } from '../contract/events.js'
import type { RunRecord } from '../contract/loop.js'

type Listener = (event: LoopEvent) => void

/** Events whose text the matching `-end` event holds in full: told to listeners, left out of the record. */
const UNRECORDED: ReadonlySet<LoopEventType> = new Set(['model-delta', 'execution-output'])

/** Whether an event belongs into the record of its run. */
export const isRecorded = ({ type }: LoopEvent): boolean => !UNRECORDED.has(type)

/** Collects and hands out the events of one run. */
export class RunEvents implements AsyncIterable<LoopEvent> {
  readonly runId: string
  readonly #startedAt = performance.now()
  readonly #emitter = new EventEmitter<Record<LoopEventType, [LoopEvent]>>()
  readonly #wrapped = new Map<unknown, Map<LoopEventType, Listener>>()
  readonly #history: LoopEvent[] = []
  readonly #waiting = new Set<() => void>()
  #closed = false
  /** Attempt that the next events belong to; 0 before the first. */
  attempt = 0
  /** Calls of the model so far. */
  calls = 0

  constructor(runId: string) {
    this.runId = runId
  }

  emit<T extends LoopEventType>(type: T, payload: LoopEventPayloads[T]): void {
    const base = {
      type,
      runId: this.runId,
      sequence: this.#history.length,
      atMs: Math.round(performance.now() - this.#startedAt),
      attempt: this.attempt,
    }
    // The compiler cannot join a generic payload with its own name; the signature above has checked it.
    this.add({ ...base, ...payload } as unknown as LoopEvent)
  }

  /** Hands out an event as it is. */
  add(event: LoopEvent): void {
    this.#history.push(event)
    this.#emitter.emit(event.type, event)
    this.#wake()
  }

  on<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): void {
    this.#emitter.on(type, this.#wrap(type, listener))
  }

  once<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): void {
    const wrapped = this.#wrap(type, listener)
    this.#emitter.once(type, wrapped)
  }

  off<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): void {
    const wrapped = this.#wrapped.get(listener)?.get(type)
    if (wrapped !== undefined) this.#emitter.off(type, wrapped)
  }

  /** Whether somebody listens to events of this type; whoever iterates does not count. */
  isHeard(type: LoopEventType): boolean {
    return this.#emitter.listenerCount(type) > 0
  }

  /** No further events; every iteration ends after the last one. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  record(): RunRecord {
    return {
      version: 1,
      runId: this.runId,
      events: this.#history.filter(isRecorded),
    }
  }

  async *[Symbol.asyncIterator](): AsyncIterator<LoopEvent> {
    for (let index = 0; ; index++) {
      while (index >= this.#history.length) {
        if (this.#closed) return
        await new Promise<void>((resolve) => this.#waiting.add(resolve))
      }
      const event = this.#history[index]
      if (event !== undefined) yield event
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }

  #wrap<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): Listener {
    const known = this.#wrapped.get(listener)?.get(type)
    if (known !== undefined) return known
    const wrapped: Listener = (event) => {
      const failed = (error: unknown): void =>
        process.emitWarning(`A listener for "${type}" threw: ${String(error)}`, 'MendloopListenerWarning')
      try {
        // An async listener is a promise that nobody awaits; its rejection would end the process.
        Promise.resolve(listener(event as unknown as LoopEventOf<T>)).catch(failed)
      } catch (error) {
        failed(error)
      }
    }
    const byType = this.#wrapped.get(listener) ?? new Map<LoopEventType, Listener>()
    this.#wrapped.set(listener, byType.set(type, wrapped))
    return wrapped
  }
}
