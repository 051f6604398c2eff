// What is written between two cells, until the next one takes it.
import type { CapturedText } from '../../contract/execution.js'
import { captureOutput, type OutputCapture } from '../../sandbox/output-capture.js'

/** Kept of each stream. */
const IDLE_BYTES = 64 * 1024

/** Keeps it within bounds. */
export class IdleOutput {
  #captures: { stdout?: OutputCapture; stderr?: OutputCapture } = {}

  /** Takes output. */
  push(stream: 'stdout' | 'stderr', data: Uint8Array): void {
    const capture = this.#captures[stream] ?? captureOutput(IDLE_BYTES)
    this.#captures[stream] = capture
    capture.push(data)
  }

  /** Gives what was written, once. */
  take(): Record<'stdout' | 'stderr', CapturedText | undefined> {
    const { stdout, stderr } = this.#captures
    this.#captures = {}
    return { stdout: stdout?.finish(), stderr: stderr?.finish() }
  }
}
