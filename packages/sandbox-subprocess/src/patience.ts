// How long the files are looked through for a caller who has turned away.

/** Once nobody waits any more, what a program did is still told if it can be found out in this time. */
const COLLECTION_GRACE_MS = 300

/** True once `isUnwanted` has been true for the grace. */
export function withGrace(isUnwanted: () => boolean): () => boolean {
  let endMs: number | undefined
  return () => {
    if (!isUnwanted()) return false
    endMs ??= performance.now() + COLLECTION_GRACE_MS
    return performance.now() >= endMs
  }
}
