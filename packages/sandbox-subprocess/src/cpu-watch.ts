// Notices that a program has used up its processor time: the signals that say so may come from anybody, and a program
// that catches SIGXCPU dies of the same SIGKILL as any other.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const LOOK_EVERY_MS = 100
/** Processors that a program is taken to use at once between two looks, at most. */
const MOST_PROCESSORS = 4
/** USER_HZ, which Linux has fixed at 100 for user space. */
const MS_A_TICK = 10

/** Watches one process. */
export interface CpuWatch {
  /** The most that it can have used by now, in milliseconds: what was seen, and all that was to be had since. */
  usedMs(): number
  /** Ends the watch. */
  stop(): void
}

/** Watches `pid`. Where there is no /proc, only the time that has passed is known. */
export function watchCpu(pid: number): CpuWatch {
  const processors = Math.min(MOST_PROCESSORS, availableParallelism())
  let seenMs = 0
  let seenAt = performance.now()
  const look = (): void => {
    const cpuMs = cpuMsOf(pid)
    if (cpuMs === undefined) return
    seenMs = Math.max(seenMs, cpuMs)
    seenAt = performance.now()
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  return {
    usedMs: () => seenMs + (performance.now() - seenAt) * processors,
    stop: () => clearInterval(timer),
  }
}

/** Processor time so far: fields 14 and 15, counted after the command in brackets (proc(5)). */
function cpuMsOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * MS_A_TICK
  } catch {
    return undefined
  }
}
