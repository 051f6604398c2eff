// Where control groups can be made here. Memory and processes of a whole execution are bounded by nothing else.
import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { guard, unguard } from '../guardian.js'
import { errorCode } from '../system-error.js'

/** A kind of control. Of `cpu` nothing is bounded by the kernel: it counts what all processes have used, ended ones too. */
export type Control = 'memory' | 'pids' | 'cpu'

/** A folder in which groups can be made, and what they can bound. */
export interface Hierarchy {
  readonly version: 1 | 2
  readonly folder: string
  readonly controls: readonly Control[]
}

/** A mounted hierarchy, as /proc/self/mountinfo tells. */
export interface CgroupMount {
  readonly version: 1 | 2
  readonly mountPoint: string
  /** What of the hierarchy is mounted there. */
  readonly root: string
  /** Controllers of version 1, in the options of the file system. */
  readonly options: readonly string[]
}

let found: readonly Hierarchy[] | undefined

/** The hierarchies of this machine that this process may use; looked for once, and tried. */
export function usableHierarchies(): readonly Hierarchy[] {
  if (found !== undefined) return found
  found = process.platform === 'linux' ? findHierarchies().filter(isUsable) : []
  for (const { folder } of found) removeOrphans(folder)
  return found
}

/** A fresh name for a group of this process. Its number says nothing to hosts of another process namespace. */
export const freshGroupName = (): string =>
  `mendloop-${process.pid}-${processNamespace()}-${randomBytes(6).toString('hex')}`

/** Number of the namespace in which this process has its number; 0 where the system does not tell. */
function processNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0'
  } catch {
    return '0'
  }
}

/**
 * Removes the groups of hosts that are gone and whose guardian is too. The kernel keeps those that have processes. Of a
 * host in another process namespace, as in a container, nobody here can know whether it lives.
 *
 * @param folder - where this process makes its own
 */
export function removeOrphans(folder: string): void {
  const here = processNamespace()
  for (const name of foldersIn(folder)) {
    const [, pid, namespace] = /^mendloop-(\d+)-(\d+)-/.exec(name) ?? []
    if (namespace !== here || isAlive(Number(pid))) continue
    const group = join(folder, name)
    for (const place of foldersIn(group)) removeQuietly(join(group, place))
    removeQuietly(group)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? one.name : []))
  } catch {
    return []
  }
}

function removeQuietly(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Somebody is in it, or it is somebody else's.
  }
}

function findHierarchies(): Hierarchy[] {
  const mounts = cgroupMounts(readQuietly('/proc/self/mountinfo'))
  const own = readQuietly('/proc/self/cgroup')
  return mounts.flatMap((mount) => {
    const folder = ownFolder(mount, own)
    const controls = controlsOf(mount, folder)
    return controls.length === 0 ? [] : [{ version: mount.version, folder, controls }]
  })
}

/** `36 25 0:31 ROOT MOUNT-POINT rw - TYPE source OPTIONS`; proc_pid_mountinfo(5). */
export function cgroupMounts(mountinfo: string): CgroupMount[] {
  return mountinfo.split('\n').flatMap((line): CgroupMount[] => {
    const [before = '', after = ''] = line.split(' - ')
    const [, , , root = '/', mountPoint = ''] = before.split(' ')
    const [type, , options = ''] = after.split(' ')
    if (type !== 'cgroup' && type !== 'cgroup2') return []
    return [{ version: type === 'cgroup' ? 1 : 2, mountPoint, root, options: options.split(',') }]
  })
}

/** The folder of the group that this process is in. `4:memory:/a/b` for version 1, `0::/a/b` for 2; cgroups(7). */
function ownFolder({ version, mountPoint, root, options }: CgroupMount, own: string): string {
  const line = own.split('\n').find((one) => {
    const [number, names = ''] = one.split(':')
    return version === 2
      ? number === '0' && names === ''
      : names.split(',').some((name) => options.includes(name))
  })
  const path = line?.split(':').slice(2).join(':') ?? '/'
  // In a container the mount may begin where the path ends.
  const below = root !== '/' && path.startsWith(root) ? path.slice(root.length) : path
  const folder = join(mountPoint, below)
  return existsSync(folder) ? folder : mountPoint
}

function controlsOf({ version, options }: CgroupMount, folder: string): Control[] {
  const offered = version === 1 ? options : enabledBelow(folder)
  const controls: Control[] = (['memory', 'pids'] as const).filter((control) => offered.includes(control))
  // Version 2 counts in each group.
  if (version === 1 ? options.includes('cpuacct') : existsSync(join(folder, 'cgroup.procs')))
    controls.push('cpu')
  return controls
}

/**
 * Controls that groups made in `folder` have. They have to be passed on, which the system refuses where a group other
 * than the topmost has processes of its own.
 */
function enabledBelow(folder: string): string[] {
  const file = join(folder, 'cgroup.subtree_control')
  for (const control of ['memory', 'pids'])
    if (!words(file).includes(control) && words(join(folder, 'cgroup.controllers')).includes(control))
      writeQuietly(file, `+${control}`)
  return words(file)
}

const words = (file: string): string[] => readQuietly(file).trim().split(/\s+/)

/** Makes a group and removes it again. */
function isUsable({ folder }: Hierarchy): boolean {
  const trial = join(folder, freshGroupName())
  guard('cgroup', trial)
  try {
    accessSync(folder, constants.W_OK)
    mkdirSync(trial)
    rmdirSync(trial)
    return true
  } catch {
    return false
  } finally {
    unguard('cgroup', trial)
  }
}

/** Text of a file, or nothing. */
function readQuietly(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

function writeQuietly(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch {
    // It stays as it was, which the next look tells.
  }
}
