// What the stages of one run share: its events, its budget, and one signal for every way it can be ended from outside.
import { onAbort } from '../internal/on-abort.js'
import type { BudgetMeter } from './budget-meter.js'
import { RunEnd } from './run-end.js'
import type { RunEvents } from './run-events.js'

/** How long what was told to stop may take to do so, in milliseconds, before the run ends without it. */
const PATIENCE_MS = 1_000

/** The surroundings of one run. Call `dispose` at its end: it takes the listener off the caller's signal. */
export class RunScope {
  readonly events: RunEvents
  readonly meter: BudgetMeter
  readonly signal: AbortSignal
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal | undefined
  readonly #onAbort = (): void => this.#controller.abort(this.#outer?.reason)
  readonly #timer: NodeJS.Timeout | undefined
  #wallEnded = false

  constructor(events: RunEvents, meter: BudgetMeter, outer?: AbortSignal) {
    this.events = events
    this.meter = meter
    this.signal = this.#controller.signal
    this.#outer = outer
    if (outer?.aborted === true) this.#onAbort()
    outer?.addEventListener('abort', this.#onAbort, { once: true })
    const wallMs = meter.remainingWallMs()
    // Timers hold 31 bits; a longer budget needs no timer to be kept within this process's life.
    if (wallMs > 0 && wallMs < 2 ** 31)
      this.#timer = setTimeout(() => {
        this.#wallEnded = true
        this.#controller.abort(new Error('The wall budget ended.'))
      }, wallMs).unref()
  }

  abort(reason?: string): void {
    this.#controller.abort(new Error(reason ?? 'The run was aborted.'))
  }

  /** Ends the run when it was ended from outside. Call after every await that may have taken long. */
  check(): void {
    if (!this.signal.aborted) return
    throw new RunEnd(this.#wallEnded ? { status: 'exhausted', budget: 'wallMs' } : { status: 'aborted' })
  }

  /**
   * Waits for `work`, but not for ever once the run was ended from outside: somebody's model, check or sandbox may not
   * listen to the signal. What it does later is ignored.
   *
   * @throws RunEnd when the run was ended and `work` did not settle within `patienceMs`, a second unless it is said
   */
  async settled<T>(work: Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    let stop: (() => void) | undefined
    const ended = new Promise<never>((_resolve, reject) => {
      stop = onAbort(this.signal, () => {
        timer = setTimeout(() => {
          try {
            this.check()
          } catch (error) {
            reject(error)
          }
        }, patienceMs)
      })
    })
    try {
      return await Promise.race([work, ended])
    } finally {
      stop?.()
      clearTimeout(timer)
    }
  }

  dispose(): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#onAbort)
  }
}
