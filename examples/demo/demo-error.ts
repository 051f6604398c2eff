// What the demo says when it cannot go on: one readable message, and the code the process ends with.

/** A mistake or a lack that the person at the terminal can mend. */
export class DemoError extends Error {
  override readonly name: string = 'DemoError'
  /** What the process exits with: 2 for wrong arguments and files, 1 for everything else. */
  readonly exitCode: number

  constructor(message: string, exitCode = 1, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** A wrong argument or a wrong file. */
export const usageError = (message: string, cause?: unknown): DemoError =>
  new DemoError(message, 2, cause === undefined ? undefined : { cause })
