// One listener a signal, however many wait on it: Node warns of a leak from the eleventh, and parallel calls share a signal.

interface Waiting {
  readonly callbacks: Set<() => void>
  /** Takes the listener away. */
  stop(): void
}

const waitingOn = new WeakMap<AbortSignal, Waiting>()

/**
 * Calls `callback` once when the signal is aborted; at once when it already is.
 *
 * @returns a function that takes the callback away again; the signal keeps no listener once nobody waits
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback()
    return () => undefined
  }
  const waiting = waitingOn.get(signal) ?? listenTo(signal)
  // A wrapper, so that the same function may wait twice.
  const entry = (): void => callback()
  waiting.callbacks.add(entry)
  return () => {
    if (waiting.callbacks.delete(entry) && waiting.callbacks.size === 0) waiting.stop()
  }
}

function listenTo(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>()
  const stop = (): void => {
    signal.removeEventListener('abort', aborted)
    waitingOn.delete(signal)
  }
  const aborted = (): void => {
    stop()
    for (const callback of callbacks) callback()
    callbacks.clear()
  }
  signal.addEventListener('abort', aborted)
  const waiting = { callbacks, stop }
  waitingOn.set(signal, waiting)
  return waiting
}
