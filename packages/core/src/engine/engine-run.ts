// What every run of every loop has: an id, events to listen to, a budget, an end. The loops add what happens in between.

import type { Spent } from '../contract/budget.js'
import type { LoopEvent, LoopEventOf, LoopEventType } from '../contract/events.js'
import type { LoopRun, RunState } from '../contract/loop.js'
import type { BudgetMeter } from './budget-meter.js'
import { Questions, type QuestionsState } from './questions.js'
import { RunEvents } from './run-events.js'
import { RunScope } from './run-scope.js'

/** A run under way. It starts by itself once the current code has run, so that listeners can be attached first. */
export abstract class EngineRun<Result> implements LoopRun<Result> {
  readonly id: string
  readonly result: Promise<Result>
  protected readonly events: RunEvents
  protected readonly meter: BudgetMeter
  protected readonly scope: RunScope
  protected readonly questions: Questions

  /** @param asked - where the questions of a run that is resumed stand */
  constructor(id: string, meter: BudgetMeter, signal?: AbortSignal, asked?: QuestionsState) {
    this.id = id
    this.meter = meter
    this.events = new RunEvents(id)
    this.scope = new RunScope(this.events, meter, signal)
    this.questions = new Questions(this.scope, asked)
    this.result = Promise.resolve().then(() => this.#run())
    // A run that is only watched must not end the process when it is misused; `result` still rejects for who awaits it.
    this.result.catch(() => undefined)
  }

  /** Does the whole job, `run-end` included. */
  protected abstract execute(): Promise<Result>

  /** Lets go of what the job held; called however it ended. */
  protected abstract release(): Promise<void>

  abstract state(): RunState

  get spent(): Spent {
    return this.meter.spent()
  }

  on<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): this {
    this.events.on(type, listener)
    return this
  }

  once<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): this {
    this.events.once(type, listener)
    return this
  }

  off<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): this {
    this.events.off(type, listener)
    return this
  }

  abort(reason?: string): void {
    this.scope.abort(reason)
  }

  answer(questionId: string, text: string): void {
    this.questions.answer(questionId, text)
  }

  [Symbol.asyncIterator](): AsyncIterator<LoopEvent> {
    return this.events[Symbol.asyncIterator]()
  }

  async #run(): Promise<Result> {
    try {
      return await this.execute()
    } finally {
      await this.release()
      this.scope.dispose()
      this.events.close()
    }
  }
}
