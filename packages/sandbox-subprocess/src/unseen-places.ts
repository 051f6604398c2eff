// What a look at a workspace did not see: asked path by path, and told in few words.
import type { ExecutionResult } from '@mendloop/core'
import { sortByPath, type Turns } from './turns.js'
import type { Unseen, UnseenReason } from './workspace-scan.js'

/** A place that was not looked at. */
export type UnseenPlace = NonNullable<ExecutionResult['unseen']>[number]

/** Of more places than these, the workspace as a whole is told. */
const MOST_PLACES = 100

/** True when nothing is known of a path: it was not looked at, or is in a folder that was not, at any depth. */
export function isUnseen({ folders, files }: Unseen, path: string): boolean {
  if (files.has(path)) return true
  if (folders.size === 0) return false
  for (let end = path.lastIndexOf('/'); end !== -1; end = path.lastIndexOf('/', end - 1))
    if (folders.has(path.slice(0, end + 1))) return true
  return folders.has('')
}

/** The places to tell of, sorted. */
export async function toPlaces(
  unseen: readonly ReadonlyMap<string, UnseenReason>[],
  turns: Turns,
): Promise<UnseenPlace[]> {
  const places = new Map<string, UnseenReason>()
  for (const [path, reason] of unseen.flatMap(shorten)) places.set(path.replace(/\/$/, '') || '.', reason)
  const [first] = places.values()
  if (places.size > MOST_PLACES && first !== undefined) return [{ path: '.', reason: first }]
  return sortByPath(
    [...places].map(([path, reason]) => ({ path, reason })),
    turns,
  )
}

/** No more than it takes to see that there are too many. */
function shorten(unseen: ReadonlyMap<string, UnseenReason>): [string, UnseenReason][] {
  const some: [string, UnseenReason][] = []
  for (const one of unseen) if (some.push(one) > MOST_PLACES) break
  return some
}
