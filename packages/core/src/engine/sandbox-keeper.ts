// The one sandbox that a run holds at a time: opened when needed, and what its loss costs.
import { setTimeout as sleep } from 'node:timers/promises'
import { MendloopError } from '../contract/errors.js'
import { inWords } from '../contract/foreign-values.js'
import type { Guarantees, Sandbox, SandboxOptions, SandboxProvider } from '../contract/sandbox.js'
import { RunEnd } from './run-end.js'
import type { RunScope } from './run-scope.js'

/** Pause before a sandbox that was lost is opened anew, in milliseconds. */
const REOPEN_PAUSE_MS = 250
/** How long a sandbox may take to close, in milliseconds. */
const CLOSE_MS = 10_000

/** Opens and closes the sandboxes of one run. */
export class SandboxKeeper {
  readonly #scope: RunScope
  readonly #provider: SandboxProvider
  readonly #options: SandboxOptions
  readonly #closing = new Set<Promise<void>>()
  #sandbox: Sandbox | undefined
  #guarantees: Guarantees | undefined

  constructor(scope: RunScope, provider: SandboxProvider, options: SandboxOptions) {
    this.#scope = scope
    this.#provider = provider
    this.#options = options
  }

  /** What the last sandbox enforced. */
  get guarantees(): Guarantees | undefined {
    return this.#guarantees
  }

  /**
   * The open sandbox, or a fresh one.
   *
   * @throws RunEnd when none can be had within the infrastructure budget; whatever a wrong option makes the provider throw
   */
  async open(): Promise<Sandbox> {
    while (this.#sandbox === undefined) {
      this.#scope.check()
      try {
        this.#sandbox = await this.#scope.settled(this.#create())
      } catch (error) {
        this.#scope.check()
        // Everything else is a wrong option or a bug, which a run must not hide.
        if (!MendloopError.is(error, 'SANDBOX_UNAVAILABLE')) throw error
        await this.lost(error.message, error)
        continue
      }
      this.#guarantees = this.#sandbox.guarantees
      this.#scope.events.emit('sandbox-start', { guarantees: this.#guarantees })
    }
    return this.#sandbox
  }

  /** Begins to close the sandbox, if one is open; what comes next need not wait for it. */
  retire(): void {
    const sandbox = this.#sandbox
    this.#sandbox = undefined
    if (sandbox === undefined) return
    const closing = this.#closeOne(sandbox).finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  /** Closes the sandbox, and waits until it and those retired before are closed. */
  async close(): Promise<void> {
    this.retire()
    await Promise.all(this.#closing)
  }

  /** For ten seconds at most. What goes wrong is told, and is no reason to lose a result. */
  async #closeOne(sandbox: Sandbox): Promise<void> {
    const late = new AbortController()
    try {
      const deadline = sleep(CLOSE_MS, 'late', { signal: late.signal, ref: true })
      if ((await Promise.race([sandbox.close(), deadline])) === 'late')
        throw new Error('it did not close in time')
    } catch (error) {
      const cause = inWords(error)
      this.#scope.events.emit('infrastructure-error', { cause: `The sandbox could not be closed: ${cause}` })
    } finally {
      late.abort()
    }
  }

  /** One that opens after the run was given up is closed again. */
  async #create(): Promise<Sandbox> {
    const sandbox = await this.#provider.create({ ...this.#options, signal: this.#scope.signal })
    if (this.#scope.signal.aborted) await sandbox.close()
    return sandbox
  }

  /**
   * Charges a loss to the infrastructure budget and waits a little.
   *
   * @throws RunEnd when there is no point in, or no budget for, another try
   */
  async lost(cause: string, underneath: unknown): Promise<void> {
    const { events, meter, signal } = this.#scope
    events.emit('infrastructure-error', { cause })
    meter.count('infrastructureErrors')
    const error = MendloopError.is(underneath) ? underneath : undefined
    if (error?.retryable === false || meter.exceeded('infrastructureErrors'))
      throw new RunEnd({ status: 'environment-lost', cause, ...(error !== undefined && { error }) })
    await sleep(REOPEN_PAUSE_MS, undefined, { signal }).catch(() => undefined)
  }
}
