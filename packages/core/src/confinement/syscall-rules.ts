// Which arguments a system call may have, as data: the filter in the kernel's own code and the profile for container
// engines are both made from it.
import type { SyscallGroup } from './syscalls.js'

/** For whom a filter is. */
export interface SyscallPolicy {
  /**
   * `strict`: for programs. `runner`: for the fork runner, which makes the namespaces, mounts and limits of each
   * execution before the strict filter goes on.
   */
  readonly variant: 'strict' | 'runner'
  /**
   * True where the network is that of the program's own namespace, or may be used. False denies `socket()` wholly, which
   * is the only wall between a program and the host's network and named sockets where there is no such namespace.
   */
  readonly inet: boolean
  /**
   * True where the program has mount and IPC namespaces of its own. Without them, System V and POSIX IPC are those of
   * every process of this user and outlive the program, and Landlock does not govern owners, extended attributes and
   * watching (inotify) of files outside; all of these are left out then.
   *
   * Modes and times of files by name stay, which Landlock does not govern either (up to its version 7): a program that
   * runs as the same user can change those of this user's files outside, though not their content. Without them gcc
   * links programs that cannot be started, and shutil.copy, copytree, `python -m venv`, tar, install, chmod and
   * `git init` fail (tried with EPERM for all forms that take a name).
   * Default false.
   */
  readonly namespaces?: boolean
}

/** A system call that is allowed only with certain arguments. */
export interface SyscallRule {
  readonly syscall: string
  /** All must hold. */
  readonly conditions: readonly ArgumentCondition[]
  /** What the program is told otherwise. */
  readonly errorNumber: number
}

/**
 * What one argument must be. Only its low 32 bits are looked at, since that is all the kernel reads of these: a rule on
 * 64 bits is passed by setting a high one (CVE-2019-7303 did so with TIOCSTI).
 */
export interface ArgumentCondition {
  /** Counted from 0. */
  readonly index: number
  /** Bits of it that are compared. */
  readonly mask: number
  /** Allowed when it is one of these, or refused when it is. */
  readonly values: readonly number[]
  readonly allow: boolean
}

export const EPERM = 1
const EACCES = 13
export const ENOSYS = 38
const EAFNOSUPPORT = 97

const ALL_BITS = 0xffffffff
/** CLONE_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET; sched.h. */
const NEW_NAMESPACES = 0x7e020000
/** Put characters into a terminal's input: TIOCSTI and TIOCLINUX; asm-generic/ioctls.h and tty_ioctl(4). */
const TERMINAL_INJECTION = [0x5412, 0x541c]
/** Flags of a folder, which outlive what is in it, such as to write at once: FS_IOC_SETFLAGS and FS_IOC_FSSETXATTR; fs.h. */
const FILE_FLAGS = [0x40086602, 0x40046602, 0x401c5820]
/** PR_SCHED_CORE names another process; every other option of prctl is about the caller. */
const PR_SCHED_CORE = 62
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Not AF_VSOCK: it belongs to no network namespace. Nor AF_ALG, AF_PACKET. */
const SOCKET_FAMILIES = [1, 2, 10, 16]
const AF_UNIX = 1
const SOCKET_TYPE_BITS = 0xf
/** SOCK_STREAM and SOCK_SEQPACKET. A SOCK_DGRAM pair can be pointed at any named socket after it was made. */
const SOCKETS_THAT_STAY_CONNECTED = [1, 5]

const only = (index: number, values: readonly number[], mask = ALL_BITS): ArgumentCondition => ({
  index,
  mask,
  values,
  allow: true,
})
const never = (index: number, values: readonly number[]): ArgumentCondition => ({
  index,
  mask: ALL_BITS,
  values,
  allow: false,
})

/** The groups of system calls that a policy allows. */
export function groupsFor({ variant, inet, namespaces = false }: SyscallPolicy): SyscallGroup[] {
  return [
    'filesByDescriptor',
    'filesByPath',
    'fileAttributes',
    'memory',
    'waiting',
    'sockets',
    'processes',
    'identity',
    'threads',
    'limits',
    'time',
    'walls',
    ...(inet ? (['socketAddresses'] as const) : []),
    ...(namespaces ? (['pastLandlock', 'ipc'] as const) : []),
    ...(variant === 'runner' ? (['runner'] as const) : []),
  ]
}

/** The system calls that a policy allows with some arguments and not with others. */
export function rulesFor({ variant, inet, namespaces = false }: SyscallPolicy): SyscallRule[] {
  // Without namespaces a fresh workspace is a folder, which the next program is given emptied.
  const requests = namespaces ? TERMINAL_INJECTION : [...TERMINAL_INJECTION, ...FILE_FLAGS]
  const rules: SyscallRule[] = [
    // Its flags lie in memory, out of a filter's reach; the C library falls back to clone.
    { syscall: 'clone3', conditions: [only(0, [])], errorNumber: ENOSYS },
    { syscall: 'ioctl', conditions: [never(1, requests)], errorNumber: EPERM },
    { syscall: 'prctl', conditions: [never(0, [PR_SCHED_CORE])], errorNumber: EPERM },
    {
      syscall: 'socketpair',
      conditions: [
        only(0, [AF_UNIX]),
        ...(inet ? [] : [only(1, SOCKETS_THAT_STAY_CONNECTED, SOCKET_TYPE_BITS)]),
      ],
      errorNumber: EAFNOSUPPORT,
    },
    inet
      ? { syscall: 'socket', conditions: [only(0, SOCKET_FAMILIES)], errorNumber: EAFNOSUPPORT }
      : { syscall: 'socket', conditions: [only(0, [])], errorNumber: EACCES },
  ]
  if (variant === 'runner') return rules
  return [
    ...rules,
    { syscall: 'clone', conditions: [only(0, [0], NEW_NAMESPACES)], errorNumber: EPERM },
    // Both take the id of any process of this user, and Landlock does not stand between.
    { syscall: 'prlimit64', conditions: [only(0, [0])], errorNumber: EPERM },
    { syscall: 'sched_setaffinity', conditions: [only(0, [0])], errorNumber: EPERM },
  ]
}
