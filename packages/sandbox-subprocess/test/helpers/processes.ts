// Looks at the processes of this machine, through /proc.
import { readdirSync, readFileSync } from 'node:fs'
import { onLinux } from '../../../core/test/helpers/requires.js'

/** True where {@link processesWithArgument} can see anything. */
export const seesProcesses = onLinux('what happens to processes')

/** Ids of live processes that were started with exactly this argument. */
export function processesWithArgument(argument: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && commandLine(pid).includes(argument))
}

function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

/** Waits until `condition` holds. @throws after `deadlineMs` */
export async function until(what: string, condition: () => boolean, deadlineMs = 10_000): Promise<void> {
  const deadline = performance.now() + deadlineMs
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Not within ${deadlineMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Ids of the live processes that this one has started and not yet taken leave of. */
export function childrenOfThisProcess(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && parentOf(pid) === process.pid)
}

/** Second field after the command, which stands in brackets; proc_pid_stat(5). */
function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}
