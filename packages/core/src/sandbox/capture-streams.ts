// The two output streams of one execution, kept within their limits.
import type { CapturedText, Outcome } from '../contract/execution.js'
import type { ExecOptions, Limits, OutputChunk } from '../contract/sandbox.js'
import { captureOutput } from './output-capture.js'

/** The outcome of a program that has written more than `limits.totalOutputBytes`. */
const TOO_MUCH: Outcome = { kind: 'resource', limit: 'output' }

/** The output of one execution. */
export interface StreamCapture {
  /** Takes what arrived on one of the streams. */
  push(stream: OutputChunk['stream'], chunk: Uint8Array): void
  /** What is kept of both; nothing is taken after it. */
  finish(): {
    /** Standard output. */
    stdout: CapturedText
    /** Standard error. */
    stderr: CapturedText
  }
}

/**
 * Keeps both streams within `limits.outputBytes`, and tells when they have come to `limits.totalOutputBytes`.
 *
 * @param onOutput - called with text as it arrives, as in {@link ExecOptions}
 * @param onTooMuch - called once, with the outcome that the program ends with; whoever started it kills it then
 */
export function captureStreams(
  { outputBytes, totalOutputBytes }: Limits,
  onOutput: ExecOptions['onOutput'],
  onTooMuch: (outcome: Outcome) => void,
): StreamCapture {
  const live = (stream: OutputChunk['stream']) =>
    onOutput && ((text: string): void => onOutput({ stream, text }))
  const captures = {
    stdout: captureOutput(outputBytes, live('stdout')),
    stderr: captureOutput(outputBytes, live('stderr')),
  }
  const count = countOutput(totalOutputBytes, onTooMuch)
  return {
    push(stream, chunk) {
      captures[stream].push(chunk)
      count(chunk)
    },
    finish: () => ({ stdout: captures.stdout.finish(), stderr: captures.stderr.finish() }),
  }
}

/** Counts what arrives on both streams, and calls `onTooMuch` once when it is more than `totalOutputBytes`. */
export function countOutput(
  totalOutputBytes = Number.POSITIVE_INFINITY,
  onTooMuch: (outcome: Outcome) => void,
): (chunk: Uint8Array) => void {
  let totalBytes = 0
  return (chunk) => {
    const before = totalBytes
    totalBytes += chunk.length
    if (before <= totalOutputBytes && totalBytes > totalOutputBytes) onTooMuch(TOO_MUCH)
  }
}
