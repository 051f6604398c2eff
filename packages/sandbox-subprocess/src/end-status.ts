// How a child process ended, where Node does not say: it names no real-time signal, and gives exit code 0 for one.
import { readFileSync } from 'node:fs'

/** Field of `/proc/PID/stat` after the command, from 0: the status as `wait` would give it. */
const STATUS_FIELD = 49
const SIGNAL_BITS = 0x7f
/** Linux: names are known of those below. */
const FIRST_UNNAMED = 32

/**
 * The name of the signal, such as `SIG37`, by which a process ends that has no other name for it; to be asked when its
 * pipes have ended and it has not been waited for. Undefined for any other end, and where the system does not tell.
 */
export function unnamedSignal(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  // The command stands in brackets and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const signal = Number(fields[STATUS_FIELD]) & SIGNAL_BITS
  return signal >= FIRST_UNNAMED && signal < SIGNAL_BITS ? `SIG${signal}` : undefined
}
