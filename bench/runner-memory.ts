// runner.privateBytes: memory that an idle runner without libraries holds for itself.
import { readdirSync, readFileSync } from 'node:fs'
import type { Benchmark } from './figure.js'
import { realPython } from './measure.js'
import { inTier } from './tier.js'

/** Bubblewrap and the runner behind it. */
export const runnerMemory: Benchmark = {
  name: 'runner.privateBytes',
  unit: 'bytes',
  target: 6 * 1024 * 1024,
  fail: 10 * 1024 * 1024,
  async measure() {
    if (realPython() === undefined) return { skipped: 'python3 is not installed' }
    if (process.platform !== 'linux') return { skipped: 'memory is told by /proc, which is not here' }
    const before = new Set(descendants())
    return await inTier('namespaces', {}, async (sandbox) => {
      // Until then it may not have been started. No Python program: with the first one come the hooks of whatever
      // packages are installed here, which are libraries.
      await sandbox.exec(['/bin/true'])
      const started = descendants().filter((pid) => !before.has(pid))
      const sizes = started.map(privateBytes)
      if (started.length === 0) return { skipped: 'the runner is not among the descendants of this process' }
      if (sizes.includes(undefined)) return { skipped: 'only root may look at the memory of a runner' }
      return { value: sizes.reduce<number>((sum, size = 0) => sum + size, 0), baseline: null, samples: 1 }
    })
  },
}

/** Processes below this one. */
function descendants(): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? textOf(`/proc/${name}/stat`) : undefined
    // The parent is the second field after the command in brackets (proc(5)).
    if (stat) parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === process.pid || isBelow(parents.get(pid)))
  return [...parents.keys()].filter((pid) => pid !== process.pid && isBelow(pid))
}

function privateBytes(pid: number): number | undefined {
  const rollup = textOf(`/proc/${pid}/smaps_rollup`)
  if (rollup === undefined) return undefined
  // Clean pages are those of its files, which are in memory once for all and counted here only while no other Python runs.
  return Number(/^Private_Dirty: +(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1024
}

/** Undefined for what may not be read; empty for a process that has ended meanwhile. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'ENOENT' || code === 'ESRCH' ? '' : undefined
  }
}
