// Ends what a program started, in its process group or out of it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as delay, setImmediate } from 'node:timers/promises'

/** The variable by which the processes of one execution know each other, wherever they went. */
export const EXECUTION_MARKER = 'MENDLOOP_EXECUTION'

/** How long the search may take, also while new ones are started: after it, what is left counts as unreachable. */
const SEARCH_DEADLINE_MS = 800
/** After this many processes the event loop gets a turn. */
const PROCESSES_A_TURN = 100
/** More processes than any machine starts in a millisecond: nearer to the highest id than that, ids may begin anew. */
const STARTS_A_MS = 20
const PID_MARGIN = 1_000

/** Whom to look for. */
export interface Descendants {
  /** Value of {@link EXECUTION_MARKER}, or what it begins with when it ends in a dot. */
  readonly execution: string
  /** Only processes with a higher id are looked at, as long as ids cannot have begun anew; 0 looks at all. */
  readonly abovePid: number
  /** Time since that id was given out. */
  readonly elapsedMs: number
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
 * Kills everything that carries the marker or works in the folder, until nothing of it is found any more.
 *
 * @returns false when something could not be ended in time
 */
export async function endDescendants(descendants: Descendants): Promise<boolean> {
  if (process.platform !== 'linux') return true
  const deadline = performance.now() + SEARCH_DEADLINE_MS
  for (;;) {
    if (!(await killFound(descendants, deadline))) return true
    if (performance.now() > deadline) return false
    await delay(2)
  }
}

/** One look at all processes. @returns true when any was found, or the time was over before all were looked at */
async function killFound(descendants: Descendants, deadline: number): Promise<boolean> {
  const { abovePid, elapsedMs } = descendants
  const wrapped = abovePid + PID_MARGIN + elapsedMs * STARTS_A_MS > highestPid()
  let found = false
  let looked = 0
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    // What a program starts gets a later number; the rest of the machine need not be read.
    if (!Number.isInteger(pid) || pid === process.pid || (!wrapped && pid <= abovePid)) continue
    // At once, not after the look: it may be about to start the next one.
    if (belongs(pid, descendants)) {
      killOne(pid)
      found = true
    }
    if (++looked % PROCESSES_A_TURN !== 0) continue
    await setImmediate()
    if (performance.now() > deadline) return true
  }
  return found
}

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone, or another user's by now: the next look tells.
  }
}

function belongs(pid: number, { execution, folder }: Descendants): boolean {
  const environment = `\0${readQuietly(`/proc/${pid}/environ`)}`
  const end = execution.endsWith('.') ? '' : '\0'
  if (environment.includes(`\0${EXECUTION_MARKER}=${execution}${end}`)) return true
  return folder !== undefined && !environment.includes(`\0${EXECUTION_MARKER}=`) && isStrayIn(folder, pid)
}

/** A process that works in `folder` without being one that this process started for itself. */
function isStrayIn(folder: string, pid: number): boolean {
  let directory: string
  try {
    directory = readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return false
  }
  // A removed folder is told as `/path (deleted)`.
  if (directory !== folder && !directory.startsWith(`${folder}/`) && !directory.startsWith(`${folder} `))
    return false
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
