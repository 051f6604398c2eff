// The talk with one runner's process: frames out in order, frames in, and one cause when it is over.
import type { Outcome } from '../../contract/execution.js'
import { inWords } from '../../contract/foreign-values.js'
import type { ProcessOutput } from '../../contract/sandbox.js'
import { startTimer } from '../../internal/timer.js'
import { outcomeText } from '../../sandbox/cause-of-death.js'
import { encodeFrame, type Frame, FrameDecoder, RunnerFault } from './frame-stream.js'

/** What a runner's process is talked to by; a `SandboxProcess` is one. */
export interface RunnerChannel {
  /** Writes to its standard input, in order of the calls; resolves when the bytes were taken. */
  write(data: Uint8Array): Promise<void>
  /** Closes its standard input, which tells the runner that nobody is there any longer. */
  end(): void
  /** Its output in order of arrival, as the bytes it wrote; ends when the process has ended. */
  readonly output: AsyncIterable<ProcessOutput>
  /** How it ended. */
  readonly outcome: Promise<Outcome>
  /** Kills it. */
  kill(): void
  /** Makes this process wait for it, as at first. */
  ref?(): void
  /** Lets this process end while it runs. */
  unref?(): void
}

/** Cause of a runner that its owner has closed. */
export const CLOSED = 'it was closed'

/** What a runner complains of is kept this far, for the sentence that tells of its loss. */
const KEPT_STDERR_BYTES = 2048
/** Between the end of its output and the word how it ended. */
const OUTCOME_MS = 1_000
/** A runner whose input has ended kills everything and leaves. */
const LEAVE_MS = 1_000

/** One runner's process. */
export class Conversation {
  /** Resolves with the cause when it is over; never rejects. */
  readonly lost: Promise<string>
  readonly #channel: RunnerChannel
  readonly #gone: Promise<unknown>
  #settle: (cause: string) => void = () => undefined
  #cause: string | undefined
  #stderr = Buffer.alloc(0)

  /** @param onFrame - called for each frame; a RunnerFault that it throws ends the conversation */
  constructor(channel: RunnerChannel, onFrame: (frame: Frame) => void) {
    this.#channel = channel
    this.lost = new Promise((resolve) => {
      this.#settle = resolve
    })
    this.#gone = channel.outcome.catch(() => undefined)
    void this.#read(new FrameDecoder(onFrame))
  }

  /** Why it is over, or undefined while it is not. */
  get cause(): string | undefined {
    return this.#cause
  }

  /** The last that it wrote to standard error, on one line and after a colon; empty when it wrote nothing. */
  get complaint(): string {
    const text = this.#stderr.toString('utf8').trim().replaceAll(/\s+/g, ' ')
    return text === '' ? '' : `: ${text.slice(-500)}`
  }

  /** Sends bytes that are no frame. Never rejects. */
  async sendRaw(bytes: Uint8Array): Promise<void> {
    if (this.#cause !== undefined) return
    try {
      await this.#channel.write(bytes)
    } catch (error) {
      // A process that has ended takes no input: how it ended is the better word, when it comes.
      await within(OUTCOME_MS, this.lost)
      this.lose(`it takes no input (${inWords(error)})`)
    }
  }

  /** Sends a frame. Never rejects; once it is over, nothing is sent. */
  send(type: number, id: number, ...payload: readonly Uint8Array[]): Promise<void> {
    return this.sendRaw(encodeFrame(type, id, ...payload))
  }

  /** Gives it up and kills the process; the first cause stands. */
  lose(cause: string): void {
    if (this.#cause !== undefined) return
    this.#cause = cause
    this.#settle(cause)
    this.#kill()
  }

  /** Lets it leave, or kills it when it does not; resolves when the process is gone, at most two seconds later. */
  async close(cause: string): Promise<void> {
    if (this.#cause === undefined) {
      this.#cause = cause
      this.#settle(cause)
      this.#channel.end()
      if (await within(LEAVE_MS, this.#gone)) return
    }
    this.#kill()
    await within(LEAVE_MS, this.#gone)
  }

  async #read(decoder: FrameDecoder): Promise<void> {
    try {
      for await (const { stream, data } of this.#channel.output) {
        // Whoever closes it still has to see the output end.
        if (this.#cause !== undefined) continue
        if (stream === 'stdout') decoder.push(data)
        else this.#stderr = Buffer.concat([this.#stderr, data]).subarray(-KEPT_STDERR_BYTES)
      }
      const outcome = (await within(OUTCOME_MS, this.#gone)) ? await this.#channel.outcome : undefined
      // A sandbox that is closed ends its processes so.
      if (outcome?.kind === 'aborted') this.lose(CLOSED)
      const end = outcome === undefined ? 'its output ended' : `its process ${outcomeText(outcome)}`
      this.lose(`${end}${this.complaint}`)
    } catch (error) {
      this.lose(error instanceof RunnerFault ? error.message : `it cannot be heard (${inWords(error)})`)
    }
  }

  #kill(): void {
    try {
      this.#channel.kill()
    } catch {
      // It was gone.
    }
  }
}

/** Whether `happened` does so in time. */
function within(limitMs: number, happened: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = startTimer(limitMs, () => resolve(false))
    void happened.then(() => {
      cancel()
      resolve(true)
    })
  })
}
