// Ends what a lost runner could not: the walls of `landlock` stand for as long as a program does, but nobody is left in
// them who would end it.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Owner } from '../open-within.js'

const DEADLINE_MS = 1_000
const LOOK_AGAIN_MS = 5

/**
 * Kills every process of a user that only one sandbox has.
 *
 * @returns false when some could not be ended in time
 */
export async function endProcessesOf({ uid }: Owner): Promise<boolean> {
  const deadline = performance.now() + DEADLINE_MS
  for (;;) {
    const left = processesOf(uid)
    if (left.length === 0) return true
    if (performance.now() > deadline) return false
    for (const pid of left) kill(pid)
    await delay(LOOK_AGAIN_MS)
  }
}

function processesOf(uid: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && userOf(pid) === uid && !isDead(pid))
}

function userOf(pid: number): number | undefined {
  try {
    return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid
  } catch {
    return undefined
  }
}

/** Nobody has taken note of its end yet. The state follows the command, which stands in brackets; proc_pid_stat(5). */
function isDead(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return true
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It was gone.
  }
}
