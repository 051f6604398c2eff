// What a fork runner is told when it is started.

/** How a fork runner is to work; decided by the sandbox that starts it. */
export interface RunnerSetup {
  /**
   * How each execution is confined: `auto` is the strongest that works where the runner is, the others are kept to or
   * refused at the start.
   */
  readonly confinement: 'auto' | 'namespaces' | 'landlock' | 'plain'
  /** Absolute path of the sandbox's workspace, as programs see it. */
  readonly workspace: string
  /**
   * Where fresh workspaces are made that cannot be mounted, as an absolute path out of the workspace. Default: a
   * folder that the runner makes in its temporary folder.
   */
  readonly freshRoot?: string
  /** Folders and files that programs may read and execute under Landlock; those that are not there are skipped. */
  readonly readOnly: readonly string[]
  /** Further folders that programs may write to under Landlock. */
  readonly readWrite?: readonly string[]
  /** True when programs may use the network as far as the sandbox lets them. Default: Landlock denies them TCP. */
  readonly network?: boolean
  /** System-call filter put on every execution, as a classic BPF program. */
  readonly syscallFilter?: Uint8Array
  /** System-call filter that the runner puts on itself, as a classic BPF program. */
  readonly runnerFilter?: Uint8Array
  /**
   * Absolute paths that programs with a fresh workspace find empty in namespaces, such as a home that the others share;
   * where HOME is in one of them, it is a folder of their own.
   */
  readonly hidden?: readonly string[]
  /** Size of each execution's own `/tmp` in namespaces, in bytes. */
  readonly tmpBytes: number
  /** Size of each execution's own `/dev/shm` in namespaces, in bytes. */
  readonly shmBytes: number
  /** True when no process outside the sandbox has its user id, so that processes need not be counted first. */
  readonly ownUid?: boolean
  /** Inherited descriptors of the control files of a cgroup, by slot; see `RunnerRequest.slot`. */
  readonly cgroupSlots?: readonly (readonly number[])[]
}

/** As it travels: bytes in hexadecimal, which Python reads without loading a library. */
export function setupMessage({ syscallFilter, runnerFilter, ...rest }: RunnerSetup): Record<string, unknown> {
  return {
    ...rest,
    ...(syscallFilter && { syscallFilter: hex(syscallFilter) }),
    ...(runnerFilter && { runnerFilter: hex(runnerFilter) }),
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
