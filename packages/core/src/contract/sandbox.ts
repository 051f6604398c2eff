// What a sandbox is: the narrow waist that every runtime fits. A program's failure is a result here, never an exception.
import type { ExecutionResult, Outcome } from './execution.js'
import type { ForkRunner } from './fork-runner.js'
import type { WorkspaceFiles } from './workspace-files.js'

/** Makes sandboxes. The one object a loop needs in order to run code. */
export interface SandboxProvider {
  /** Stable name, such as `subprocess`; appears in records and errors. */
  readonly id: string
  /** Version of this contract. */
  readonly specVersion: 'sandbox-v1'
  /**
   * Opens a fresh sandbox with an empty workspace.
   *
   * @throws MendloopError ISOLATION_UNAVAILABLE, SANDBOX_UNAVAILABLE, SANDBOX_UNSUPPORTED, INVALID_OPTION, ABORTED
   */
  create(options?: SandboxOptions): Promise<Sandbox>
}

/** How one sandbox should be. */
export interface SandboxOptions {
  /** Limits for every execution in it; each may be overridden by one execution. */
  limits?: Partial<Limits>
  /** Default: no network, where the sandbox can deny it; `guarantees.network` tells. */
  network?: NetworkPolicy
  /**
   * Variables the programs see besides the few safe ones; undefined ones are left out. The host's own are passed on only
   * when they are given, as `process.env`.
   */
  env?: Readonly<Record<string, string | undefined>>
  /** Aborting ends what runs and closes the sandbox. */
  signal?: AbortSignal
}

/** One workspace and the right to run programs in it. */
export interface Sandbox extends AsyncDisposable {
  /** Unique within this process. */
  readonly id: string
  /** Absolute path of the workspace as programs see it. */
  readonly workdir: string
  /** What is really enforced here, property by property. */
  readonly guarantees: Guarantees
  /**
   * The limits of an execution that asks for none; `guarantees` tells which of them are enforced here.
   * Absent: {@link DEFAULT_LIMITS}.
   */
  readonly limits?: Readonly<Limits>
  /** Variables that every program starts from. Absent: a program is asked for them where they matter. */
  readonly environment?: Readonly<Record<string, string>>
  /**
   * Runs a program to its end.
   *
   * @returns what it did; a crash, a non-zero exit, a timeout and a kill are results
   * @throws MendloopError SANDBOX_CLOSED, SANDBOX_UNSUPPORTED, INVALID_OPTION
   */
  exec(command: Command, options?: ExecOptions): Promise<ExecutionResult>
  /** Starts a program with open pipes; its presence enables sessions. */
  spawn?(command: Command, options?: SpawnOptions): Promise<SandboxProcess>
  /**
   * The warm process that forks a confined process for each execution; its presence makes `runProgram` fast. Where it
   * is absent, core starts one through `spawn`. One serves the whole sandbox and is closed with it.
   *
   * @throws MendloopError SANDBOX_CLOSED, SANDBOX_UNAVAILABLE
   */
  runner?(): Promise<ForkRunner>
  /** The workspace's files. */
  readonly files: WorkspaceFiles
  /** Keeps the state of the workspace. */
  snapshot?(): Promise<SnapshotRef>
  /** Brings back a kept state. */
  restore?(ref: SnapshotRef): Promise<void>
  /** Ends every process and removes the workspace. Idempotent; never throws for what is already gone. */
  close(): Promise<void>
}

/**
 * What to run. A string goes through the shell; an array is an argument list; the object form adds the rest.
 */
export type Command = string | readonly string[] | CommandObject

/** A command with its surroundings. */
export interface CommandObject {
  /** Program and arguments; no shell is involved. */
  readonly argv: readonly string[]
  /** Working directory within the workspace. Default: its root. */
  readonly cwd?: string
  /** Further variables for this execution alone; undefined ones are left out. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Standard input, then end of file. Default: end of file at once. */
  readonly stdin?: string | Uint8Array
}

/** How one execution should be. */
export interface ExecOptions {
  /** Override the sandbox's limits for this execution. */
  limits?: Partial<Limits>
  /** Aborting kills the program; the result then has outcome `aborted`. */
  signal?: AbortSignal
  /** Called with output as it arrives, in order, up to the output limit. What it throws is ignored. */
  onOutput?(chunk: OutputChunk): void
}

/** How a process with open pipes should be. */
export interface SpawnOptions {
  /** Override the sandbox's limits; `wallMs` counts from the start. */
  limits?: Partial<Limits>
  /** Aborting kills the process. */
  signal?: AbortSignal
}

