// A small process that cleans up when this one dies, however it dies: nothing here runs after a SIGKILL.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { GUARDIAN_SCRIPT } from './guardian-script.js'
import { coverInheritedDescriptors } from './inherited-descriptors.js'

/** The variable that names the host of a process. */
export const HOST_MARKER = 'MENDLOOP_HOST'

/** Unique to this process (and to this copy of the package in it). */
export const hostId: string = randomBytes(12).toString('hex')

type Guarded = 'dir' | 'group' | 'cgroup'

const guarded: Record<Guarded, Set<string>> = { dir: new Set(), group: new Set(), cgroup: new Set() }
let guardian: ChildProcess | undefined

/** Starts the guardian unless it runs. One serves every sandbox of this process; it never keeps the process alive. */
export function ensureGuardian(): void {
  if (guardian !== undefined || process.platform === 'win32') return
  const child = startGuardian()
  if (child === undefined) return
  const forget = (): void => {
    // Whoever killed it: the next sandbox or program starts another, which is told everything again.
    if (guardian === child) guardian = undefined
  }
  child.on('error', forget).on('exit', forget).unref()
  child.stdin?.on('error', forget)
  // The pipe is a socket in Node; without this it would keep the event loop running.
  if (child.stdin !== null && 'unref' in child.stdin && typeof child.stdin.unref === 'function')
    child.stdin.unref()
  guardian = child
  for (const kind of ['dir', 'group', 'cgroup'] as const)
    for (const value of guarded[kind]) tell(`+${kind} ${value}`)
}

function startGuardian(): ChildProcess | undefined {
  try {
    return spawn('/bin/sh', ['-c', GUARDIAN_SCRIPT, 'mendloop-guardian', `${HOST_MARKER}=${hostId}`], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      // A session of its own: what kills the host's process group must not kill the guardian.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore', ...coverInheritedDescriptors()],
    })
  } catch {
    // Too many processes or open files for now: the next program tries again.
    return undefined
  }
}

/** Puts a folder, a process group or a control group under the guardian's care. */
export function guard(kind: Guarded, value: string): void {
  guarded[kind].add(value)
  tell(`+${kind} ${value}`)
}

/** Takes it out again, once it is gone. */
export function unguard(kind: Guarded, value: string): void {
  if (guarded[kind].delete(value)) tell(`-${kind} ${value}`)
}

function tell(order: string): void {
  if (guardian?.stdin?.writable) guardian.stdin.write(`${order}\n`)
}
