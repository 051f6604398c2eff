// Whether all names of a file are in its workspace. A name outside means that the file may be somebody else's, brought in
// by a hard link: then it is not read.
import { type BigIntStats, fstatSync, lstatSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Address } from './file-name.js'
import { scanWorkspace } from './workspace-scan.js'

/** File times advance with the kernel's tick, of 10 ms at most. */
const CLOCK_TICK_MS = 20
/** A file whose names change all the time is given up. */
const MOST_LOOKS = 3
/** A folder that was moved in brings names along which no earlier look has found. */
const NOT_FOUND_FOR_MS = 1_000

/** A look at the whole workspace: how many names each file that has several has there. */
interface Look {
  readonly startedMs: number
  readonly names: ReadonlyMap<string, ReadonlySet<string>>
}

/** The files of one workspace that have several names. */
export class SecondNames {
  readonly #root: string
  #last: Look | undefined
  #underWay: Promise<Look> | undefined

  constructor(root: string) {
    this.#root = root
  }

  /**
   * True when every name of an open file is in the workspace. Looks through all of it, unless the last look still holds.
   *
   * A name that is moved while it is looked for might be counted twice. But what makes, moves or removes a name sets the
   * time of the file's last change: only a look during which, and a tick before which, that did not change counts.
   */
  async areWithin(descriptor: number): Promise<boolean> {
    for (let looks = 0; looks <= MOST_LOOKS; looks++) {
      const stats = fstatSync(descriptor, { bigint: true })
      // The name by which it was opened has gone: the one that is left may be anywhere.
      if (stats.nlink < 2n) return false
      const verdict = this.#last && verdictOf(this.#last, stats)
      if (verdict !== undefined) return verdict
      const restMs = Number(stats.ctimeMs) + CLOCK_TICK_MS + 1 - Date.now()
      if (restMs > 0) await pause(Math.min(restMs, CLOCK_TICK_MS + 1))
      this.#underWay ??= look(this.#root).finally(() => {
        this.#underWay = undefined
      })
      this.#last = await this.#underWay
    }
    return false
  }
}

/** Undefined when the look does not say: the file has changed since it began, or too short a time before. */
function verdictOf({ startedMs, names }: Look, stats: BigIntStats): boolean | undefined {
  if (Number(stats.ctimeMs) >= startedMs - CLOCK_TICK_MS) return undefined
  const found = names.get(identityOf(stats))?.size ?? 0
  if (BigInt(found) === stats.nlink) return true
  return Date.now() - startedMs > NOT_FOUND_FOR_MS ? undefined : false
}

async function look(root: string): Promise<Look> {
  const startedMs = Date.now()
  const names = new Map<string, Set<string>>()
  const onFile = (path: string, _: unknown, address: Address): void => {
    const stats = statsOf(address)
    if (stats === undefined || !stats.isFile() || stats.nlink < 2n) return
    const folder = statsOf(folderOf(address))
    if (folder === undefined) return
    // By the folder itself: one that is moved meanwhile is met twice.
    const name = `${identityOf(folder)}/${path.slice(path.lastIndexOf('/') + 1)}`
    const known = names.get(identityOf(stats))
    if (known === undefined) names.set(identityOf(stats), new Set([name]))
    else known.add(name)
  }
  await scanWorkspace(root, { mostEntries: Number.POSITIVE_INFINITY, onFile })
  return { startedMs, names }
}

const identityOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`

/** The folder of an address, addressed so that an open one is not taken for the link that its address is. */
function folderOf(address: Address): Address {
  if (typeof address === 'string') return `${address.slice(0, address.lastIndexOf('/'))}/.`
  return Buffer.concat([address.subarray(0, address.lastIndexOf('/')), Buffer.from('/.')])
}

function statsOf(address: Address): BigIntStats | undefined {
  try {
    return lstatSync(address, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
