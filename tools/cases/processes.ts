// Which processes are on this machine, from /proc; empty where there is none.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** A process, told apart from a later one of the same id by when it started. */
interface ProcessEntry {
  readonly key: string
  readonly pid: number
  readonly parent: number
  readonly zombie: boolean
}

/** True where processes can be listed. */
export const canListProcesses = process.platform === 'linux'

/** Every process that runs now. */
export function listProcesses(): readonly ProcessEntry[] {
  if (!canListProcesses) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(name, 'stat')
      // The program's name may hold blanks and brackets; the fields after it do not.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (stat === '') return []
      const [state, parent] = fields
      return [
        { key: `${name}@${fields[19]}`, pid: Number(name), parent: Number(parent), zombie: state === 'Z' },
      ]
    })
}

/** How many processes that were not there `before` have `argument` as one of their arguments. */
export function countWithArgument(argument: string, before: ReadonlySet<string>): number {
  return newSince(before).filter(({ pid }) => read(String(pid), 'cmdline').split('\0').includes(argument))
    .length
}

/** How many processes that were not there `before` carry `marker` among their variables. */
export function countWithVariable(marker: string, before: ReadonlySet<string>): number {
  return newSince(before).filter(({ pid }) => read(String(pid), 'environ').split('\0').includes(marker))
    .length
}

/** How many dead processes that were not there `before` wait for us, or for the reaper of orphans. */
export function countZombies(before: ReadonlySet<string>): number {
  return listProcesses().filter(
    ({ key, zombie, parent }) => zombie && !before.has(key) && (parent === process.pid || parent === 1),
  ).length
}

/** Counts again until the number is low enough, since a killed process takes a moment to vanish. */
export async function settled(count: () => number, wanted: number, withinMs = 1_500): Promise<number> {
  const deadline = performance.now() + withinMs
  let current = count()
  while (current > wanted && performance.now() < deadline) {
    await delay(50)
    current = count()
  }
  return current
}

function newSince(before: ReadonlySet<string>): readonly ProcessEntry[] {
  return listProcesses().filter(({ key, zombie }) => !zombie && !before.has(key))
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
