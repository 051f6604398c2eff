// Long work in short turns: between them everybody else of this process has theirs.
import { setImmediate } from 'node:timers/promises'

/** Short enough that nobody notices, long enough that waiting costs next to nothing. */
const TURN_MS = 10
const CHUNK = 2048

/** The turns of one piece of work. */
export class Turns {
  #endMs = performance.now() + TURN_MS

  /** True when it is time to await {@link next}; cheap enough to be asked at each step. */
  get over(): boolean {
    return performance.now() >= this.#endMs
  }

  /** Lets the others have their turn. */
  async next(): Promise<void> {
    await setImmediate()
    this.#endMs = performance.now() + TURN_MS
  }
}

/** Something that has a path. */
interface Placed {
  readonly path: string
}

// By code unit, so that the order is the same on every machine.
const byPath = (a: Placed, b: Placed): number => (a.path < b.path ? -1 : 1)

/** Sorts by path, however many there are. */
export async function sortByPath<T extends Placed>(items: readonly T[], turns: Turns): Promise<T[]> {
  let lists: T[][] = []
  for (let start = 0; start < items.length; start += CHUNK) {
    lists.push(items.slice(start, start + CHUNK).sort(byPath))
    if (turns.over) await turns.next()
  }
  while (lists.length > 1) {
    const merged: T[][] = []
    for (let index = 0; index < lists.length; index += 2)
      merged.push(await merge(lists[index] ?? [], lists[index + 1] ?? [], turns))
    lists = merged
  }
  return lists[0] ?? []
}

async function merge<T extends Placed>(a: readonly T[], b: readonly T[], turns: Turns): Promise<T[]> {
  const merged: T[] = []
  let [nextA, nextB] = [0, 0]
  for (;;) {
    const [one, other] = [a[nextA], b[nextB]]
    const first = one === undefined || (other !== undefined && byPath(other, one) < 0) ? other : one
    if (first === undefined) return merged
    if (first === one) nextA++
    else nextB++
    merged.push(first)
    if (merged.length % CHUNK === 0 && turns.over) await turns.next()
  }
}
