// One execution under way in a runner: its input, its output, its end.
import type { RunnerEnd, RunnerExecution, RunnerOutput, RunnerRequest } from '../../contract/fork-runner.js'
import { startTimer } from '../../internal/timer.js'
import { CollectedFiles } from './collected-files.js'
import { FROM_RUNNER, RunnerFault, TO_RUNNER } from './frame-stream.js'
import {
  type ExitMessage,
  exitSchema,
  parseFilePiece,
  parseMessage,
  requireEmpty,
  stdinTakenSchema,
} from './messages.js'

/** Input on its way to the program; more has to wait until the program has read some. */
const MOST_UNREAD_BYTES = 256 * 1024
const MOST_INPUT_PIECE_BYTES = 64 * 1024
/** Kills are answered within some ten milliseconds; a runner that takes this long is stopped or stuck. */
const KILL_DEADLINE_MS = 10_000

/** The way to the runner. */
export interface Link {
  /** Sends a frame of this execution; resolves when the channel has taken it, also when the runner is lost. */
  send(type: number, ...payload: readonly Uint8Array[]): Promise<void>
  /** Gives up the runner. */
  lose(cause: string): void
  /** True while it imports packages and hears nothing. */
  isBusy(): boolean
}

/** Its state on the host's side. */
export class LiveExecution implements RunnerExecution {
  readonly ended: Promise<RunnerEnd>
  readonly gone: Promise<void>
  #toldStarted = false
  /** Output may overtake the word that it has started. */
  #hasOutput = false
  readonly #askedAt = performance.now()
  readonly #link: Link
  readonly #output: RunnerOutput
  readonly #files: CollectedFiles
  #settle: (end: RunnerEnd) => void = () => undefined
  #markGone: () => void = () => undefined
  #over = false
  /** Writes in order, each waiting for the one before. */
  #input: Promise<void> = Promise.resolve()
  #unreadBytes = 0
  #wakeWriter: () => void = () => undefined
  #cancelKillDeadline: (() => void) | undefined

  constructor(link: Link, { collect }: Pick<RunnerRequest, 'collect'>, output: RunnerOutput) {
    this.#link = link
    this.#output = output
    this.#files = new CollectedFiles(collect)
    this.ended = new Promise((resolve) => {
      this.#settle = resolve
    })
    this.gone = new Promise((resolve) => {
      this.#markGone = resolve
    })
  }

  write(data: Uint8Array): Promise<void> {
    // Copied, because it may have to wait and its owner may use it again.
    const bytes = Buffer.from(data)
    this.#input = this.#input.then(() => this.#write(bytes))
    return this.#input
  }

  endInput(): void {
    this.#input = this.#input.then(() => (this.#over ? undefined : this.#link.send(TO_RUNNER.stdinEnd)))
  }

  pause(paused: boolean): void {
    // Of what is being killed, everything is taken: otherwise its end would wait for a reader.
    if (this.#over || this.#cancelKillDeadline !== undefined) return
    void this.#link.send(paused ? TO_RUNNER.pause : TO_RUNNER.resume)
  }

  terminate(): void {
    if (!this.#over) void this.#link.send(TO_RUNNER.terminate)
  }

  kill(): void {
    if (this.#over || this.#cancelKillDeadline !== undefined) return
    void this.#link.send(TO_RUNNER.kill)
    void this.#link.send(TO_RUNNER.resume)
    const wait = (): void => {
      this.#cancelKillDeadline = startTimer(KILL_DEADLINE_MS, () => {
        if (this.#link.isBusy()) wait()
        else this.#link.lose(`it did not answer for ${KILL_DEADLINE_MS / 1000} seconds when it was to kill`)
      })
    }
    wait()
  }

  /**
   * Takes a frame of this execution.
   *
   * @returns true when it was the last
   * @throws RunnerFault for what an honest runner does not send
   */
  take(type: number, payload: Uint8Array): boolean {
    switch (type) {
      case FROM_RUNNER.stdout:
        this.#tell('stdout', payload)
        break
      case FROM_RUNNER.stderr:
        this.#tell('stderr', payload)
        break
      case FROM_RUNNER.started:
        requireEmpty(payload, 'STARTED')
        if (this.#toldStarted) throw new RunnerFault('it started an execution twice')
        this.#toldStarted = true
        break
      case FROM_RUNNER.stdinTaken:
        this.#onInputTaken(parseMessage(stdinTakenSchema, payload, 'STDIN_TAKEN').bytes)
        break
      case FROM_RUNNER.file: {
        const { head, data } = parseFilePiece(payload)
        this.#files.add(head, data)
        break
      }
      case FROM_RUNNER.gone:
        requireEmpty(payload, 'GONE')
        this.#markGone()
        break
      case FROM_RUNNER.exit:
        this.#onExit(parseMessage(exitSchema, payload, 'EXIT'))
        return true
      default:
        throw new RunnerFault(`it sent a frame of the unknown type ${type}`)
    }
    return false
  }

  /** It is not even asked for. */
  onRefused(reason: string): void {
    this.#end({ how: { kind: 'not-started', reason }, durationMs: 0, leftover: false })
  }

  /** The runner is gone. */
  onLost(cause: string): void {
    const durationMs = performance.now() - this.#askedAt
    this.#end({
      how: { kind: 'lost', cause, started: this.#hasStarted },
      durationMs,
      leftover: false,
    })
  }

  #tell(stream: 'stdout' | 'stderr', data: Uint8Array): void {
    this.#hasOutput = true
    try {
      this.#output.onOutput(stream, data)
    } catch {
      // A listener observes; it can never break what it watches.
    }
  }

  #onInputTaken(bytes: number): void {
    if (bytes > this.#unreadBytes) throw new RunnerFault('it took more input than it was given')
    this.#unreadBytes -= bytes
    this.#wakeWriter()
  }

  get #hasStarted(): boolean {
    return this.#toldStarted || this.#hasOutput
  }

  #onExit(end: ExitMessage): void {
    if (end.how.kind === 'not-started' && this.#hasStarted)
      throw new RunnerFault('it said of an execution that had started that it had not')
    const how = end.how.kind === 'lost' ? { ...end.how, started: this.#hasStarted } : end.how
    const { files, unnameable } = this.#files.finish(end.withheld)
    const withheld = [...(end.withheld ?? []), ...unnameable]
    this.#end({ ...end, how, ...(files.length > 0 && { files }), ...(withheld.length > 0 && { withheld }) })
  }

  #end(end: RunnerEnd): void {
    this.#over = true
    this.#cancelKillDeadline?.()
    this.#wakeWriter()
    this.#markGone()
    this.#settle(end)
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let offset = 0; offset < bytes.length && !this.#over; ) {
      if (this.#unreadBytes >= MOST_UNREAD_BYTES) {
        await new Promise<void>((resolve) => {
          this.#wakeWriter = resolve
        })
        continue
      }
      const piece = bytes.subarray(offset, offset + MOST_INPUT_PIECE_BYTES)
      this.#unreadBytes += piece.length
      offset += piece.length
      await this.#link.send(TO_RUNNER.stdin, piece)
    }
  }
}
