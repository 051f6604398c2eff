// The session that a caller holds: a queue of cells in front of the engine that runs them.
import { randomUUID } from 'node:crypto'
import { MendloopError } from '../../contract/errors.js'
import { invalidOption, parseOptions } from '../../contract/options.js'
import { onAbort } from '../../internal/on-abort.js'
import { abortedCell } from './cell-under-way.js'
import type { CellOptions, CellResult, Session, SessionLanguage, SessionRuntime } from './session.js'
import type { SessionEngine } from './session-engine.js'
import { cellOptionsSchema } from './session-options.js'

const MOST_CODE_BYTES = 16 * 1024 * 1024

/** The session that `openSession` gives. */
export class LiveSession implements Session {
  readonly id = randomUUID()
  readonly language: SessionLanguage
  readonly #engine: SessionEngine
  readonly #forgetSignal: () => void
  #queue: Promise<unknown> = Promise.resolve()
  #closing: Promise<void> | undefined

  constructor(language: SessionLanguage, engine: SessionEngine, signal: AbortSignal | undefined) {
    this.language = language
    this.#engine = engine
    this.#forgetSignal =
      signal === undefined ? () => undefined : onAbort(signal, () => void this.close().catch(() => undefined))
  }

  get epoch(): number {
    return this.#engine.epoch
  }

  get runtime(): SessionRuntime {
    return this.#engine.runtime
  }

  async run(code: string, options: CellOptions = {}): Promise<CellResult> {
    const parsed = parseOptions(cellOptionsSchema, options, 'run()')
    requireCode(code)
    this.#ensureOpen()
    const { signal } = parsed
    let started = false
    const turn = this.#queue.then(() => {
      if (signal?.aborted || this.#closing !== undefined) return abortedCell(this.epoch)
      started = true
      return this.#engine.run(code, parsed)
    })
    this.#queue = turn.catch(() => undefined)
    if (signal === undefined) return turn
    return new Promise((resolve, reject) => {
      // One that waits is settled at once; one that runs, when it has ended.
      const forget = onAbort(signal, () => {
        if (!started) resolve(abortedCell(this.epoch))
      })
      turn.then(resolve, reject).finally(forget)
    })
  }

  interrupt(): void {
    this.#engine.interrupt()
  }

  async restart(): Promise<void> {
    this.#ensureOpen()
    await this.#engine.restart()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#forgetSignal()
    await this.#engine.close()
    await this.#queue
  }

  #ensureOpen(): void {
    if (this.#closing === undefined) return
    throw new MendloopError(
      'SANDBOX_CLOSED',
      `The session ${this.id} is closed. Open another with openSession().`,
      { details: { sandbox: this.id } },
    )
  }
}

function requireCode(code: unknown): void {
  if (typeof code !== 'string')
    throw invalidOption('run()', 'code', 'must be a string', { expected: 'a string', received: typeof code })
  const bytes = Buffer.byteLength(code)
  if (bytes > MOST_CODE_BYTES)
    throw invalidOption('run()', 'code', `must be at most ${MOST_CODE_BYTES} bytes long`, {
      expected: `at most ${MOST_CODE_BYTES} bytes`,
      received: `${bytes} bytes`,
    })
}
