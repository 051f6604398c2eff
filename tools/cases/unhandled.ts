// Errors of this process that nobody handles while something is tried.

/** How many there were. */
export interface UnhandledErrors {
  readonly rejections: number
  readonly exceptions: number
}

/** Counts them from when it was made until it is disposed of. */
export class UnhandledWatch implements UnhandledErrors, Disposable {
  rejections = 0
  exceptions = 0
  readonly #onRejection = (): number => this.rejections++
  readonly #onException = (): number => this.exceptions++

  constructor() {
    process.on('unhandledRejection', this.#onRejection)
    process.on('uncaughtException', this.#onException)
  }

  /** Waits for what is reported only after the current turn of the event loop. */
  reported(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve))
  }

  [Symbol.dispose](): void {
    process.off('unhandledRejection', this.#onRejection)
    process.off('uncaughtException', this.#onException)
  }
}
