// What a fork runner is: a warm process inside a sandbox that starts a confined process for each execution.
import type { UnseenPlace } from './execution.js'

/** A warm process inside a sandbox that forks a confined process for each execution. */
export interface ForkRunner {
  /** What it said of itself when it started. */
  readonly hello: RunnerHello
  /**
   * Starts one execution. What cannot be started is told by `ended`.
   *
   * @throws MendloopError SANDBOX_CLOSED when the runner has been closed
   */
  start(request: RunnerRequest, output: RunnerOutput): RunnerExecution
  /** Loads packages ahead, or keeps processes ready; see {@link RunnerPreparation}. */
  prepare(preparation: RunnerPreparation): Promise<PreparedRunner>
  /** Resolves with the cause when the runner has ended, whoever ended it; never rejects. */
  readonly lost: Promise<string>
  /** Ends it with all its executions. Idempotent. */
  close(): Promise<void>
}

/** What a runner says of itself. */
export interface RunnerHello {
  /** Version of the frame protocol. */
  readonly protocol: 1
  /** Its interpreter, to be compared with the one that was resolved. */
  readonly python: {
    /** Such as `3.11.7`. */
    readonly version: string
    /** `sys.executable`. */
    readonly executable: string
    /** `sys.prefix`. */
    readonly prefix: string
    /** `sys.base_prefix`; differs from `prefix` in a virtual environment. */
    readonly basePrefix: string
  }
  /** How each execution is confined: `plain` is not isolation, it only is a process of its own. */
  readonly confinement: 'namespaces' | 'landlock' | 'plain'
  /** True when the system-call filter is put on each execution. */
  readonly syscallFilter: boolean
  /** Landlock's version of this kernel, 0 where it is not there. */
  readonly landlockAbi: number
}

/** One execution asked of a runner. */
export interface RunnerRequest {
  /** A program with its arguments, or Python code that the runner executes in the fork itself. */
  readonly program:
    | {
        /** Starts an executable file. */
        readonly kind: 'argv'
        /** Program and arguments; a name without a slash is looked for on `env.PATH`. */
        readonly argv: readonly string[]
      }
    | {
        /** Runs a Python file of the workspace as `__main__`, in the warm interpreter. */
        readonly kind: 'python'
        /** Path within the workspace. */
        readonly entry: string
        /** `sys.argv` from 1 on. */
        readonly args: readonly string[]
      }
  /** All variables that it sees. */
  readonly env: Readonly<Record<string, string>>
  /** Working directory within the workspace; empty for its root. */
  readonly cwd: string
  /** `shared`: the sandbox's workspace; `fresh`: an empty one of its own, gone afterwards. */
  readonly workspace: 'shared' | 'fresh'
  /** Files put into a fresh workspace before the start. */
  readonly files?: Readonly<Record<string, Uint8Array>>
  /** `pipe`: written by the caller; `none`: end of file at once; bytes: these, then end of file. */
  readonly stdin: 'pipe' | 'none' | Uint8Array
  /** Limits that the kernel enforces; time on the wall and output are the caller's to watch. */
  readonly limits: RunnerLimits
  /**
   * Output of both streams together, in bytes, after which nothing more is taken before all of it is dead; whoever asks
   * kills it then. Default: any.
   */
  readonly mostOutputBytes?: number
  /** Which of the runner's resource groups it is put into, where the sandbox has made some. Default: none. */
  readonly slot?: number
  /** Send back the files of a fresh workspace that differ from those put in. Default: none. */
  readonly collect?: {
    /** Most files sent back. */
    readonly files: number
    /** Most bytes sent back, over all files. */
    readonly bytes: number
    /** Files and folders that come before all others, by path: what there is room for is theirs first. Default: none. */
    readonly first?: readonly string[]
  }
}

/** Limits of one execution, as the kernel takes them. */
export interface RunnerLimits {
  /** RLIMIT_CPU, soft and hard, in whole seconds. */
  readonly cpuSeconds?: {
    /** SIGXCPU is sent. */
    readonly soft: number
    /** SIGKILL is sent. */
    readonly hard: number
  }
  /** RLIMIT_DATA of each process, in bytes. */
  readonly memoryBytes?: number
  /** Processes and threads; counted in a namespace of its own where there is one, else over the whole user. */
  readonly processes?: number
  /** RLIMIT_NOFILE. */
  readonly openFiles?: number
  /** RLIMIT_FSIZE, in bytes. */
  readonly fileBytes?: number
  /** Size of a fresh workspace, in bytes, where it can be bounded. */
  readonly diskBytes?: number
}

