// Which system calls a program may make: one list by purpose, with the kernel's numbers for both architectures.
//
// Left out on purpose: other processes' memory and descriptors (ptrace, process_vm_*, pidfd_getfd, kcmp), keys, bpf,
// perf, io_uring (it does file and socket work past this filter), userfaultfd, mounts and namespaces, file handles,
// modules, clocks and names of the machine, swap, quotas, raw I/O ports, priorities (row 14 of the attack list), and
// real-time scheduling.

/** Each line: name, number on x86_64, number on aarch64; `-` where an architecture does not have it. */
const GROUPS = {
  /** Files that are open already. */
  filesByDescriptor: `
    read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68, preadv 295 69,
    pwritev 296 70, preadv2 327 286, pwritev2 328 287, lseek 8 62, close 3 57, close_range 436 436,
    dup 32 23, dup2 33 -, dup3 292 24, fcntl 72 25, flock 73 32, fsync 74 82, fdatasync 75 83,
    ftruncate 77 46, fallocate 285 47, fadvise64 221 223, readahead 187 213, copy_file_range 326 285,
    sendfile 40 71, splice 275 76, tee 276 77, sync_file_range 277 84, ioctl 16 29`,
  /** Files by name; the walls decide which ones. */
  filesByPath: `
    open 2 -, openat 257 56, openat2 437 437, creat 85 -, stat 4 -, fstat 5 80, lstat 6 -,
    newfstatat 262 79, statx 332 291, statfs 137 43, fstatfs 138 44, access 21 -, faccessat 269 48,
    faccessat2 439 439, readlink 89 -, readlinkat 267 78, getdents 78 -, getdents64 217 61, getcwd 79 17,
    chdir 80 49, fchdir 81 50, rename 82 -, renameat 264 38, renameat2 316 276, mkdir 83 -,
    mkdirat 258 34, rmdir 84 -, unlink 87 -, unlinkat 263 35, link 86 -, linkat 265 37, symlink 88 -,
    symlinkat 266 36, mknod 133 -, mknodat 259 33, truncate 76 45, umask 95 166`,
  /** Modes, times and attributes. */
  fileAttributes: `
    chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, fchown 93 55, utime 132 -, utimes 235 -,
    utimensat 280 88, futimesat 261 -, getxattr 191 8, lgetxattr 192 9, fgetxattr 193 10, listxattr 194 11,
    llistxattr 195 12, flistxattr 196 13, fsetxattr 190 7, fremovexattr 199 16`,
  /** What Landlock lets pass on any file of this user: owners and attributes by name, and watching folders. */
  pastLandlock: `
    chown 92 -, lchown 94 -, fchownat 260 54, setxattr 188 5, lsetxattr 189 6, removexattr 197 14,
    lremovexattr 198 15, inotify_init 253 -, inotify_init1 294 26, inotify_add_watch 254 27,
    inotify_rm_watch 255 28`,
  /** Memory of its own. */
  memory: `
    mmap 9 222, munmap 11 215, mprotect 10 226, mremap 25 216, msync 26 227, madvise 28 233,
    mincore 27 232, mlock 149 228, mlock2 325 284, munlock 150 229, brk 12 214, memfd_create 319 279,
    pkey_alloc 330 289, pkey_free 331 290, pkey_mprotect 329 288, map_shadow_stack 453 -,
    membarrier 324 283, get_mempolicy 239 236, mbind 237 235, set_mempolicy 238 237`,
  /** Pipes, and waiting for them. */
  waiting: `
    pipe 22 -, pipe2 293 59, poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72, epoll_create 213 -,
    epoll_create1 291 20, epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441,
    eventfd 284 -, eventfd2 290 19, signalfd 282 -, signalfd4 289 74, timerfd_create 283 85,
    timerfd_settime 286 86, timerfd_gettime 287 87`,
  /** Sockets that are connected already, and making some: see the rules for which. */
  sockets: `
    socketpair 53 199, sendto 44 206, recvfrom 45 207, sendmsg 46 211, recvmsg 47 212, sendmmsg 307 269,
    recvmmsg 299 243, shutdown 48 210, getsockname 51 204, getpeername 52 205, getsockopt 55 209,
    setsockopt 54 208, socket 41 198`,
  /** Naming another end of a socket. */
  socketAddresses: `
    connect 42 203, bind 49 200, listen 50 201, accept 43 202, accept4 288 242`,
  /** Processes of its own and signals to them. */
  processes: `
    fork 57 -, vfork 58 -, clone 56 220, clone3 435 435, execve 59 221, execveat 322 281, exit 60 93,
    exit_group 231 94, wait4 61 260, waitid 247 95, kill 62 129, tkill 200 130, tgkill 234 131,
    pidfd_open 434 434, pidfd_send_signal 424 424, rt_sigaction 13 134, rt_sigprocmask 14 135,
    rt_sigreturn 15 139, rt_sigpending 127 136, rt_sigtimedwait 128 137, rt_sigqueueinfo 129 138,
    rt_tgsigqueueinfo 297 240, rt_sigsuspend 130 133, sigaltstack 131 132, pause 34 -,
    restart_syscall 219 128`,
  /** Who it is. */
  identity: `
    getpid 39 172, getppid 110 173, gettid 186 178, getpgid 121 155, getpgrp 111 -, setpgid 109 154,
    getsid 124 156, setsid 112 157, getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177,
    getresuid 118 148, getresgid 120 150, getgroups 115 158, setuid 105 146, setgid 106 144,
    setreuid 113 145, setregid 114 143, setresuid 117 147, setresgid 119 149, setgroups 116 159,
    capget 125 90`,
  /** Threads and their scheduling within what they were given. */
  threads: `
    set_tid_address 218 96, set_robust_list 273 99, get_robust_list 274 100, rseq 334 293,
    arch_prctl 158 -, prctl 157 167, futex 202 98, futex_waitv 449 449, sched_yield 24 124,
    sched_getaffinity 204 123, sched_setaffinity 203 122, sched_getparam 143 121,
    sched_getscheduler 145 120, sched_get_priority_max 146 125, sched_get_priority_min 147 126,
    getpriority 140 141, getcpu 309 168`,
  /** Limits, usage and facts of the machine. */
  limits: `
    getrlimit 97 163, setrlimit 160 164, prlimit64 302 261, getrusage 98 165, times 100 153,
    sysinfo 99 179, uname 63 160, getrandom 318 278`,
  /** Clocks and timers. */
  time: `
    time 201 -, gettimeofday 96 169, clock_gettime 228 113, clock_getres 229 114,
    clock_nanosleep 230 115, nanosleep 35 101, alarm 37 -, getitimer 36 102, setitimer 38 103,
    timer_create 222 107, timer_settime 223 110, timer_gettime 224 108, timer_getoverrun 225 109,
    timer_delete 226 111`,
  /** Walls of its own, within those around it. */
  walls: `
    seccomp 317 277, landlock_create_ruleset 444 444, landlock_add_rule 445 445,
    landlock_restrict_self 446 446`,
  /** System V and POSIX IPC: their names hold for the whole IPC namespace. */
  ipc: `
    shmget 29 194, shmat 30 196, shmctl 31 195, shmdt 67 197, semget 64 190, semop 65 193, semctl 66 191,
    semtimedop 220 192, msgget 68 186, msgsnd 69 189, msgrcv 70 188, msgctl 71 187, mq_open 240 180,
    mq_unlink 241 181, mq_timedsend 242 182, mq_timedreceive 243 183, mq_notify 244 184,
    mq_getsetattr 245 185`,
  /** What the fork runner needs to build the walls of each execution. */
  runner: `
    unshare 272 97, setns 308 268, mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51,
    sethostname 170 161, capset 126 91, setpriority 141 140`,
} as const

/** A purpose for which system calls are allowed. */
export type SyscallGroup = keyof typeof GROUPS

/** One system call. */
export interface Syscall {
  readonly name: string
  readonly x64: number
  /** Undefined where aarch64 does not have it. */
  readonly arm64: number | undefined
}

/** The system calls of the groups named. */
export function syscallsOf(groups: readonly SyscallGroup[]): Syscall[] {
  return groups.flatMap((group) => GROUPS[group].trim().split(/,\s*/).map(readSyscall))
}

/** Every group there is. */
export const SYSCALL_GROUPS = Object.keys(GROUPS) as readonly SyscallGroup[]

/** Newest number that was looked at when the list was written (statmount, Linux 6.8). */
export const NEWEST_KNOWN_SYSCALL = 457

function readSyscall(entry: string): Syscall {
  const [name = '', x64, arm64] = entry.split(' ')
  return { name, x64: Number(x64), arm64: arm64 === '-' ? undefined : Number(arm64) }
}
