// What speaks for a worker's having been killed for want of memory (the kernel sends anybody's SIGKILL then), and how
// much processor time it used.
import { readFileSync } from 'node:fs'

const SAMPLE_MS = 10
/** USER_HZ, which Linux has fixed at 100 for user space. */
const MS_A_TICK = 10
/** Of the control group's counters, those of its first and of its second version. */
const COUNTERS = [
  ['memory', '/sys/fs/cgroup/memory', 'memory.oom_control'],
  ['', '/sys/fs/cgroup', 'memory.events'],
]

/** How often the kernel has ended a process of this control group for want of memory; undefined where nobody says. */
export function oomKills() {
  const groups = read('/proc/self/cgroup')
    .split('\n')
    .map((line) => /^\d+:([^:]*):(.*)$/.exec(line))
    .filter(Boolean)
  for (const [control, mount, file] of COUNTERS)
    for (const [, controls, path] of groups) {
      if (!controls.split(',').includes(control)) continue
      // In a container the mount itself is the group.
      for (const folder of [mount + path, mount]) {
        const count = /^oom_kill (\d+)$/m.exec(read(`${folder}/${file}`))?.[1]
        if (count !== undefined) return Number(count)
      }
    }
  return undefined
}

/** Processor time of all children that have ended, in milliseconds; undefined where nobody says. */
export function childrenCpuMs() {
  const stat = read('/proc/self/stat')
  // Fields 16 and 17, counted after the command in brackets (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.length < 15 ? undefined : (Number(fields[13]) + Number(fields[14])) * MS_A_TICK
}

/** Watches one cell in the process `pid`. */
export function watchCell(pid) {
  const kills = oomKills()
  const cpuBefore = childrenCpuMs()
  let resident = 0
  const look = () => {
    // One that has just ended has none.
    resident = Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? resident / 1024) * 1024
  }
  const timer = kills === undefined ? setInterval(look, SAMPLE_MS).unref() : undefined
  return {
    stop: () => clearInterval(timer),
    /** What is told of it with the end of its worker. */
    found: () => ({
      ...(kills === undefined ? { residentBytes: resident } : { outOfMemory: (oomKills() ?? kills) > kills }),
      ...(cpuBefore !== undefined && { cpuMs: Math.max(0, childrenCpuMs() - cpuBefore) }),
    }),
  }
}

function read(path) {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
