// Which processes are on this machine, from /proc; empty where there is none.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** A process, told apart from a later one of the same id by when it started. */
interface ProcessEntry {
  readonly key: string
  readonly pid: number
  readonly parent: number
  readonly session: number
  readonly zombie: boolean
}

/** True where processes can be listed. */
export const canListProcesses = process.platform === 'linux'

/**
 * The processes that came after it was made, as the table of the system shows them. Nothing that a process says of itself
 * counts (variables, folder, name), since one that hides from the sandbox would hide from us in the same way.
 */
export class ProcessWatch {
  readonly #before: ReadonlySet<string>
  // New, but seen below a process that is neither ours nor takes in orphans: somebody else's.
  readonly #foreign = new Set<string>()

  constructor() {
    this.#before = new Set(listProcesses().map(({ key }) => key))
  }

  /** Looks whose the new processes are, as long as their parents live; to be called again and again. */
  look(): void {
    const table = new Map(listProcesses().map((entry) => [entry.pid, entry]))
    const above = new Set<number>()
    for (let at = table.get(process.pid); at !== undefined; at = table.get(at.parent)) above.add(at.pid)
    for (const entry of table.values())
      if (!this.#before.has(entry.key) && this.#isForeign(entry, table, above)) this.#foreign.add(entry.key)
  }

  /** How many processes still run that we, or what we ran, started: below us, or orphans. */
  survivors(): number {
    this.look()
    return this.#new().filter(
      ({ key, pid }) => !this.#foreign.has(key) && isOfThisUser(pid) && !isGuardian(pid),
    ).length
  }

  /** How many processes have `argument` as one of their arguments. */
  withArgument(argument: string): number {
    return this.#new().filter(({ pid }) => read(pid, 'cmdline').split('\0').includes(argument)).length
  }

  /** How many dead processes wait for us, or for the reaper of orphans. */
  zombies(): number {
    return listProcesses().filter(
      ({ key, zombie, parent }) =>
        zombie &&
        !this.#before.has(key) &&
        !this.#foreign.has(key) &&
        (parent === process.pid || parent === 1),
    ).length
  }

  #new(): readonly ProcessEntry[] {
    return listProcesses().filter(({ key, zombie }) => !zombie && !this.#before.has(key))
  }

  #isForeign(
    entry: ProcessEntry,
    table: ReadonlyMap<number, ProcessEntry>,
    above: ReadonlySet<number>,
  ): boolean {
    let top = entry
    let parent = table.get(top.parent)
    while (parent !== undefined && !this.#before.has(parent.key)) {
      top = parent
      parent = table.get(top.parent)
    }
    // Whoever takes in orphans is the first process, or one above us: its own children share its session.
    if (parent === undefined || parent.pid === process.pid || parent.pid === 1) return false
    return !above.has(parent.pid) || parent.session === top.session
  }
}

/** Every process that runs now. */
function listProcesses(): readonly ProcessEntry[] {
  if (!canListProcesses) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(Number(name), 'stat')
      if (stat === '') return []
      // The program's name may hold blanks and brackets; the fields after it do not.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const [state, parent, , session] = fields
      return [
        {
          key: `${name}@${fields[19]}`,
          pid: Number(name),
          parent: Number(parent),
          session: Number(session),
          zombie: state === 'Z',
        },
      ]
    })
}

/** Root's programs may have become anybody; another user's are that user's. */
function isOfThisUser(pid: number): boolean {
  const user = process.getuid?.() ?? 0
  return user === 0 || read(pid, 'status').includes(`\nUid:\t${user}\t`)
}

/** The sandbox's own guardian serves every run of this process, and is its child: no orphan can pass for it. */
function isGuardian(pid: number): boolean {
  const parent = / (\d+) /.exec(read(pid, 'stat').replace(/^.*\) \S/s, ''))?.[1]
  return Number(parent) === process.pid && read(pid, 'cmdline').split('\0')[3] === 'mendloop-guardian'
}

/**
 * The lowest of several counts, for only that many have stayed: a killed process takes a moment to vanish, and another one on
 * the machine may be seen in just that moment. Over as soon as the number is below `wanted`, or none.
 */
export async function settled(count: () => number, wanted: number, withinMs = 1_500): Promise<number> {
  const deadline = performance.now() + withinMs
  let lowest = count()
  while (lowest >= Math.max(wanted, 1) && performance.now() < deadline) {
    await delay(50)
    lowest = Math.min(lowest, count())
  }
  return lowest
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
