// Processes whose parent ended before them are collected by process 1, on some machines only every other second. Waiting
// for that makes "nothing is left behind" true at the moment our command ends.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const PATIENCE_MS = 3_000
const POLL_MS = 50

/** Resolves when no dead process of this user, younger than this one, waits to be collected; after three seconds at most. */
export async function orphansCollected() {
  if (process.platform !== 'linux') return
  const deadline = performance.now() + PATIENCE_MS
  while (performance.now() < deadline && deadOrphans().length > 0) await sleep(POLL_MS)
}

/** @returns {number[]} */
function deadOrphans() {
  const own = readStat(process.pid)
  const uid = process.getuid?.()
  if (own === undefined) return []
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      const stat = pid > 1 ? readStat(pid) : undefined
      return (
        stat?.state === 'Z' && stat.parent === 1 && stat.startedAt >= own.startedAt && ownerOf(pid) === uid
      )
    })
}

/**
 * @param {number} pid
 * @returns {{ state: string, parent: number, startedAt: number } | undefined}
 */
function readStat(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // pid (name, which may hold blanks and brackets) state ppid … starttime is field 22
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', parent: Number(fields[1]), startedAt: Number(fields[19]) }
  } catch {
    return undefined
  }
}

/** @param {number} pid */
function ownerOf(pid) {
  try {
    return statSync(`/proc/${pid}`).uid
  } catch {
    return undefined
  }
}
