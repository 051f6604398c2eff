// A mount namespace that outlives the runner in it: what is mounted there is seen by nobody else, and a runner that was
// lost can be replaced without the workspace being lost with it.
import { type ChildProcess, spawn } from 'node:child_process'
import { startTimer } from '@mendloop/core/adapter'
import { coverInheritedDescriptors } from '../inherited-descriptors.js'
import { findTool, isRoot } from './machine.js'

const READY_DEADLINE_MS = 10_000
const MOST_COMPLAINT_BYTES = 2_000

/** A mount namespace that is held open. */
export interface MountRoom {
  /** Starts of command lines: what follows runs in the room, as root of it. */
  readonly enter: readonly string[]
  /** Address of a path of the room for this process; good as long as the room is open. */
  address(path: string): string
  /** Resolves when it is there no longer, whoever ended it. */
  readonly gone: Promise<void>
  /** Gives it up and waits until the process that held it has ended; its mounts go with the last process in it. */
  close(): Promise<void>
}

/** The room's program: mounts, says so, and waits for the host's end. */
const roomScript = (orders: readonly string[]): string =>
  ['set -e', 'umask 022', 'cd /', ...orders, 'echo ready', 'while read -r _; do :; done'].join('\n')

/**
 * Opens a room and gives the orders in it: shell commands, run by root; an ordinary user is root in a user namespace of
 * its own, where it may mount as well.
 *
 * @param within - a room whose mounts are to be seen in it
 * @throws Error with the complaint of the tool or order that failed
 */
export async function openMountRoom(orders: readonly string[], within?: MountRoom): Promise<MountRoom> {
  const asRoot = isRoot()
  const [file = '', ...enter] = [...(within?.enter ?? []), required('unshare')]
  const holder = spawn(
    file,
    [
      ...enter,
      ...(asRoot ? [] : ['--user', '--map-root-user']),
      ...['--mount', '--propagation', 'private', '--', '/bin/sh', '-c', roomScript(orders), 'mendloop-room'],
    ],
    {
      cwd: '/',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', ...coverInheritedDescriptors()],
    },
  )
  holder.stdin?.on('error', () => undefined)
  const gone = new Promise<void>((resolve) => holder.once('exit', () => resolve()))
  const { pid } = await ready(holder)
  letGo(holder)
  const namespaces = asRoot
    ? [`--mount=/proc/${pid}/ns/mnt`]
    : [`--user=/proc/${pid}/ns/user`, `--mount=/proc/${pid}/ns/mnt`, '--preserve-credentials']
  return {
    enter: [required('nsenter'), ...namespaces, '--'],
    gone,
    address: (path) => `/proc/${pid}/root${path}`,
    close: () => {
      holder.ref()
      holder.stdin?.destroy()
      holder.kill('SIGKILL')
      return gone
    },
  }
}

function required(tool: string): string {
  const found = findTool(tool)
  if (found === undefined) throw new Error(`there is no "${tool}" here (apt install util-linux)`)
  return found
}

function ready(holder: ChildProcess): Promise<{ pid: number }> {
  return new Promise((resolve, reject) => {
    let complaint = ''
    const fail = (reason: string): void => {
      cancel()
      holder.kill('SIGKILL')
      reject(new Error(complaint.trim() || reason))
    }
    const cancel = startTimer(READY_DEADLINE_MS, () => fail('the mounts were not made in time'))
    holder.stderr?.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(0, MOST_COMPLAINT_BYTES)
    })
    holder.once('error', (error) => fail(error.message))
    holder.once('close', (code) => fail(`it ended with exit code ${code}`))
    holder.stdout?.once('data', () => {
      cancel()
      holder.removeAllListeners('close')
      resolve({ pid: holder.pid ?? 0 })
    })
  })
}

/** It never keeps the host alive. */
function letGo(holder: ChildProcess): void {
  holder.unref()
  for (const stream of [holder.stdin, holder.stdout, holder.stderr]) {
    stream?.on('error', () => undefined)
    if (stream !== null && 'unref' in stream && typeof stream.unref === 'function') stream.unref()
  }
}
