// The line to a session's control process: frames both ways, and one answer to how it ended.
import type { Outcome } from '../../contract/execution.js'
import { inWords } from '../../contract/foreign-values.js'
import type { CommandObject, Limits, Sandbox, SandboxProcess } from '../../contract/sandbox.js'
import { startTimer } from '../../internal/timer.js'
import { encodeFrame, type Frame, FrameDecoder } from '../runner/frame-stream.js'

/** Where frames go. */
export interface LinkListener {
  /** Called with each frame in order; when it throws, the control process has said what it cannot say, and is lost. */
  onFrame(frame: Frame): void
  /** Called once, after the last frame. */
  onEnd(end: LinkEnd): void
}

/** How the control process ended. */
export interface LinkEnd {
  /** What the sandbox says. */
  readonly outcome: Outcome
  /** Why it was given up, as the end of a sentence, when it was not the process that ended. */
  readonly fault?: string
  /** The last that it wrote to its own standard error. */
  readonly complaint: string
}

const MOST_COMPLAINT_BYTES = 4096
/** More than a cell and an answer of the greatest length together. */
const MOST_QUEUED_BYTES = 96 * 1024 * 1024
const CLOSE_GRACE_MS = 1_000
const KILL_DEADLINE_MS = 700

/** An open line. */
export class ControlLink {
  readonly #process: SandboxProcess
  readonly #listener: LinkListener
  #fault: string | undefined
  #complaint = ''
  #queuedBytes = 0
  #writing: Promise<unknown> = Promise.resolve()
  #isClosing = false
  /** Resolves when the process has ended and everything it said has been heard; never rejects. */
  readonly ended: Promise<LinkEnd>

  private constructor(process: SandboxProcess, listener: LinkListener) {
    this.#process = process
    this.#listener = listener
    this.ended = this.#listen()
  }

  /** Starts the control process. @throws what the sandbox's `spawn` throws */
  static async open(
    sandbox: Sandbox & Required<Pick<Sandbox, 'spawn'>>,
    { command, setup }: { command: CommandObject; setup: Uint8Array },
    limits: Partial<Limits>,
    listener: LinkListener,
  ): Promise<ControlLink> {
    const link = new ControlLink(await sandbox.spawn(command, { limits }), listener)
    link.#write(setup)
    return link
  }

  /** Sends one frame; what cannot be sent is told by the end of the process, and after {@link close} nothing is. */
  send(type: number, id: number, payload: Uint8Array = new Uint8Array()): void {
    this.#write(encodeFrame(type, id, payload))
  }

  /** Gives the process up. */
  fail(fault: string): void {
    this.#fault ??= fault
    this.#process.kill()
  }

  /** Lets it end by itself, and kills it when it does not; takes less than two seconds. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#process.end()
    const cancelKill = startTimer(CLOSE_GRACE_MS, () => this.#process.kill())
    let cancelWait = (): void => undefined
    const tooLong = new Promise<void>((resolve) => {
      cancelWait = startTimer(CLOSE_GRACE_MS + KILL_DEADLINE_MS, resolve)
    })
    await Promise.race([this.ended, tooLong])
    cancelKill()
    cancelWait()
  }

  /** Whoever takes the bytes may take their time: one after the other. */
  #write(data: Uint8Array): void {
    if (this.#isClosing) return
    this.#queuedBytes += data.length
    if (this.#queuedBytes > MOST_QUEUED_BYTES) {
      this.fail('it does not read what it is sent')
      return
    }
    this.#writing = this.#writing
      .then(() => (this.#isClosing ? undefined : this.#process.write(data)))
      .catch(() => undefined)
      .then(() => {
        this.#queuedBytes -= data.length
      })
  }

  async #listen(): Promise<LinkEnd> {
    const decoder = new FrameDecoder((frame) => this.#listener.onFrame(frame))
    try {
      for await (const { stream, data } of this.#process.output) {
        if (stream === 'stderr')
          this.#complaint = `${this.#complaint}${Buffer.from(data)}`.slice(-MOST_COMPLAINT_BYTES)
        else if (this.#fault === undefined) decoder.push(data)
      }
    } catch (error) {
      this.fail(inWords(error))
    }
    const outcome = await this.#process.outcome
    const fault = this.#fault
    const end = { outcome, complaint: this.#complaint.trim(), ...(fault !== undefined && { fault }) }
    this.#listener.onEnd(end)
    return end
  }
}
