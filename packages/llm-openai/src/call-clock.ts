// The limits of one request on the wire: first event, silence between events, everything together; and the caller's abort.
import { onAbort, startTimer } from '@mendloop/core/adapter'
import type { Timeouts } from './options.js'

/** Which limit ended a request. */
export interface Expiry {
  /** Name of the option. */
  readonly limit: keyof Timeouts
  /** Its value, in milliseconds. */
  readonly limitMs: number
}

/** Aborts a request when the caller does or a limit is reached; `dispose` leaves no timer and no listener. */
export class CallClock {
  /** The limit that was reached, if one was. */
  expired: Expiry | undefined
  readonly #controller = new AbortController()
  readonly #timeouts: Timeouts
  readonly #stopListening: () => void
  readonly #stopTotal: () => void
  #stopSilence: () => void = () => undefined
  #stopSoon: (() => void) | undefined

  /**
   * @param waitsForFirst - false when nothing can come before the whole reply is there
   * @param remainingMs - what is left of `totalMs`
   */
  constructor(caller: AbortSignal, timeouts: Timeouts, waitsForFirst: boolean, remainingMs: number) {
    this.#timeouts = timeouts
    this.#stopTotal = this.#start('totalMs', remainingMs)
    if (waitsForFirst) this.#stopSilence = this.#start('firstTokenMs', timeouts.firstTokenMs)
    this.#stopListening = onAbort(caller, () => this.#controller.abort())
  }

  /** For the request alone: foreign code may leave listeners on it. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Something came: from now on the idle limit governs. */
  beat(): void {
    this.#stopSilence()
    this.#stopSilence = this.#start('idleMs', this.#timeouts.idleMs)
  }

  /** The reply is complete: what may still follow, such as counts, gets this long and no longer. */
  closeSoon(withinMs: number): void {
    this.#stopSoon ??= startTimer(withinMs, () => this.#controller.abort())
  }

  /** Ends the request, if it still goes on, and takes every timer and listener away. */
  dispose(): void {
    this.#stopSilence()
    this.#stopSoon?.()
    this.#stopTotal()
    this.#stopListening()
    this.#controller.abort()
  }

  #start(limit: keyof Timeouts, afterMs: number): () => void {
    return startTimer(afterMs, () => {
      this.expired ??= { limit, limitMs: this.#timeouts[limit] }
      this.#controller.abort()
    })
  }
}
