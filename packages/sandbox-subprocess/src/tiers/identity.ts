// The user id that a sandbox's programs run as. Root's own is never given to them: neither RLIMIT_NPROC nor file modes
// bound it.
import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { hasCapabilities, isRoot } from './machine.js'

/** User and group of one sandbox. */
export interface Identity {
  readonly uid: number
  readonly gid: number
}

/** Above the ids of people, of services and of what useradd gives to containers. */
const FIRST_UID = 2_000_000_000
const UIDS = 100_000_000
/** How many of the last mapped ids are used where the map ends below {@link FIRST_UID}. */
const UIDS_OF_SMALL_MAP = 10_000
const MOST_TRIES = 100

const taken = new Set<number>()

/**
 * A user id that nobody else has, for one sandbox, or undefined when the sandbox keeps the caller's: an ordinary user
 * cannot change it, and root without CAP_SETUID neither.
 */
export function takeIdentity(): Identity | undefined {
  if (!isRoot() || !hasCapabilities('setuid', 'setgid', 'chown')) return undefined
  const range = mappedRange()
  if (range === undefined) return undefined
  const inUse = usersOfProcesses()
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const uid = randomInt(range.first, range.first + range.count)
    if (taken.has(uid) || inUse.has(uid)) continue
    taken.add(uid)
    return { uid, gid: uid }
  }
  return undefined
}

/** Gives it back, once nothing runs as it any more. */
export function returnIdentity(identity: Identity | undefined): void {
  if (identity !== undefined) taken.delete(identity.uid)
}

/** Ids that exist here as users and as groups; in a container with a map of its own there may be few. */
function mappedRange(): { first: number; count: number } | undefined {
  const last = Math.min(lastMapped('uid_map'), lastMapped('gid_map'))
  if (last >= FIRST_UID + UIDS) return { first: FIRST_UID, count: UIDS }
  // An id below is somebody's: 65534 is everybody's nobody.
  const first = Math.max(last - UIDS_OF_SMALL_MAP, 1_000)
  return last > first ? { first, count: last - first } : undefined
}

/** The last id of the map's longest line: `inside outside count` (user_namespaces(7)). */
function lastMapped(map: string): number {
  const lines = readFileSync(`/proc/self/${map}`, 'latin1').trim().split('\n')
  const ranges = lines.map((line) => line.trim().split(/\s+/).map(Number))
  const longest = ranges.reduce((one, other) => ((other[2] ?? 0) > (one[2] ?? 0) ? other : one), [0, 0, 0])
  return (longest[0] ?? 0) + (longest[2] ?? 0) - 1
}

function usersOfProcesses(): Set<number> {
  const users = new Set<number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stats = statSync(`/proc/${name}`, { throwIfNoEntry: false })
    if (stats !== undefined) users.add(stats.uid)
  }
  return users
}
