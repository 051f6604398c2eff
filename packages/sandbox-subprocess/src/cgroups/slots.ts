// Control groups of one sandbox: a few places, each for one execution at a time. The host makes them and opens their
// entrances; the runner's forks go in without ever having the right to.
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { EndEvidence } from '@mendloop/core/adapter'
import { guard, unguard } from '../guardian.js'
import { Cgroup, type CgroupCounts } from './cgroup.js'
import { type Control, type Hierarchy, usableHierarchies } from './hierarchy.js'

/** Executions side by side beyond that wait. */
export const SLOTS = 16
/** So many of them may stay as long as they like: the others are left to those that end. */
export const MOST_STAYING = 12
/** The kernel lets a group go a moment after its last process. */
const REMOVE_TRIES = 50
const REMOVE_EVERY_MS = 10

/** What is asked of a place besides its limits. */
export interface SlotUse {
  /** Processor time is to be known. Default: false. */
  readonly counts?: boolean
  /** It is for a process that ends when its owner likes, such as a session. Default: false. */
  readonly stays?: boolean
}

/** A place that one execution has. */
export interface Slot {
  /** As the runner knows it. */
  readonly index: number
  /** Processor time of all that has been in it since it was taken, in milliseconds; undefined where nobody counts it. */
  cpuMs(): number | undefined
  /** What the kernel did at its limits since it was taken. */
  evidence(): Pick<EndEvidence, 'oomKilled' | 'processesRefused'>
  release(): void
}

interface Place {
  readonly groups: readonly Cgroup[]
  /** Those of `groups`, in their order. */
  readonly entrances: readonly number[]
  /** What the kernel had done in it when its last execution was over. */
  seen: CgroupCounts
}

/** The places of one sandbox. */
export class CgroupSlots {
  /** What they bound. */
  readonly controls: ReadonlySet<Control>
  readonly #places: readonly Place[]
  readonly #tops: readonly Cgroup[]
  readonly #free: number[]
  /** How many are taken by those that stay. */
  #staying = 0
  /** Who waits for a free one, in order, each with whether it stays. */
  readonly #waiting = new Map<() => void, boolean>()

  private constructor(tops: readonly Cgroup[], places: readonly Place[], controls: ReadonlySet<Control>) {
    this.#tops = tops
    this.#places = places
    this.controls = controls
    this.#free = places.map((_, index) => index).reverse()
  }

  /** Makes them, or gives undefined where this process may not. */
  static open(name: string): CgroupSlots | undefined {
    const hierarchies = usableHierarchies()
    if (hierarchies.length === 0) return undefined
    const tops: Cgroup[] = []
    const places: { groups: Cgroup[]; entrances: number[]; seen: CgroupCounts }[] = []
    try {
      for (const hierarchy of hierarchies) {
        const top = makeTop(hierarchy, name)
        tops.push(top)
        if (hierarchy.version === 2) top.passOn()
      }
      for (let index = 0; index < SLOTS; index++) {
        const place = {
          groups: [] as Cgroup[],
          entrances: [] as number[],
          seen: { oomKills: 0, refusedForks: 0 },
        }
        places.push(place)
        for (const hierarchy of hierarchies) {
          const group = new Cgroup(hierarchy, `${name}/${index}`)
          place.groups.push(group)
          place.entrances.push(group.openEntrance())
        }
      }
      const controls = new Set(hierarchies.flatMap((one) => one.controls))
      return new CgroupSlots(tops, places, controls)
    } catch {
      for (const place of places) {
        for (const one of place.entrances) closeSync(one)
        for (const group of place.groups) group.remove()
      }
      for (const top of tops) letGo(top)
      return undefined
    }
  }

  /**
   * Open descriptors of the entrances, by place: first without the groups that only count, since each costs time, and then
   * with them.
   */
  get entrances(): readonly (readonly number[])[] {
    const all = this.#places.map(({ entrances }) => entrances)
    const bounding = this.#places.map(({ groups, entrances }) =>
      entrances.filter((_, index) => groups[index]?.onlyCounts === false),
    )
    return [...bounding, ...all]
  }

  /** True when the next one need not wait. @param stays - see {@link SlotUse} */
  hasFree(stays = false): boolean {
    return this.#free.length > 0 && !(stays && this.isFullOfStaying)
  }

  /** True when none more is had for who stays, however many are free. */
  get isFullOfStaying(): boolean {
    return this.#staying >= MOST_STAYING
  }

  /**
   * Calls back once a place is free and all of its kind that waited before have had theirs; it is to be taken there and
   * then.
   *
   * @returns a function that gives up waiting
   */
  whenFree(use: () => void, stays = false): () => void {
    this.#waiting.set(use, stays)
    return () => void this.#waiting.delete(use)
  }

  /** Takes a free place for an execution with these limits. @throws Error when none is, or the kernel refuses them */
  take(
    limits: { memoryBytes: number; processes: number },
    { counts = false, stays = false }: SlotUse = {},
  ): Slot {
    const index = this.hasFree(stays) ? this.#free.pop() : undefined
    const place = index === undefined ? undefined : this.#places[index]
    if (index === undefined || place === undefined) throw new Error('no place is free')
    if (stays) this.#staying++
    const release = (): void => {
      if (stays) this.#staying--
      this.#free.push(index)
      this.#callNext()
    }
    try {
      for (const group of place.groups) group.limit(limits)
    } catch (error) {
      release()
      throw error
    }
    const before = place.seen
    const cpuMs = (): number => place.groups.reduce((sum, group) => sum + group.cpuMs(), 0)
    const cpuMsBefore = counts && this.controls.has('cpu') ? cpuMs() : undefined
    return {
      index: counts ? index + SLOTS : index,
      release,
      cpuMs: () => (cpuMsBefore === undefined ? undefined : cpuMs() - cpuMsBefore),
      evidence: () => {
        const now = total(place.groups)
        place.seen = now
        return {
          oomKilled: now.oomKills > before.oomKills,
          processesRefused: now.refusedForks > before.refusedForks,
        }
      },
    }
  }

  #callNext(): void {
    for (const [next, stays] of this.#waiting) {
      if (!this.hasFree(stays)) continue
      this.#waiting.delete(next)
      next()
      return
    }
  }

  /** Removes them; every process is gone by then. */
  async close(): Promise<void> {
    for (const { entrances } of this.#places) for (const one of entrances) closeSync(one)
    const groups = this.#places.flatMap((place) => place.groups)
    for (let tries = 0; tries < REMOVE_TRIES; tries++) {
      const gone = groups.map((group) => group.remove())
      if (gone.every(Boolean)) break
      await delay(REMOVE_EVERY_MS)
    }
    for (const top of this.#tops) letGo(top)
  }
}

/** The guardian knows of it before it exists. */
function makeTop(hierarchy: Hierarchy, name: string): Cgroup {
  const folder = join(hierarchy.folder, name)
  guard('cgroup', folder)
  try {
    return new Cgroup(hierarchy, name)
  } catch (error) {
    unguard('cgroup', folder)
    throw error
  }
}

/** What is not gone by now is left to the guardian. */
function letGo(top: Cgroup): void {
  if (top.remove()) unguard('cgroup', top.folder)
}

const total = (groups: readonly Cgroup[]): CgroupCounts =>
  groups
    .map((group) => group.counts())
    .reduce((one, other) => ({
      oomKills: one.oomKills + other.oomKills,
      refusedForks: one.refusedForks + other.refusedForks,
    }))
