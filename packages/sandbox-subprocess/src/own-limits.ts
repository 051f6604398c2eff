// Limits that this process has of the system, and programs with it.
import { readFileSync } from 'node:fs'

/** A line of /proc/self/limits without its first word. */
export type OwnLimit = 'open files' | 'stack size'

/** The limit that applies to this process; Infinity where there is none, or none is told. */
export function ownLimit(name: OwnLimit): number {
  try {
    const found = new RegExp(`^Max ${name}\\s+(\\d+)`, 'm').exec(readFileSync('/proc/self/limits', 'latin1'))
    return Number(found?.[1] ?? Number.POSITIVE_INFINITY)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
