// What bubblewrap is asked for; pure, so that the whole wall can be read in one place.

/**
 * Where things are for programs behind this wall. Each execution has a `/tmp` of its own; the home stays as long as the
 * workspace does, since compilers keep there what they would otherwise make anew.
 */
export const INSIDE = {
  workspace: '/workspace',
  home: '/home/sandbox',
  temporary: '/tmp',
  scripts: '/run/mendloop',
} as const

/** The user id that programs see; the one they have outside is told to nobody. */
const INSIDE_UID = 65534

/** Parts of a wall. */
export interface BubblewrapWall {
  /** Folders and files of the machine, each at its own path, that may be read and executed. */
  readonly readOnly: readonly string[]
  /** Links of the root folder, such as `/bin` → `usr/bin`. */
  readonly links: Readonly<Record<string, string>>
  /** The sandbox's own folders on the host: what is mounted at each place of {@link INSIDE}. */
  readonly folders: {
    readonly workspace: string
    readonly home: string
    readonly scripts: string
    /** A file with the names of hosts, where the machine's own is not seen. */
    readonly hosts: string
  }
  /** Size of `/tmp`, in bytes. */
  readonly tmpBytes: number
  /** Size of `/dev/shm`, in bytes. */
  readonly shmBytes: number
  /** Keep the machine's network instead of an empty one. */
  readonly sharesNetwork: boolean
  /** Descriptor that holds the system-call filter of the runner. */
  readonly filterDescriptor: number | undefined
}

/**
 * Arguments up to the `--`, without the program.
 *
 * User namespaces stay possible, because the runner makes one for each execution; the filter that it puts on the
 * execution takes them away.
 */
export function bubblewrapArguments(wall: BubblewrapWall): string[] {
  const { folders } = wall
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(wall.sharesNetwork ? [] : ['--unshare-net']),
    ...['--uid', String(INSIDE_UID), '--gid', String(INSIDE_UID), '--hostname', 'sandbox'],
    ...Object.entries(wall.links).flatMap(([path, target]) => ['--symlink', target, path]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--size', String(wall.tmpBytes), '--perms', '1777', '--tmpfs', INSIDE.temporary],
    ...['--size', String(wall.shmBytes), '--perms', '1777', '--tmpfs', '/dev/shm'],
    // After /tmp: an interpreter may live there.
    ...wall.readOnly.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--bind', folders.workspace, INSIDE.workspace],
    ...['--bind', folders.home, INSIDE.home],
    ...['--ro-bind', folders.scripts, INSIDE.scripts],
    // Programs that serve and ask themselves do it by the name `localhost`.
    ...(wall.sharesNetwork ? [] : ['--ro-bind', folders.hosts, '/etc/hosts']),
    // What is not covered anew for each execution must carry nothing from one to the next.
    ...[
      '--remount-ro',
      '/dev',
      '--remount-ro',
      '/',
      '--chdir',
      '/',
      '--cap-drop',
      'ALL',
      '--new-session',
      '--die-with-parent',
    ],
    ...(wall.filterDescriptor === undefined ? [] : ['--seccomp', String(wall.filterDescriptor)]),
  ]
}
