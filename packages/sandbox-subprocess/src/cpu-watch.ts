// Adds up the processor time of a program and what it has started: the kernel's own limit is one for each process, the
// signals of it may come from anybody, and a program that catches SIGXCPU dies of the same SIGKILL as any other.
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const LOOK_EVERY_MS = 100
/** Processors that a program is taken to use at once between two looks, at most. */
const MOST_PROCESSORS = 4
/** USER_HZ, which Linux has fixed at 100 for user space. */
const MS_A_TICK = 10

/** Watches one program. */
export interface CpuWatch {
  /** The most that it can have used by now, in milliseconds: what was seen, and all that was to be had since. */
  usedMs(): number
  /** Ends the watch. */
  stop(): void
}

/**
 * Watches the process `pid` and those that come from it. Where there is no /proc, only the time that has passed is known.
 *
 * @param onOver called when they have used more than `mostMs` together
 */
export function watchCpu(pid: number, mostMs: number, onOver: () => void): CpuWatch {
  const processors = Math.min(MOST_PROCESSORS, availableParallelism())
  let seenMs = 0
  let seenAt = performance.now()
  const look = (): void => {
    const cpuMs = cpuMsBelow(pid)
    if (cpuMs === 0) return
    seenMs = Math.max(seenMs, cpuMs)
    seenAt = performance.now()
    if (cpuMs > mostMs) onOver()
  }
  const timer = setInterval(look, LOOK_EVERY_MS).unref()
  return {
    usedMs: () => seenMs + (performance.now() - seenAt) * processors,
    stop: () => clearInterval(timer),
  }
}

/** Processor time so far of a process, of those that it has waited for, and of its living children. */
function cpuMsBelow(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // Fields 14 to 17, counted after the command in brackets (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return ticks * MS_A_TICK + childrenOf(pid).reduce((sum, child) => sum + cpuMsBelow(child), 0)
  } catch {
    // It has just ended.
    return 0
  }
}

function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`)
  const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1'))
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}
