// The host's side of a fork runner: executions by id over one conversation, each settled whatever the runner does.
import { MendloopError } from '../../contract/errors.js'
import type {
  ForkRunner,
  PreparedRunner,
  RunnerExecution,
  RunnerHello,
  RunnerOutput,
  RunnerPreparation,
  RunnerRequest,
} from '../../contract/fork-runner.js'
import { parseOptions } from '../../contract/options.js'
import { startTimer } from '../../internal/timer.js'
import { CLOSED, type Conversation } from './conversation.js'
import { FROM_RUNNER, type Frame, MOST_FRAME_BYTES, RunnerFault, TO_RUNNER } from './frame-stream.js'
import { type Link, LiveExecution } from './live-execution.js'
import { executePayload, parseMessage, readySchema } from './messages.js'
import { preparationSchema } from './preparation.js'

/** A package that takes longer to import does not end at all. */
const PREPARE_DEADLINE_MS = 120_000
const MOST_ID = 2 ** 32 - 1
/** Longer pieces of input travel after the start. */
const MOST_INPUT_AT_START_BYTES = 16 * 1024 * 1024
/** Type and id, which count as well. */
const HEAD_ROOM_BYTES = 16

interface Preparing {
  resolve(ready: PreparedRunner): void
  reject(error: Error): void
}

/** A runner that has introduced itself. */
export class HostRunner implements ForkRunner {
  readonly hello: RunnerHello
  readonly lost: Promise<string>
  readonly #conversation: Conversation
  /** Id of the provider, for errors. */
  readonly #sandbox: string
  readonly #live = new Map<number, LiveExecution>()
  readonly #preparing = new Map<number, Preparing>()
  #lastId = 0
  #closing: Promise<void> | undefined

  constructor(conversation: Conversation, hello: RunnerHello, sandbox: string) {
    this.#conversation = conversation
    this.#sandbox = sandbox
    this.hello = hello
    this.lost = conversation.lost
    void this.lost.then((cause) => this.#onLost(cause))
  }

  start(request: RunnerRequest, output: RunnerOutput): RunnerExecution {
    this.#ensureOpen()
    const id = this.#freeId()
    const link: Link = {
      send: (type, ...payload) => this.#conversation.send(type, id, ...payload),
      lose: (cause) => this.#conversation.lose(cause),
      isBusy: () => this.#preparing.size > 0,
    }
    const execution = new LiveExecution(link, request, output)
    const { cause } = this.#conversation
    if (cause !== undefined) {
      execution.onLost(cause)
      return execution
    }
    const { late, payload, sizeBytes, fits } = toOpening(request)
    if (!fits) {
      execution.onRefused(`its files are ${sizeBytes} bytes together, more than a runner is given at once`)
      return execution
    }
    this.#live.set(id, execution)
    void link.send(TO_RUNNER.execute, ...payload)
    if (late !== undefined) {
      void execution.write(late)
      execution.endInput()
    }
    return execution
  }

  async prepare(preparation: RunnerPreparation): Promise<PreparedRunner> {
    const parsed = parseOptions(preparationSchema, preparation, 'prepare()')
    this.#ensureOpen()
    const { cause } = this.#conversation
    if (cause !== undefined) throw this.#unavailable(cause)
    const id = this.#freeId()
    const cancel = startTimer(PREPARE_DEADLINE_MS, () =>
      this.#conversation.lose(`it had not prepared itself after ${PREPARE_DEADLINE_MS / 1000} seconds`),
    )
    try {
      return await new Promise((resolve, reject) => {
        this.#preparing.set(id, { resolve, reject })
        void this.#conversation.send(TO_RUNNER.prepare, id, Buffer.from(JSON.stringify(parsed)))
      })
    } finally {
      cancel()
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#conversation.close(CLOSED)
    return this.#closing
  }

  /** Takes a frame. @throws RunnerFault for what an honest runner does not send */
  onFrame({ type, id, payload }: Frame): void {
    if (type === FROM_RUNNER.ready) {
      const preparing = this.#preparing.get(id)
      if (preparing === undefined) throw new RunnerFault('it is ready for what it was not asked for')
      const ready = parseMessage(readySchema, payload, 'READY')
      this.#preparing.delete(id)
      preparing.resolve(ready)
      return
    }
    const execution = this.#live.get(id)
    if (execution === undefined)
      throw new RunnerFault(`it sent a frame of type ${type} for an execution that is not under way`)
    if (execution.take(type, payload)) this.#live.delete(id)
  }

  #onLost(cause: string): void {
    for (const execution of this.#live.values()) execution.onLost(cause)
    this.#live.clear()
    for (const { reject } of this.#preparing.values()) reject(this.#unavailable(cause))
    this.#preparing.clear()
  }

  /** Ids come round after four billion; one that is taken is passed over. */
  #freeId(): number {
    do this.#lastId = this.#lastId === MOST_ID ? 1 : this.#lastId + 1
    while (this.#live.has(this.#lastId) || this.#preparing.has(this.#lastId))
    return this.#lastId
  }

  #ensureOpen(): void {
    if (this.#closing === undefined) return
    throw new MendloopError(
      'SANDBOX_CLOSED',
      'The fork runner is closed, with its sandbox or by close(). Open another sandbox.',
      { details: { sandbox: this.#sandbox } },
    )
  }

  #unavailable(cause: string): MendloopError<'SANDBOX_UNAVAILABLE'> {
    return new MendloopError(
      'SANDBOX_UNAVAILABLE',
      `The fork runner in the sandbox "${this.#sandbox}" was lost: ${cause}. Try again; a new one is started.`,
      { details: { sandbox: this.#sandbox, reason: cause }, retryable: true },
    )
  }
}

/** True when a runner takes all of it at once; otherwise `start` refuses it. */
export const fitsRunner = (request: RunnerRequest): boolean => toOpening(request).fits

/** What is sent to start it, and input that comes after. */
function toOpening(request: RunnerRequest) {
  const late = isLarge(request.stdin) ? request.stdin : undefined
  const payload = executePayload(late === undefined ? request : { ...request, stdin: 'pipe' })
  const sizeBytes = payload.reduce((sum, { length }) => sum + length, 0)
  return { late, payload, sizeBytes, fits: sizeBytes <= MOST_FRAME_BYTES - HEAD_ROOM_BYTES }
}

const isLarge = (stdin: RunnerRequest['stdin']): stdin is Uint8Array =>
  typeof stdin !== 'string' && stdin.length > MOST_INPUT_AT_START_BYTES
