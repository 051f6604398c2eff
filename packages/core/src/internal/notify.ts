// Listeners observe; they can never break what they watch.

/** Calls a listener; what it throws is ignored, and so is what it rejects with, should it be asynchronous. */
export function notify<T>(listener: ((value: T) => unknown) | undefined, value: T): void {
  try {
    Promise.resolve(listener?.(value)).catch(() => undefined)
  } catch {
    // Ignored, as promised.
  }
}
