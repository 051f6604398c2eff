// One cell from its start to its result.
import type { CapturedText, Outcome } from '../../contract/execution.js'
import type { OutputChunk } from '../../contract/sandbox.js'
import { notify } from '../../internal/notify.js'
import { captureOutput } from '../../sandbox/output-capture.js'
import type { CellReport } from './guest-messages.js'
import type { CellResult, MimeBundle, SessionLoss } from './session.js'

/** The display that follows them is not kept: whoever sends more does not mean to show something. */
const MOST_DISPLAYS = 100
const MOST_DISPLAY_CHARACTERS = 64 * 1024 * 1024

/** What a cell is started with. */
export interface CellStart {
  /** Number of the cell, also on the line. */
  readonly number: number
  readonly epoch: number
  /** Output kept of each stream, in bytes. */
  readonly outputBytes: number
  readonly onOutput: ((chunk: OutputChunk) => void) | undefined
  /** What was written since the last cell. */
  readonly earlier: Readonly<Record<'stdout' | 'stderr', CapturedText | undefined>>
  readonly restarted: SessionLoss | undefined
}

/** A cell that runs. */
export class CellUnderWay {
  readonly number: number
  /** Why it is being ended, recorded before it is. */
  cause: Outcome | undefined
  /** The variables that it could have used were lost before it ran. */
  restarted: SessionLoss | undefined
  /** The session's epoch in which it runs. */
  epoch: number
  /** Its result. */
  readonly result: Promise<CellResult>
  readonly #startedAt = performance.now()
  readonly #captures: Readonly<Record<'stdout' | 'stderr', ReturnType<typeof captureOutput>>>
  readonly #displays: MimeBundle[] = []
  #displayCharacters = 0
  #omittedDisplays = 0
  #resolve: (result: CellResult) => void = () => undefined

  constructor(start: CellStart) {
    const { number, outputBytes, onOutput, earlier, restarted } = start
    this.epoch = start.epoch
    this.number = number
    this.restarted = restarted
    const capture = (stream: 'stdout' | 'stderr') => {
      const captured = captureOutput(outputBytes, (text) => notify(onOutput, { stream, text }))
      const before = earlier[stream]
      if (before !== undefined) captured.push(Buffer.from(before.text))
      return captured
    }
    this.#captures = { stdout: capture('stdout'), stderr: capture('stderr') }
    this.result = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** Takes output. */
  push(stream: 'stdout' | 'stderr', data: Uint8Array): void {
    this.#captures[stream].push(data)
  }

  /** Takes something that it displays. */
  show(bundle: MimeBundle): void {
    const characters = Object.values(bundle.data).reduce((sum, { length }) => sum + length, 0)
    if (
      this.#displays.length >= MOST_DISPLAYS ||
      this.#displayCharacters + characters > MOST_DISPLAY_CHARACTERS
    ) {
      this.#omittedDisplays++
      return
    }
    this.#displayCharacters += characters
    this.#displays.push(bundle)
  }

  /** It has come to its end. */
  finish(report: CellReport): void {
    const { outOfMemory, ...error } = report.error ?? {}
    const code = report.exit ?? (report.error === undefined ? 0 : 1)
    const observed: Outcome =
      outOfMemory === true ? { kind: 'resource', limit: 'memory' } : { kind: 'exit', code }
    this.#settle(this.cause ?? observed, {
      ok: this.cause === undefined && report.ok && code === 0,
      ...(report.error !== undefined && { error: error as NonNullable<CellResult['error']> }),
      ...(report.value !== undefined && { value: report.value }),
    })
  }

  /** It has been ended, or has ended the process it ran in. */
  end(outcome: Outcome, lost?: SessionLoss): void {
    this.#settle(this.cause ?? outcome, { ok: false, ...(lost !== undefined && { lost }) })
  }

  #settle(outcome: Outcome, rest: Pick<CellResult, 'ok' | 'error' | 'value' | 'lost'>): void {
    this.#resolve({
      outcome,
      stdout: this.#captures.stdout.finish(),
      stderr: this.#captures.stderr.finish(),
      displays: this.#displays,
      durationMs: performance.now() - this.#startedAt,
      epoch: this.epoch,
      ...rest,
      ...(this.restarted !== undefined && { restarted: this.restarted }),
      ...(this.#omittedDisplays > 0 && { omittedDisplays: this.#omittedDisplays }),
    })
  }
}

/** The result of a cell that never ran. */
export function abortedCell(epoch: number): Promise<CellResult> {
  const nothing = { stdout: undefined, stderr: undefined }
  const start = {
    number: 0,
    epoch,
    outputBytes: 1024,
    onOutput: undefined,
    earlier: nothing,
    restarted: undefined,
  }
  const cell = new CellUnderWay(start)
  cell.end({ kind: 'aborted' })
  return cell.result
}
