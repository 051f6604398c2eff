// Notices that a program has used up its processor time, for programs that catch SIGXCPU and die of the SIGKILL after it.
import { readFileSync } from 'node:fs'

const LOOK_EVERY_MS = 100
/** What a program may use between two looks, times the processors it may use at once: half a second is on the safe side. */
const TOLERANCE_MS = 500
/** USER_HZ, which Linux has fixed at 100 for user space. */
const MS_A_TICK = 10

/** Watches one process. */
export interface CpuWatch {
  /** True when it was seen at its limit. */
  reached(): boolean
  /** Ends the watch. */
  stop(): void
}

/** Watches `pid` until it has used `limitMs`. Linux only; elsewhere nothing is ever reached. */
export function watchCpu(pid: number, limitMs: number): CpuWatch {
  let usedMs = 0
  const look = (): void => {
    usedMs = Math.max(usedMs, cpuMsOf(pid))
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  return { reached: () => usedMs >= limitMs - TOLERANCE_MS, stop: () => clearInterval(timer) }
}

/** Processor time so far: fields 14 and 15, counted after the command in brackets (proc(5)). */
function cpuMsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * MS_A_TICK
  } catch {
    return 0
  }
}
