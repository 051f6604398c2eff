// Ends what a program started, in its process group or out of it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** The variable by which the processes of one execution know each other, wherever they went. */
export const EXECUTION_MARKER = 'MENDLOOP_EXECUTION'

/** How long a process may take to die of SIGKILL before it counts as unreachable. */
const DEATH_DEADLINE_MS = 1_000
/** More processes than any machine starts in a millisecond: nearer to the highest id than that, ids may begin anew. */
const STARTS_A_MS = 20
const PID_MARGIN = 1_000

/** Whom to look for. */
export interface Descendants {
  /** Process id of the program; its group has the same. */
  readonly pid: number
  /** Value of {@link EXECUTION_MARKER}. */
  readonly execution: string
  /** How long the program ran. */
  readonly durationMs: number
  /** Folder whose processes without any marker are the program's too; left out while another execution uses it. */
  readonly folder: string | undefined
}

/** Sends `signal` to a whole process group; one that is gone is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // Nobody is left in it.
  }
}

/**
 * Kills the group and everything else that carries the marker, and waits until nothing of it is found any more.
 *
 * @returns false when something could not be ended
 */
export async function endDescendants(descendants: Descendants): Promise<boolean> {
  signalGroup(descendants.pid, 'SIGKILL')
  const deadline = performance.now() + DEATH_DEADLINE_MS
  for (let found = findDescendants(descendants); found.length > 0; found = findDescendants(descendants)) {
    for (const pid of found) killOne(pid)
    if (performance.now() > deadline) return false
    await delay(2)
  }
  return true
}

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone, or another user's by now: the next look tells.
  }
}

function findDescendants({ pid, execution, durationMs, folder }: Descendants): number[] {
  if (process.platform !== 'linux') return []
  const marker = `\0${EXECUTION_MARKER}=${execution}\0`
  const anyMarker = `\0${EXECUTION_MARKER}=`
  const wrapped = pid + PID_MARGIN + durationMs * STARTS_A_MS > highestPid()
  const found: number[] = []
  for (const name of readdirSync('/proc')) {
    const candidate = Number(name)
    // What a program starts gets a later number; the rest of the machine need not be read.
    if (!Number.isInteger(candidate) || candidate === process.pid || (!wrapped && candidate <= pid)) continue
    const environment = `\0${readQuietly(`/proc/${name}/environ`)}`
    if (environment.includes(marker)) found.push(candidate)
    else if (folder !== undefined && !environment.includes(anyMarker) && isStrayIn(folder, candidate))
      found.push(candidate)
  }
  return found
}

/** A process that works in `folder` without being one that this process started for itself. */
function isStrayIn(folder: string, pid: number): boolean {
  let directory: string
  try {
    directory = readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return false
  }
  if (directory !== folder && !directory.startsWith(`${folder}/`)) return false
  for (let ancestor = pid; ancestor > 1; ancestor = parentOf(ancestor))
    if (ancestor === process.pid) return false
  return process.pid !== 1
}

/** Parent of a process: second field after the command, which stands in brackets and may hold anything. */
function parentOf(pid: number): number {
  const stat = readQuietly(`/proc/${pid}/stat`)
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0)
}

let highest: number | undefined

const highestPid = (): number => {
  highest ??= Number(readQuietly('/proc/sys/kernel/pid_max')) || 32_768
  return highest
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