/** A running program with open pipes. */
export interface SandboxProcess {
  /**
   * Writes to its standard input; resolves when the bytes were taken, which does not say that they were read.
   *
   * @throws MendloopError SANDBOX_UNAVAILABLE when it has ended, ends meanwhile without taking them, or `end` was called
   */
  write(data: string | Uint8Array): Promise<void>
  /** Closes its standard input. */
  end(): void
  /** Its output in order of arrival, as the bytes it wrote; ends when the process has ended. */
  readonly output: AsyncIterable<ProcessOutput>
  /** How it ended. */
  readonly outcome: Promise<Outcome>
  /** Kills it with everything it started. */
  kill(): void
  /** Lets the host's process end although this one runs, as `unref` of Node's child processes. Absent: it cannot. */
  unref?(): void
  /** Takes `unref` back. */
  ref?(): void
}

/** Names a kept state of a workspace. */
export interface SnapshotRef {
  /** Opaque; only the provider that made it can read it. */
  readonly id: string
}

/** A piece of output. */
export interface OutputChunk {
  /** Which stream it was written to. */
  readonly stream: 'stdout' | 'stderr'
  /** Decoded text; a character is never split over two chunks. */
  readonly text: string
}

/** A piece of what a process with open pipes wrote. */
export interface ProcessOutput {
  /** Which stream it was written to. */
  readonly stream: 'stdout' | 'stderr'
  /** Bytes as they were written, cut anywhere. */
  readonly data: Uint8Array
}

/** Bounds of one execution. */
export interface Limits {
  /** Wall-clock time, in milliseconds, until it and all that it started are gone. Default 5 000. */
  wallMs: number
  /** Processor time of all its processes together, in milliseconds, rounded up to whole seconds. Default: none. */
  cpuMs?: number
  /**
   * Memory, in bytes; `guarantees.memory` says of what. Files that a sandbox keeps in memory may count as well.
   * Default 512 MiB.
   */
  memoryBytes: number
  /** Processes and threads. Default 64. */
  processes: number
  /** Open files of one process. Default 256. */
  openFiles: number
  /** Size of one file, in bytes. Default 64 MiB. */
  fileBytes: number
  /** Size of the whole workspace, in bytes. Default 256 MiB. */
  diskBytes: number
  /** Output kept of each stream, in bytes; of more, head and tail are kept. Default 1 MiB. */
  outputBytes: number
  /**
   * Output of both streams together at which the program is ended, in bytes; the outcome is then `resource` of
   * `output`. Default: none, since head and tail are kept of any amount.
   */
  totalOutputBytes?: number
}

/** The limits of an execution for which nothing was asked. */
export const DEFAULT_LIMITS: Readonly<Limits> = Object.freeze({
  wallMs: 5_000,
  memoryBytes: 512 * 1024 * 1024,
  processes: 64,
  openFiles: 256,
  fileBytes: 64 * 1024 * 1024,
  diskBytes: 256 * 1024 * 1024,
  outputBytes: 1024 * 1024,
})

/** Which addresses a program may reach. */
export type NetworkPolicy =
  | {
      /** No address at all. */
      mode: 'none'
    }
  | {
      /** Whatever this machine can reach. */
      mode: 'all'
    }
  | {
      /** The hosts named, and no others. */
      mode: 'allow'
      /** Host names, such as `example.org`. */
      hosts: readonly string[]
    }

/** What is really enforced, property by property; carried by every result. */
export interface Guarantees {
  /** The wall around the program. */
  isolation: 'vm' | 'container' | 'namespaces' | 'landlock' | 'seatbelt' | 'process'
  /** `host`: the program can reach whatever this machine can. */
  network: 'denied' | 'allow-list' | 'host'
  /** `same-user`: the program can read and write whatever this user can. */
  files: 'private-root' | 'allow-list' | 'same-user'
  /** Which other processes it can see and signal; `none`: all of this user. */
  processes: 'own-namespace' | 'signal-scope' | 'none'
  /** Whether everything it started is surely gone afterwards. */
  descendants: 'killed' | 'best-effort'
  /** What the memory limit bounds; `per-process`: private memory of each process, not shared mappings, not the sum. */
  memory: 'per-execution' | 'per-process' | 'none'
  /** What the process limit counts. */
  pids: 'per-sandbox' | 'per-user' | 'none'
  /** What the disk limit bounds. */
  disk: 'bounded' | 'per-file' | 'none'
  /** Which system calls it may make. */
  syscalls: 'allow-list' | 'engine-default' | 'none'
}