/** Where output goes. */
export interface RunnerOutput {
  /** Called with each piece, in order of arrival. */
  onOutput(stream: 'stdout' | 'stderr', data: Uint8Array): void
}

/** An execution under way. */
export interface RunnerExecution {
  /** Writes to its standard input; resolves when the bytes were handed over, also when nobody reads them. */
  write(data: Uint8Array): Promise<void>
  /** Closes its standard input. */
  endInput(): void
  /** Stops or goes on taking its output; what the pipes cannot hold then waits in the program. */
  pause(paused: boolean): void
  /** Sends SIGTERM to it and its process group, so that it can end by itself. */
  terminate(): void
  /** Kills it with everything it started. */
  kill(): void
  /** Resolves when its turn has come, where it may have to wait for one; absent: at once. Time on the wall counts from here. */
  readonly begun?: Promise<void>
  /** Resolves when nothing of it runs any more, and only its files may be still to come. Absent: with `ended`. */
  readonly gone?: Promise<void>
  /** Resolves when it and everything it started are gone; never rejects. */
  readonly ended: Promise<RunnerEnd>
}

/** How an execution ended. */
export interface RunnerEnd {
  /** What was seen of its end. */
  readonly how:
    | {
        /** It ended by itself. */
        readonly kind: 'exit'
        /** Exit code. */
        readonly code: number
      }
    | {
        /** A signal ended it. */
        readonly kind: 'signal'
        /** Its name. */
        readonly signal: string
      }
    | {
        /** It never ran: its executable file or its walls could not be had. */
        readonly kind: 'not-started'
        /** Why, as words. */
        readonly reason: string
        /** The system's name for it, such as `ENOENT`. */
        readonly code?: string
      }
    | {
        /** The runner was lost meanwhile, or what watches over the execution in it. */
        readonly kind: 'lost'
        /** What happened. */
        readonly cause: string
        /** True when its program was seen to run; otherwise it may be tried again. */
        readonly started?: boolean
      }
  /** Time from start to end of the first process, in milliseconds. */
  readonly durationMs: number
  /** Processor time of it and all it waited for, in milliseconds. */
  readonly cpuMs?: number
  /** Highest resident memory of one process, in bytes. */
  readonly peakMemoryBytes?: number
  /** True when something that it started could not be ended. */
  readonly leftover: boolean
  /** True when Python code ended with a MemoryError that nobody caught, or the kernel ended one of its processes for that. */
  readonly outOfMemory?: boolean
  /** True when the kernel refused it a process or thread, as far as that is known. */
  readonly processesRefused?: boolean
  /** True when it failed and its fresh workspace, which is bounded, had no room left. */
  readonly diskFull?: boolean
  /** Files of a fresh workspace that differ from those put in, when they were asked for. */
  readonly files?: readonly RunnerFile[]
  /** Files put in that are gone. */
  readonly deleted?: readonly string[]
  /** Files that were not sent back: over a cap, or not regular. */
  readonly withheld?: readonly string[]
  /** Those of `withheld` that are symbolic links. */
  readonly links?: readonly string[]
  /** Those of `withheld` that are pipes, sockets or devices. */
  readonly special?: readonly string[]
  /** Places of a fresh workspace that were not looked at, or not to the end. */
  readonly unseen?: readonly UnseenPlace[]
}

/** A file that an execution left in a fresh workspace. */
export interface RunnerFile {
  /** Path within the workspace. */
  readonly path: string
  /** Its bytes. */
  readonly content: Uint8Array
}

/** What a runner is to keep ready. */
export interface RunnerPreparation {
  /** Python packages to import before the first fork, such as `pandas`. One that is missing is told, not fatal. */
  readonly preload?: readonly string[]
  /** Processes forked ahead of the first execution, and at any time from then on. Default 0: one after each execution. */
  readonly spares?: number
}

/** What a preparation came to. */
export interface PreparedRunner {
  /** Packages that are loaded now. */
  readonly loaded: readonly string[]
  /** Those that are not, each with the reason. */
  readonly failed: Readonly<Record<string, string>>
}
