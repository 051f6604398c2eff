// Waiting for a moment that may be far away.

/** setTimeout fires at once for anything above this (Node docs, timers: "set to 1"). */
const LONGEST_DELAY_MS = 2 ** 31 - 1

/**
 * Calls `callback` once after `delayMs`, however long that is.
 *
 * @param options - `unref`: whether this process may end meanwhile; default false
 * @returns a function that cancels; calling it late or twice does nothing
 */
export function startTimer(
  delayMs: number,
  callback: () => void,
  options: { readonly unref?: boolean } = {},
): () => void {
  let leftMs = delayMs
  let timer: ReturnType<typeof setTimeout>
  const wait = (): void => {
    const stepMs = Math.min(leftMs, LONGEST_DELAY_MS)
    leftMs -= stepMs
    timer = setTimeout(leftMs > 0 ? wait : callback, stepMs)
    if (options.unref) timer.unref()
  }
  wait()
  return () => clearTimeout(timer)
}
